#include "hw/stm32/image/build.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <system_error>

#include <fmt/format.h>
#include <sys/wait.h>

namespace spillway::stm32 {
namespace {

namespace fs = std::filesystem;

/// Removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "spillway-firmware-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), name);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// For a shell: in quotes, with the quotes in it kept apart.
std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char character : word)
    text += character == '\'' ? std::string("'\\''") : std::string(1, character);
  return text + "'";
}

/// Runs a command and returns what it said, both outputs together.
std::string run(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen((command + " 2>&1").c_str(), "r"), ::pclose);
  if (pipe == nullptr) throw std::system_error(errno, std::generic_category(), "cannot start a shell");
  std::string said;
  std::array<char, 4096> part;
  while (const std::size_t size = std::fread(part.data(), 1, part.size(), pipe.get()))
    said.append(part.data(), size);
  return said;
}

constexpr const char* done = "spillway: done";

void run_or_throw(const std::string& what, const std::string& command) {
  const std::string said = run(command + " && echo " + quoted(done));
  if (said.find(done) != std::string::npos) return;
  throw BuildFailed(
      fmt::format("{} failed (the firmware needs cmake, ninja-build and gcc-arm-none-eabi):\n{}", what, said));
}

}  // namespace

void build_images(const ImageRequest& request) {
  const TemporaryFolder folder;
  // Paths relative to the tree, as in scripts/build: objects that were compiled before are taken from the cache.
  std::string configure = fmt::format(
      "launcher=$(command -v ccache); cmake -S {} -B {} -G Ninja -DCMAKE_BUILD_TYPE=Release "
      "-DCMAKE_TOOLCHAIN_FILE={} ${{launcher:+-DCMAKE_CXX_COMPILER_LAUNCHER=$launcher}}",
      quoted(request.sources.string()), quoted(folder.path().string()),
      quoted((request.sources / "cmake/arm-none-eabi.cmake").string()));
  for (const std::string& variable : request.variables)
    configure += " -D" + quoted(variable);
  run_or_throw("configuring the firmware", configure);
  std::string build = fmt::format("CCACHE_BASEDIR={} CCACHE_NOHASHDIR=1 cmake --build {} --target",
                                  quoted(request.sources.string()), quoted(folder.path().string()));
  for (const std::string& target : request.targets)
    build += ' ' + quoted(target);
  run_or_throw("building the firmware", build);
  for (const std::string& target : request.targets) {
    for (const char* const kind : {".elf", ".map"}) {
      const std::string file = target + kind;
      fs::copy_file(folder.path() / "hw/stm32" / file, request.folder / file, fs::copy_options::overwrite_existing);
    }
  }
}

}  // namespace spillway::stm32
