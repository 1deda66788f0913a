#include "tests/experiments/launcher/launched.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

namespace spillway::launcher_test {

namespace fs = std::filesystem;

const std::string slow_sweep =
    "name: slow\n"
    "title: A sweep over MPI\n"
    "question: Does it come to the same end?\n"
    "sweep:\n"
    "  network: [mobilenet, resnet18]\n"
    "  board: swapnn-paper\n"
    "  card: swapnn-paper\n"
    "  sram: [256 KiB, 512 KiB, 1 MiB]\n"
    "  buffer: [16 KiB, 32 KiB]\n"
    "  mode: [sequential, parallel]\n"
    "  driver: simgrid\n"
    "  frames: [2, 4]\n";

std::vector<std::string> resumed(std::vector<std::string> arguments) {
  arguments.emplace_back("--resume");
  return arguments;
}

std::string Launched::file(const std::string& name, const std::string& text) const {
  std::ofstream(folder / name) << text;
  return folder / name;
}

std::vector<std::string> Launched::sweep(const std::string& experiment, const std::string& output) const {
  return {"sweep", experiment, "--output", folder / output};
}

std::vector<std::string> Launched::explore(const std::string& output, const std::vector<std::string>& more) const {
  std::vector<std::string> words = {"explore",  "squeezenet",    "--platform",    "jetson-xavier-nx8",
                                    "--output", folder / output, "--individuals", "12"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

bool Launched::wait_for_lines(Job& job, const std::string& output, const std::string& name, std::size_t lines) const {
  for (;;) {
    std::ifstream stream(folder / output + "/" + name);
    const auto there = std::count(std::istreambuf_iterator<char>(stream), {}, '\n');
    if (static_cast<std::size_t>(there) >= lines) return true;
    if (job.is_over()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void Launched::expect_same(const std::string& output, const std::string& of_one, const std::string& record) const {
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder / of_one)) {
    const std::string name = fs::relative(entry.path(), folder / of_one).string();
    ++files;
    ASSERT_TRUE(fs::exists(folder / output + "/" + name)) << name;
    if (entry.is_regular_file() && name != record) {
      EXPECT_EQ(cli_test::contents(entry.path()), cli_test::contents(folder / output + "/" + name)) << name;
    }
  }
  EXPECT_GT(files, 3U);
  EXPECT_EQ(std::distance(fs::recursive_directory_iterator(folder / output), {}), static_cast<std::ptrdiff_t>(files));
}

}  // namespace spillway::launcher_test
