#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hw/stm32/errors.hpp"
#include "sim/trace/wire_reader.hpp"

namespace spillway::stm32::tests {

/// A folder that is removed at the end of the test.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// Statuses of scripts/emulate that no firmware has.
inline constexpr int power_cut = 97, not_stood = 98, no_end = 124;

/// How a run on the virtual board ended.
struct BoardRun {
  int status = -1;         ///< of scripts/emulate: the firmware's code or one of the above
  trace::WireTrace trace;  ///< what came over the serial port
  std::string bytes;       ///< the same as it came
  std::string complaints;  ///< what a real part would not stand

  /// The firmware ended by itself with that error, and said so on the serial port.
  bool failed_with(Error error) const;
  /// For messages of tests.
  std::string description() const;
};

/// An image of this build: `self_test`.
std::filesystem::path image(const std::string& name);

/// Makes a card of zeros.
void make_card(const std::filesystem::path& path, std::uint64_t bytes = std::uint64_t{64} << 20);

/// Runs an image; without a card the slot is empty. `options` are those of scripts/emulate.
BoardRun run_on_board(const std::filesystem::path& image, const std::optional<std::filesystem::path>& card,
                      const std::vector<std::string>& options = {});

}  // namespace spillway::stm32::tests
