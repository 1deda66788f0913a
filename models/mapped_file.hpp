#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace spillway::models {

/// The bytes of a file, mapped into memory read-only; the mapping lasts as long as a copy of the pointer.
/// Throws std::system_error; a folder is an error, an empty file gives no bytes.
std::shared_ptr<const std::span<const char>> map_file(const std::filesystem::path& path);

}  // namespace spillway::models
