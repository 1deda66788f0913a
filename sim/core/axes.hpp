#pragma once

#include <cstdint>

#include "sim/core/geometry.hpp"
#include "sim/core/plan.hpp"

namespace spillway::core {

/// A box: a range along each axis.
struct Box {
  Range axis[3];

  constexpr bool empty() const { return axis[0].empty() || axis[1].empty() || axis[2].empty(); }
};

/// A layer along its axes, channels (0), rows (1) and columns (2), so that the arithmetic is written once for all.
/// Output i reads inputs i * stride - pad to i * stride - pad + kernel - 1, clipped to the input. A layer that is not
/// channelwise reads all its input channels for any output: stride 0 and a kernel over everything.
struct Axes {
  explicit Axes(const Layer& layer);

  std::uint32_t size[3];  ///< outputs
  std::uint32_t tile[3];  ///< outputs of a full tile
  std::uint32_t tiles[3];
  std::uint32_t input[3];  ///< inputs
  std::uint32_t stride[3], pad[3], kernel[3];
};

/// All outputs.
Box outputs_of(const Axes& axes);

/// The outputs that a tile is.
Box outputs_of(const Axes& axes, std::uint32_t tile);

/// Replaces a box of outputs by the inputs that they read.
void to_inputs(const Axes& axes, Box& box);

/// The input channels that a part has.
constexpr Range channels_of(const Part& part, Range channels) {
  return common(channels, {part.first_channel, part.first_channel + part.channels});
}

/// Replaces a box of inputs by the outputs that read any of them. Inputs that lie between those of two outputs become
/// an empty range between these outputs.
void to_readers(const Axes& axes, Box& box);

/// Walks the tiles that hold any of a box of outputs, from the last to the first; of an empty range between two outputs
/// the tile that holds both, if there is one.
class TileWalk {
 public:
  TileWalk(const Axes& axes, const Box& outputs);

  /// Steps to the next tile; false after the first one.
  bool next();

  std::uint32_t tile() const { return (at_[0] * rows_ + at_[1]) * columns_ + at_[2]; }

 private:
  std::uint32_t at_[3], first_[3], last_[3];
  std::uint32_t rows_, columns_;
  std::uint32_t left_ = 1;
};

}  // namespace spillway::core
