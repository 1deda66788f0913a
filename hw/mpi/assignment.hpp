#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "models/network.hpp"
#include "models/onnx_reader.hpp"
#include "models/split/split.hpp"
#include "platforms/mapping.hpp"

namespace spillway::mpi {

/// The layers that a mapping may name.
struct NamedLayers {
  std::vector<models::OnnxLayer> layers;
  std::map<std::string, std::string> merged;  ///< see OnnxModel
  std::vector<std::string> tensors;           ///< by NodeId
};

/// Of a file's model; of a network without a file.
NamedLayers named_layers(const models::OnnxModel& model);
NamedLayers named_layers(const models::Network& network);

/// Which rank computes each node.
struct Assignment {
  std::vector<std::optional<split::Rank>> rank_of_node;
  /// Layers that the reader has merged with others but that are mapped apart from them: the model must be read again
  /// with these as OnnxReadOptions::apart, and assigned again.
  std::set<std::string> apart;
};

/// Assigns the layers of a mapping to its ranks. A layer is called as its node, or as AutoDiCE calls it: its first
/// output tensor, with `_` for `/`. Throws platforms::InputError with every problem: layers that do not exist (the
/// nearest is named), names of two layers, layers without a key, layers with several (AutoDiCE's horizontal and data
/// parallel modes, which are refused by name), a padding mapped apart from the layer that does it.
Assignment assign(const platforms::Mapping& mapping, const NamedLayers& layers, const models::Network& network);

}  // namespace spillway::mpi
