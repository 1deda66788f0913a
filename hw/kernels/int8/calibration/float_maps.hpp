#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "hw/kernels/session/session.hpp"
#include "models/quantized/fold.hpp"

namespace spillway::int8 {

/// A folded network in float32, of which every map that the int8 network stores can be seen.
class FloatMaps {
 public:
  explicit FloatMaps(const quantized::FoldedNetwork& folded);

  /// Computes a frame of numbers in the order of models.
  void run(std::span<const float> input);

  /// The map of a row after run(), in the order of models.
  std::span<const float> map(std::size_t row) const { return session_.output(row); }

 private:
  kernels::Session session_;
};

/// How a range is taken from the numbers that a map was seen to have.
struct RangeChoice {
  /// Share of the numbers that the range covers; 1: all of them. What lies beyond is cut off.
  double share = 1;
};

/// For each node of the folded network the range that quantized::quantize() asks for, from frames of float32 one after
/// the other.
/// Throws std::invalid_argument for frames that make numbers that are not finite; names the layer.
std::vector<float> ranges_of(const quantized::FoldedNetwork& folded, std::span<const float> frames,
                             const RangeChoice& choice = {});

/// Signal to quantisation noise of one map over any number of frames.
class NoiseMeter {
 public:
  void add(std::span<const float> exact, std::span<const float> quantized);

  /// 10 log10 of the sum of squares over the sum of squared differences; infinite where nothing differs.
  double decibels() const;

 private:
  double signal_ = 0, noise_ = 0;
};

}  // namespace spillway::int8
