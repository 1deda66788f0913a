#include "tests/paths/paths.hpp"

namespace spillway::paths {

std::string source(std::string_view path) {
  return std::string(SPILLWAY_SOURCE_DIR "/").append(path);
}

std::string build(std::string_view path) {
  return std::string(SPILLWAY_BUILD_DIR "/").append(path);
}

std::string program() {
  return SPILLWAY_PROGRAM;
}

}  // namespace spillway::paths
