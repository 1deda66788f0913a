#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/network.hpp"
#include "sim/core/plan.hpp"

/// Lowering: from the network's nodes to the layers that are swapped.
namespace spillway::tiling {

/// Which operators become layers of their own.
enum class Lowering : std::uint8_t {
  all,           ///< everything that is not fused into its producer
  weights_only,  ///< convolution and dense only: the others keep their effect on shapes and make no tasks
};

/// A layer before it is cut. Sizes are in elements, of one frame.
struct SwapLayer {
  models::NodeId node = 0;
  std::string name;
  core::WorkClass work_class = core::WorkClass::convolution;
  bool channelwise = false;    ///< output channel c reads input channel c (and its channel_halo neighbours)
  bool flattened = false;      ///< reads its input as a vector: input_channels counts elements
  bool waits_for_all = false;  ///< see core::Layer; where a pooling without a task or a transpose stands before it

  std::uint32_t input_channels = 0, input_height = 1, input_width = 1;  ///< of one operand
  std::uint32_t channels = 0, height = 1, width = 1;                    ///< of the output
  std::uint32_t operands = 1;                                           ///< inputs of an element-wise operator
  std::uint32_t kernel_height = 1, kernel_width = 1;                    ///< dilation included
  std::uint32_t stride_height = 1, stride_width = 1;  ///< 1 along an axis with one output, where it has no meaning
  std::uint32_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
  std::uint32_t channel_halo = 0;

  std::uint32_t kernel_elements = 1;  ///< weights (pooling: elements read) of one channel of the window
  std::uint32_t filter_channels = 0;  ///< input channels of one filter; 0 without weights
  std::uint32_t published_filter_channels =
      0;                          ///< the same, as the published counts take it (Node::dense_weight_bytes)
  std::uint32_t filter_work = 0;  ///< see core::Layer

  /// One for each producer and operand, uncut.
  std::vector<core::Part> sources;

  bool has_weights() const { return filter_channels != 0; }
};

/// The layers of a network in its node order; sources refer to positions in the result.
///
/// Activations, softmax, dropout and batch normalization are fused: into their producer, or, where that is a
/// concatenation or the network's input, into the reading of their consumers. Concatenation, flatten and reshape are
/// nothing but a way to read the producers' tiles.
/// Throws Unsupported.
std::vector<SwapLayer> lower(const models::Network& network, Lowering lowering = Lowering::all);

}  // namespace spillway::tiling
