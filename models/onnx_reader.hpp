#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/network.hpp"
#include "models/onnx_error.hpp"
#include "models/weights.hpp"

/// Networks from ONNX files (operator sets up to 17, IR versions 3 to 8).
namespace spillway::models {

/// Newest versions that are read: what the library behind the reader knows.
inline constexpr std::int64_t newest_onnx_opset = 17;
inline constexpr std::int64_t newest_onnx_ir = 8;

struct OnnxReadOptions {
  /// Extents of dynamic dimensions by name; a dimension without a name is called `INPUT:AXIS`. The first dimension of
  /// an input is the batch: 1, which is the only size that is read.
  std::map<std::string, std::int64_t> dimensions;
  /// Read the trained numbers, too. They stay in the memory that the file was read into.
  bool weights = false;
  /// Nodes that stay layers of their own where they could be done with others, by the names of OnnxModel::layers:
  /// biases.
  std::set<std::string> apart = {};
  /// Bytes of numbers that may be made anew (ConstantOfShape, weights stored transposed), all together.
  std::int64_t most_made_bytes = std::int64_t{1} << 31;
};

/// A node of a file as people know it.
struct OnnxLayer {
  std::string name;    ///< the node's name in the network, had it one
  std::string tensor;  ///< its first output; AutoDiCE calls the node so, with `_` for `/`
  std::string node;    ///< the network's node that does its work; empty: a constant, folded
};

/// What a file holds.
struct OnnxModel {
  Network network;
  ElementType element = ElementType::float32;  ///< of feature maps and weights, as stored
  Weights weights;                             ///< empty unless asked for
  /// Nodes of the file that have no node of their own in the network, and the node that does their work: a bias added
  /// behind a dense layer, a padding before a convolution.
  std::map<std::string, std::string> merged;
  std::vector<std::string> outputs;  ///< nodes whose results are the model's, in the file's order
  std::int64_t opset = 0, ir = 0;
  std::vector<OnnxLayer> layers;               ///< every node of the file, in its order
  std::map<std::string, std::string> tensors;  ///< names of values in the file, by the network's node that makes them
};

/// Reads and checks a model. A node keeps its ONNX name where that is unique and not empty; otherwise it is called as
/// its first output with `_` for `/` (AutoDiCE's rule). Constants are folded: they are no nodes.
/// Throws OnnxError with everything that is wrong: every node of an unsupported type, or every problem that does not
/// follow from another one.
OnnxModel read_onnx_model(const std::filesystem::path& path, const OnnxReadOptions& options = {});

/// The same from bytes; `name` stands for the path in errors and external data lies relative to its folder.
OnnxModel read_onnx_bytes(std::string_view bytes, const std::filesystem::path& name,
                          const OnnxReadOptions& options = {});

/// The network alone.
Network read_onnx(const std::filesystem::path& path, const OnnxReadOptions& options = {});

/// An ONNX operator and what becomes of it.
struct OnnxOperator {
  std::string_view type;
  std::string_view becomes;  ///< the network's operators, and conditions
};

/// Every ONNX operator that is read, sorted by name.
std::span<const OnnxOperator> onnx_operators();

}  // namespace spillway::models
