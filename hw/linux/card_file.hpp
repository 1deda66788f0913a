#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>

namespace spillway::execution {

/// A card that cannot be read or written; the message names the file and the reason.
class CardError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How a card's file is accessed.
enum class Access : std::uint8_t {
  direct,  ///< past the page cache (O_DIRECT): memory, too, must be aligned to 512 bytes
  cached,  ///< through the page cache
};

/// A card: a file of sectors of 512 bytes. One thread at a time.
class CardFile {
 public:
  /// Makes a file of that many sectors, all zeros, in the place of an earlier one. Throws CardError.
  static CardFile create(const std::filesystem::path& path, std::uint32_t sectors);

  /// Whether there is a file that begins with a card's header (card_header.hpp), of whatever plan. Throws CardError for
  /// a file that cannot be read.
  static bool holds_card(const std::filesystem::path& path);

  /// Opens a file. Throws CardError, also where the file system does not allow direct access.
  CardFile(std::filesystem::path path, Access access);
  CardFile(CardFile&& other) noexcept;
  CardFile& operator=(CardFile&&) = delete;
  ~CardFile();

  /// Reads or writes whole sectors. Throws CardError, also where the file ends before the last one.
  void read(std::uint32_t sector, std::span<std::uint8_t> bytes) const;
  void write(std::uint32_t sector, std::span<const std::uint8_t> bytes) const;

  /// Returns when everything is on the disk. Throws CardError.
  void flush() const;

 private:
  CardFile(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  [[noreturn]] void fail(const char* doing, std::uint32_t sector, int error) const;

  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace spillway::execution
