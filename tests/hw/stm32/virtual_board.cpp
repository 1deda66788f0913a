#include "tests/hw/stm32/virtual_board.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include <sys/wait.h>

#include "tests/paths/paths.hpp"

namespace spillway::stm32::tests {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string quoted(const std::string& word) {
  return "'" + word + "'";
}

}  // namespace

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "spillway-board-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

bool BoardRun::failed_with(Error error) const {
  return status == static_cast<int>(error) && trace.end && trace.end->code == static_cast<int>(error);
}

std::string BoardRun::description() const {
  std::ostringstream text;
  text << "status " << status << ", " << trace.statistics.messages << " messages";
  for (const trace::WireMessage& message : trace.messages) {
    if (const auto* line = std::get_if<trace::Text>(&message)) text << "\n  \"" << line->text << '"';
  }
  if (trace.end) text << "\n  ended with " << int{trace.end->code} << ", detail " << trace.end->detail;
  text << '\n' << complaints;
  return text.str();
}

std::filesystem::path image(const std::string& name) {
  return paths::build("firmware/hw/stm32/" + name + ".elf");
}

void make_card(const std::filesystem::path& path, std::uint64_t bytes) {
  std::ofstream(path, std::ios::binary).close();
  std::filesystem::resize_file(path, bytes);
}

BoardRun run_on_board(const std::filesystem::path& image, const std::optional<std::filesystem::path>& card,
                      const std::vector<std::string>& options) {
  const Folder folder;
  std::string command = quoted(paths::source("scripts/emulate")) + ' ' + quoted(image.string()) + " --trace " +
                        quoted((folder / "trace").string()) + " --log " + quoted((folder / "log").string());
  if (card) command += " --card " + quoted(card->string());
  for (const std::string& option : options)
    command += ' ' + quoted(option);
  const int status = std::system((command + " 2>/dev/null").c_str());
  BoardRun run;
  run.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  run.bytes = text_of(folder / "trace");
  run.complaints = text_of(folder / "log");
  run.trace = trace::parse_wire_trace({reinterpret_cast<const std::uint8_t*>(run.bytes.data()), run.bytes.size()});
  return run;
}

}  // namespace spillway::stm32::tests
