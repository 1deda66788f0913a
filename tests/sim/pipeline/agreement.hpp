#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/pipeline/machine.hpp"

namespace spillway::pipeline {

/// A random mapping under both drivers.
struct Agreement {
  std::string mapping;                        ///< what it was, to find it again
  double virtual_clock_s = 0, simgrid_s = 0;  ///< makespans

  double error() const { return virtual_clock_s / simgrid_s - 1; }
};

/// Random mappings of DenseNet-121, ResNet-101 and VGG-19 on eight boards, contiguous and scattered ones, in both modes
/// of communication.
std::vector<Agreement> agreements(std::size_t count, std::uint32_t seed, Progress progress = Progress::async);

/// Spearman's rank correlation of the makespans. No two are equal, or equal ones are equal under both.
double rank_correlation(const std::vector<Agreement>& agreements);

/// The error, without its sign, that this share of the mappings does not exceed.
double error_quantile(const std::vector<Agreement>& agreements, double share);

}  // namespace spillway::pipeline
