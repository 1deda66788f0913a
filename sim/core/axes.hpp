#pragma once

#include <cstdint>

#include "sim/core/geometry.hpp"
#include "sim/core/plan.hpp"

namespace spillway::core {

/// A layer along one dimension: its outputs cut into tiles, and the inputs that outputs read. Written once for
/// channels, rows and columns; output i reads inputs i * stride - pad to i * stride - pad + kernel - 1, clipped to the
/// input.
struct Axis {
  std::uint32_t size;  ///< outputs
  std::uint32_t tile;  ///< outputs of a full tile
  std::uint32_t tiles;
  std::uint32_t input;  ///< inputs
  std::uint32_t stride, pad, kernel;
};

/// The axes of a layer: channels (0), rows (1), columns (2). A layer that is not channelwise reads all its input
/// channels for any output: stride 0 and a kernel over everything.
struct Axes {
  explicit Axes(const Layer& layer);

  Axis axis[3];
};

/// A box: a range along each axis, of elements or of tiles.
struct Box {
  Range axis[3];

  constexpr bool empty() const { return axis[0].empty() || axis[1].empty() || axis[2].empty(); }
};

/// The box of outputs that a tile is.
Box outputs_of(const Axes& axes, std::uint32_t tile);

/// The box of inputs that a box of outputs reads from a part.
Box inputs_of(const Axes& axes, const Part& part, Box outputs);

/// The tiles that hold any of a box of outputs, which must not be empty.
Box tiles_holding(const Axes& axes, const Box& outputs);

/// The tiles that read any of a box of inputs.
Box tiles_reading(const Axes& axes, const Box& inputs);

}  // namespace spillway::core
