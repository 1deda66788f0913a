#pragma once

#include <array>
#include <string>
#include <string_view>

#include "platforms/figure.hpp"

namespace spillway::platforms {

class Fields;

/// The kinds of multiply-accumulates that reach a share of a processor's peak of their own. `winograd`: convolutions
/// of 3 x 3 with stride 1 and one group, which libraries compute with fewer multiplications than counted: their share
/// may exceed 1.
inline constexpr std::array<std::string_view, 5> compute_kinds = {"convolution", "winograd", "pointwise", "depthwise",
                                                                  "dense"};

/// The kinds of layers that reach a share of the memory's bandwidth of their own; bytes are inputs, outputs and
/// weights, each once.
inline constexpr std::array<std::string_view, 4> memory_kinds = {"convolution", "dense", "elementwise", "pooling"};

/// What a library's kernels reach of a processor.
struct Efficiency {
  std::array<Figure, compute_kinds.size()> peak;      ///< ratio of the peak, in the order of compute_kinds
  std::array<Figure, memory_kinds.size()> bandwidth;  ///< ratio of the bandwidth, in the order of memory_kinds
};

/// The shares that hold for every board, so that a new one can be predicted from its data sheet.
struct Efficiencies {
  std::string description;  ///< of which library, and how they were fitted
  Efficiency cpu, gpu;
};

/// Reads platforms/efficiencies.yaml. Throws InputError with every problem of the file: YAML, keys, a share of 0, a
/// figure without a source.
Efficiencies load_efficiencies();

/// The same from text; `file` stands for the file in errors.
Efficiencies parse_efficiencies(std::string_view yaml, const std::string& file);

/// The text that parse_efficiencies reads back to the same.
std::string to_yaml(const Efficiencies& efficiencies);

/// Reads the keys `peak` and `bandwidth` of one map; a problem is noted there.
Efficiency read_efficiency(Fields& fields);

/// Lines of the keys that read_efficiency reads, each behind `indentation` spaces.
std::string efficiency_lines(const Efficiency& efficiency, int indentation);

}  // namespace spillway::platforms
