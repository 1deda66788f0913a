#include "models/split/schedule.hpp"

#include <algorithm>
#include <map>

namespace spillway::split {
namespace {

using models::NodeId;
using Kind = Step::Kind;

std::vector<Step> steps_of(const models::Network& network, const Split& split, Rank rank) {
  const SubModel& part = split.ranks[rank];
  std::vector<Step> steps;
  std::map<NodeId, std::size_t> awaited, sent;
  for (const std::size_t buffer : part.receives) {
    steps.push_back({Kind::expect, buffer});
    awaited.emplace(split.buffers[buffer].node, buffer);
  }
  for (const std::size_t buffer : part.sends)
    sent.emplace(split.buffers[buffer].node, buffer);

  for (const NodeId input : part.inputs) {
    const auto passed_on = sent.find(input);
    if (passed_on != sent.end()) steps.push_back({Kind::reserve, passed_on->second});
    steps.push_back({Kind::read, input});
    if (passed_on != sent.end()) steps.push_back({Kind::send, passed_on->second});
  }
  for (const NodeId layer : part.layers) {
    for (const NodeId operand : network.node(layer).inputs) {
      const auto arriving = awaited.find(operand);
      if (arriving == awaited.end()) continue;
      steps.push_back({Kind::wait, arriving->second});
      awaited.erase(arriving);
    }
    const auto buffer = sent.find(layer);
    if (buffer != sent.end()) steps.push_back({Kind::reserve, buffer->second});
    steps.push_back({Kind::compute, layer});
    if (buffer != sent.end()) steps.push_back({Kind::send, buffer->second});
    if (std::ranges::binary_search(part.outputs, layer)) steps.push_back({Kind::write, layer});
  }
  steps.push_back({Kind::finish, 0});
  return steps;
}

}  // namespace

std::string_view to_string(Step::Kind kind) {
  switch (kind) {
    case Kind::expect:
      return "expect";
    case Kind::read:
      return "read";
    case Kind::wait:
      return "wait";
    case Kind::reserve:
      return "reserve";
    case Kind::compute:
      return "compute";
    case Kind::send:
      return "send";
    case Kind::write:
      return "write";
    case Kind::finish:
      return "finish";
  }
  return "";
}

Schedule make_schedule(const models::Network& network, const Split& split) {
  Schedule schedule;
  for (Rank rank = 0; rank < split.ranks.size(); ++rank)
    schedule.push_back(steps_of(network, split, rank));
  return schedule;
}

}  // namespace spillway::split
