#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

#include "models/network.hpp"
#include "models/onnx_writer.hpp"
#include "models/weights.hpp"

/// From a Network to an ONNX model. Of the room's own.
namespace spillway::models::onnx_file {

/// The metadata entry that holds, one a line, the names of the convolutions with Node::dense_weight_bytes.
inline constexpr const char* dense_weight_bytes_key = "spillway.dense_weight_bytes";

/// Where a tensor's numbers go: fills in the data of a tensor whose name and extents are set, or keeps the numbers.
using Store = std::function<void(onnx::TensorProto&, const Tensor&)>;

/// The model. `weights_of` gives the numbers of a node that has_weights(), `store` takes them, one layer at a time.
/// Throws Refusal.
onnx::ModelProto model_of(const Network& network, const OnnxWriteOptions& options,
                          const std::function<LayerWeights(NodeId)>& weights_of, const Store& store);

}  // namespace spillway::models::onnx_file
