#include "hw/mpi/assignment.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "platforms/nearest.hpp"
#include "platforms/problems.hpp"

namespace spillway::mpi {
namespace {

using models::NodeId;
using models::OnnxLayer;
using platforms::MappedLayer;
using split::Rank;

constexpr std::size_t no_layer = static_cast<std::size_t>(-1);

std::string autodice_name(const OnnxLayer& layer) {
  std::string name = layer.tensor;
  std::ranges::replace(name, '/', '_');
  return name;
}

class Assigner {
 public:
  Assigner(const platforms::Mapping& mapping, const NamedLayers& layers, const models::Network& network)
      : mapping_(mapping), layers_(layers), network_(network), ranks_(layers.layers.size()) {
    for (std::size_t i = 0; i < layers.layers.size(); ++i) {
      by_node_[layers.layers[i].name].insert(i);
      by_tensor_[autodice_name(layers.layers[i])].insert(i);
      by_tensor_[layers.layers[i].tensor].insert(i);
      names_.push_back(layers.layers[i].name);
      names_.push_back(autodice_name(layers.layers[i]));
    }
  }

  Assignment run() {
    for (Rank rank = 0; rank < mapping_.ranks.size(); ++rank)
      for (const MappedLayer& layer : mapping_.ranks[rank].layers)
        take(rank, layer);
    if (!is_data_parallel()) {
      note_horizontal();
      note_unmapped();
      note_merged();
    }
    if (!problems_.empty()) throw platforms::InputError(std::move(problems_));
    for (NodeId id = 0; id < network_.nodes().size(); ++id)
      result_.rank_of_node.push_back(rank_of(network_.node(id)));
    return std::move(result_);
  }

 private:
  void problem(platforms::Position position, const std::string& key, std::string message) {
    problems_.push_back({mapping_.file, position.line, position.column, key, std::move(message)});
  }

  void take(Rank rank, const MappedLayer& mapped) {
    const std::string& key = mapping_.ranks[rank].key;
    const std::size_t layer = find(mapped, key);
    if (layer == no_layer) return;
    const auto [first, is_new] = ranks_[layer].emplace(rank, mapped.position);
    if (!is_new)
      problem(mapped.position, key,
              fmt::format("layer \"{}\" is given twice, first in line {}", mapped.name, first->second.line));
  }

  std::size_t find(const MappedLayer& mapped, const std::string& key) {
    std::set<std::size_t> found;
    for (const auto* index : {&by_node_, &by_tensor_}) {
      const auto entry = index->find(mapped.name);
      if (entry != index->end()) found.insert(entry->second.begin(), entry->second.end());
    }
    if (found.size() == 1) return *found.begin();
    if (found.empty()) {
      const std::string hint = platforms::did_you_mean(mapped.name, names_);
      problem(mapped.position, key,
              fmt::format("unknown layer \"{}\"{}{} `spillway inspect` shows all", mapped.name, hint,
                          hint.empty() ? ";" : ""));
    } else {
      std::vector<std::string> nodes;
      for (const std::size_t layer : found)
        nodes.push_back(layers_.layers[layer].name);
      problem(mapped.position, key,
              fmt::format("\"{}\" names several layers: {}; expected the name of one", mapped.name,
                          fmt::join(nodes, ", ")));
    }
    return no_layer;
  }

  bool needs_rank(std::size_t layer) const { return !layers_.layers[layer].node.empty(); }

  /// The whole model in each of several keys.
  bool is_data_parallel() {
    const std::size_t ranks = mapping_.ranks.size();
    for (std::size_t layer = 0; layer < ranks_.size(); ++layer)
      if (needs_rank(layer) && ranks_[layer].size() != ranks) return false;
    if (ranks < 2 || !problems_.empty()) return false;
    problem(mapping_.ranks[1].position, mapping_.ranks[1].key,
            fmt::format("the whole model is mapped to each of {} keys: AutoDiCE's data parallelism, which is not built "
                        "yet; expected each layer in one key",
                        ranks));
    return true;
  }

  void note_horizontal() {
    for (std::size_t layer = 0; layer < ranks_.size(); ++layer) {
      if (ranks_[layer].size() < 2) continue;
      std::vector<std::string> keys;
      for (const auto& [rank, position] : ranks_[layer])
        keys.push_back(fmt::format("\"{}\"", mapping_.ranks[rank].key));
      const auto& [rank, position] = *std::next(ranks_[layer].begin());
      problem(position, mapping_.ranks[rank].key,
              fmt::format("layer \"{}\" is mapped to {}: AutoDiCE's horizontal partitioning, which is not built yet; "
                          "expected each layer in one key",
                          layers_.layers[layer].name, fmt::join(keys, " and ")));
    }
  }

  void note_unmapped() {
    std::vector<std::string> missing;
    for (std::size_t layer = 0; layer < ranks_.size(); ++layer)
      if (needs_rank(layer) && ranks_[layer].empty()) missing.push_back(layers_.layers[layer].name);
    if (missing.empty()) return;
    problem({}, "",
            fmt::format("{} of {} layers {} in no key: {}; expected each layer in one", missing.size(),
                        layers_.layers.size(), missing.size() == 1 ? "is" : "are", fmt::join(missing, ", ")));
  }

  void note_merged() {
    std::map<std::string, std::size_t> own;
    for (std::size_t layer = 0; layer < ranks_.size(); ++layer)
      if (layers_.layers[layer].name == layers_.layers[layer].node) own.emplace(layers_.layers[layer].name, layer);
    for (std::size_t layer = 0; layer < ranks_.size(); ++layer) {
      const OnnxLayer& merged = layers_.layers[layer];
      if (!layers_.merged.contains(merged.name) || ranks_[layer].empty()) continue;
      const auto host = own.find(merged.node);
      if (host == own.end() || ranks_[host->second].empty()) continue;
      const auto& [rank, position] = *ranks_[layer].begin();
      if (rank == ranks_[host->second].begin()->first) continue;
      const NodeId node = *network_.find(merged.node);
      if (layers_.tensors[node] == merged.tensor)
        result_.apart.insert(merged.name);
      else
        problem(position, mapping_.ranks[rank].key,
                fmt::format("layer \"{}\" is done by \"{}\"; expected both in one key", merged.name, merged.node));
    }
  }

  std::optional<Rank> rank_of(const models::Node& node) const {
    if (node.op == models::Operator::input) return std::nullopt;
    for (std::size_t layer : by_node_.at(node.name))
      if (layers_.layers[layer].node == node.name && !ranks_[layer].empty()) return ranks_[layer].begin()->first;
    return std::nullopt;
  }

  const platforms::Mapping& mapping_;
  const NamedLayers& layers_;
  const models::Network& network_;
  std::map<std::string, std::set<std::size_t>> by_node_, by_tensor_;
  std::vector<std::string> names_;
  std::vector<std::map<Rank, platforms::Position>> ranks_;  ///< by layer
  std::vector<platforms::Problem> problems_;
  Assignment result_;
};

}  // namespace

NamedLayers named_layers(const models::OnnxModel& model) {
  NamedLayers result{model.layers, model.merged, {}};
  for (const models::Node& node : model.network.nodes()) {
    const auto named = model.tensors.find(node.name);
    result.tensors.push_back(named == model.tensors.end() ? node.name : named->second);
  }
  return result;
}

NamedLayers named_layers(const models::Network& network) {
  NamedLayers result;
  for (const models::Node& node : network.nodes()) {
    result.tensors.push_back(node.name);
    if (node.op != models::Operator::input) result.layers.push_back({node.name, node.name, node.name});
  }
  return result;
}

Assignment assign(const platforms::Mapping& mapping, const NamedLayers& layers, const models::Network& network) {
  return Assigner(mapping, layers, network).run();
}

}  // namespace spillway::mpi
