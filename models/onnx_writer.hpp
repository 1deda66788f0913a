#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "models/network.hpp"
#include "models/onnx_error.hpp"
#include "models/weights.hpp"

/// Networks as ONNX files (operator set 13, or 14 where hard_swish needs it; IR version 7).
namespace spillway::models {

struct OnnxWriteOptions {
  /// Put the numbers into a second file beside the model, `FILE.data`.
  bool external_data = false;
  /// Of SeededWeights, where no weights are given.
  std::uint64_t seed = 1;
  /// Nodes whose results are the model's; empty: those that no other node reads.
  std::vector<std::string> outputs;
  /// Names of nodes' results (and of inputs) in the file, where they are not called as the node.
  std::map<std::string, std::string> tensors = {};
  /// Inputs and reshapes whose vectors are rows, 1xN, rather than maps, 1xNx1x1; without: as their readers want them.
  std::optional<std::set<std::string>> rows = {};
};

/// The nodes whose results write_onnx makes rows: what a part of a network needs for OnnxWriteOptions::rows, so that it
/// agrees with the other parts.
std::set<std::string> rows_of(const Network& network);

/// Writes a network with these weights. The file (and its data) appears whole or not at all; ONNX's own checker has
/// accepted it. Read back, it gives the same network and the same weights.
/// Throws OnnxError: weights that are missing or of other extents, what ONNX cannot say (a pooling rounded up whose
/// last window would start in the padding), more than 2 GiB without external data, a file that cannot be written.
void write_onnx(const Network& network, const Weights& weights, const std::filesystem::path& path,
                const OnnxWriteOptions& options = {});

/// The same with seeded, calibrated weights, made one layer at a time.
void write_onnx(const Network& network, const std::filesystem::path& path, const OnnxWriteOptions& options = {});

}  // namespace spillway::models
