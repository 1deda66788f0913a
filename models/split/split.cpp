#include "models/split/split.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace spillway::split {
namespace {

using models::Network;
using models::Node;
using models::NodeId;
using models::Operator;

constexpr std::size_t no_buffer = static_cast<std::size_t>(-1);

void check(const Network& network, const Request& request) {
  const std::size_t nodes = network.nodes().size();
  if (request.keys.empty()) throw SplitError("a split needs at least one rank");
  if (request.rank_of_node.size() != nodes || (!request.tensors.empty() && request.tensors.size() != nodes))
    throw SplitError("ranks and tensors of a split need one entry for each node");
  for (NodeId id = 0; id < nodes; ++id) {
    const std::optional<Rank>& rank = request.rank_of_node[id];
    const bool is_input = network.node(id).op == Operator::input;
    if (rank.has_value() == is_input || (rank && *rank >= request.keys.size()))
      throw SplitError(fmt::format("node '{}' has {}", network.node(id).name,
                                   is_input ? "a rank, but is an input"
                                   : rank   ? "a rank that does not exist"
                                            : "no rank"));
  }
}

class Splitter {
 public:
  Splitter(const Network& network, Request request)
      : network_(network), request_(std::move(request)), buffer_of_(network.nodes().size(), no_buffer) {
    result_.tensors = std::move(request_.tensors);
    if (result_.tensors.empty())
      for (const Node& node : network.nodes())
        result_.tensors.push_back(node.name);
    for (std::string& key : request_.keys)
      result_.ranks.push_back({std::move(key), {}, {}, {}, {}, {}});
    result_.owner.resize(network.nodes().size());
  }

  Split run() {
    find_owners();
    for (NodeId id = 0; id < network_.nodes().size(); ++id)
      if (request_.rank_of_node[id]) add(id, *request_.rank_of_node[id]);
    order_buffers();
    add_outputs();
    return std::move(result_);
  }

 private:
  void find_owners() {
    std::vector<bool> read(network_.nodes().size(), false);
    for (NodeId id = 0; id < network_.nodes().size(); ++id) {
      if (!request_.rank_of_node[id]) continue;
      const Rank rank = *request_.rank_of_node[id];
      result_.owner[id] = rank;
      for (const NodeId operand : network_.node(id).inputs) {
        if (network_.node(operand).op != Operator::input || read[operand]) continue;
        result_.owner[operand] = rank;
        result_.ranks[rank].inputs.push_back(operand);
        read[operand] = true;
      }
    }
    for (SubModel& rank : result_.ranks)
      std::ranges::sort(rank.inputs);
  }

  void add(NodeId id, Rank rank) {
    result_.ranks[rank].layers.push_back(id);
    for (const NodeId operand : network_.node(id).inputs) {
      if (result_.owner[operand] == rank) continue;
      std::size_t& position = buffer_of_[operand];
      if (position == no_buffer) {
        position = result_.buffers.size();
        result_.buffers.push_back(
            {result_.tensors[operand], operand, network_.node(operand).output.elements(), result_.owner[operand], {}});
      }
      std::vector<Rank>& destinations = result_.buffers[position].destinations;
      if (std::ranges::find(destinations, rank) == destinations.end()) destinations.push_back(rank);
    }
  }

  void order_buffers() {
    std::ranges::sort(result_.buffers, {}, &Buffer::node);
    for (std::size_t i = 0; i < result_.buffers.size(); ++i) {
      Buffer& buffer = result_.buffers[i];
      std::ranges::sort(buffer.destinations);
      result_.ranks[buffer.source].sends.push_back(i);
      for (const Rank destination : buffer.destinations)
        result_.ranks[destination].receives.push_back(i);
    }
  }

  void add_outputs() {
    std::vector<NodeId> outputs = request_.outputs;
    if (outputs.empty()) {
      std::vector<bool> read(network_.nodes().size(), false);
      for (const Node& node : network_.nodes())
        for (const NodeId operand : node.inputs)
          read[operand] = true;
      for (NodeId id = 0; id < network_.nodes().size(); ++id)
        if (!read[id] && network_.node(id).op != Operator::input) outputs.push_back(id);
    }
    std::ranges::sort(outputs);
    outputs.erase(std::unique(outputs.begin(), outputs.end()), outputs.end());
    for (const NodeId output : outputs)
      result_.ranks[result_.owner[output]].outputs.push_back(output);
  }

  const Network& network_;
  Request request_;
  Split result_;
  std::vector<std::size_t> buffer_of_;
};

}  // namespace

Split split(const Network& network, Request request) {
  check(network, request);
  return Splitter(network, std::move(request)).run();
}

Network sub_network(const Network& network, const Split& split, Rank rank) {
  const SubModel& part = split.ranks.at(rank);
  Network result(part.key);
  std::vector<NodeId> inputs = part.inputs;
  for (const std::size_t buffer : part.receives)
    inputs.push_back(split.buffers[buffer].node);
  std::ranges::sort(inputs);

  std::vector<NodeId> position(network.nodes().size());
  for (const NodeId id : inputs) {
    Node node;
    node.name = network.node(id).name;
    node.output = network.node(id).output;
    position[id] = result.add(std::move(node));
  }
  for (const NodeId id : part.layers) {
    Node node = network.node(id);
    for (NodeId& operand : node.inputs)
      operand = position[operand];
    position[id] = result.add(std::move(node));
  }
  return result;
}

std::vector<std::optional<Rank>> balanced_cut(const Network& network, std::size_t parts) {
  std::vector<NodeId> layers;
  for (NodeId id = 0; id < network.nodes().size(); ++id)
    if (network.node(id).op != Operator::input) layers.push_back(id);
  if (parts == 0 || parts > layers.size())
    throw SplitError(fmt::format("{} parts of {} layers; expected 1 to {}", parts, layers.size(), layers.size()));

  // cost[p][i]: the largest part when the first i layers make p parts; cut[p][i]: where the last of them begins.
  const std::size_t count = layers.size();
  std::vector<std::int64_t> sum(count + 1, 0);
  for (std::size_t i = 0; i < count; ++i)
    sum[i + 1] = sum[i] + network.macs(layers[i]);
  std::vector<std::vector<std::int64_t>> cost(
      parts + 1, std::vector<std::int64_t>(count + 1, std::numeric_limits<std::int64_t>::max()));
  std::vector<std::vector<std::size_t>> cut(parts + 1, std::vector<std::size_t>(count + 1, 0));
  for (std::size_t i = 1; i <= count; ++i)
    cost[1][i] = sum[i];
  for (std::size_t p = 2; p <= parts; ++p)
    for (std::size_t i = p; i <= count; ++i)
      for (std::size_t begin = p - 1; begin < i; ++begin) {
        const std::int64_t largest = std::max(cost[p - 1][begin], sum[i] - sum[begin]);
        // Among equals the later cut: layers without work stay with the layer whose result they change.
        if (largest > cost[p][i]) continue;
        cost[p][i] = largest;
        cut[p][i] = begin;
      }

  std::vector<std::optional<Rank>> ranks(network.nodes().size());
  std::size_t end = count;
  for (std::size_t p = parts; p > 0; --p) {
    for (std::size_t i = cut[p][end]; i < end; ++i)
      ranks[layers[i]] = p - 1;
    end = cut[p][end];
  }
  return ranks;
}

}  // namespace spillway::split
