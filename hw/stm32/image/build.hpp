#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace spillway::stm32 {

/// The cross compiler or CMake failed; what() ends with what they said.
class BuildFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What is built.
struct ImageRequest {
  std::filesystem::path sources;       ///< top of Spillway's source tree
  std::vector<std::string> targets;    ///< `network`, ...: hw/stm32/firmware.cmake
  std::vector<std::string> variables;  ///< of that file: `SPILLWAY_NETWORK=...`
  std::filesystem::path folder;        ///< where TARGET.elf is put, and TARGET.map of the linker
};

/// Builds images in a temporary folder with the project's own CMake files (preset firmware). Throws BuildFailed and
/// std::system_error.
void build_images(const ImageRequest& request);

}  // namespace spillway::stm32
