#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/figure.hpp"

/// Where a network runs: boards, cards and clusters of real parts, every figure with its source.
namespace spillway::platforms {

/// The classes of work that a board has a rate for, in the order of core::WorkClass.
inline constexpr std::array<std::string_view, 6> work_class_names = {"convolution", "pointwise",   "depthwise",
                                                                     "dense",       "elementwise", "pooling"};

/// What it costs to decrypt and check, or to encrypt and sign, one byte of a network kept on the card: AES-128 in
/// counter mode and HMAC-SHA-256. Absent where the board cannot do it, or nobody has said what it costs.
struct CryptoCosts {
  std::optional<Figure> cpu;          ///< s per byte of compute time
  std::optional<Figure> accelerator;  ///< s per byte of the transfer's time
};

/// A microcontroller board.
struct Board {
  std::string name;  ///< file name without .yaml
  std::string description;
  Figure sram;   ///< bytes
  Figure flash;  ///< bytes
  Figure clock;  ///< Hz
  /// Work per second for each class: multiply-accumulates, for pooling and elementwise the elements read.
  std::array<Figure, 6> rates;
  Figure compute_overhead;  ///< s for each compute task
  Figure contention;        ///< share of the compute rate lost while a DMA transfer is in flight, 0 to below 1
  Figure idle_power;        ///< W, board without card, CPU waiting
  Figure compute_power;     ///< W, board without card, CPU computing
  CryptoCosts crypto;
};

/// Reads a board by the name of a file in platforms/boards, or by a path.
/// Throws InputError with every problem of the file: YAML, keys, units, a figure without a source, figures out of
/// range, compute power below idle power; a computer (platforms/computer.hpp).
Board load_board(std::string_view name_or_path);

/// The same from text; `file` stands for the file in errors and gives the board its name.
Board parse_board(std::string_view yaml, const std::string& file);

/// A board as YAML; parse_board reads it back to the same figures.
std::string to_yaml(const Board& board);

/// The names that load_board knows, sorted.
std::vector<std::string> board_names();

}  // namespace spillway::platforms
