#include "program.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/paths/paths.hpp"

namespace spillway::cli_test {
namespace {

void redirect(const char* path, int flags, int descriptor) {
  const int file = ::open(path, flags, 0600);
  if (file < 0 || ::dup2(file, descriptor) < 0) ::_exit(127);
}

[[noreturn]] void become(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                         const std::string& out, const std::string& err) {
  redirect("/dev/null", O_RDONLY, STDIN_FILENO);
  redirect(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
  redirect(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
  if (::chdir(folder.c_str()) != 0) ::_exit(127);
  std::vector<char*> argv;
  std::string program = paths::program();
  argv.push_back(program.data());
  for (const std::string& argument : arguments)
    argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  ::_exit(127);
}

}  // namespace

Call spillway(const std::vector<std::string>& arguments, const std::filesystem::path& folder) {
  const Folder streams;
  const std::string out = streams / "out", err = streams / "err";
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child == 0) become(arguments, folder, out, err);
  int status = 0;
  ::waitpid(child, &status, 0);

  Call call;
  call.command = "spillway";
  for (const std::string& argument : arguments)
    call.command += ' ' + argument;
  call.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  call.out = contents(out);
  call.err = contents(err);
  return call;
}

Call spillway(std::string_view arguments) {
  std::istringstream stream{std::string(arguments)};
  return spillway(std::vector<std::string>(std::istream_iterator<std::string>(stream), {}));
}

std::vector<std::string> lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> found;
  for (std::string line; std::getline(stream, line);)
    found.push_back(line);
  return found;
}

std::string contents(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  return {std::istreambuf_iterator<char>(stream), {}};
}

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "spillway-cli-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a folder like " + name);
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace spillway::cli_test
