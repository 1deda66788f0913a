#include "sim/pipeline/program.hpp"

#include <algorithm>
#include <cmath>

namespace spillway::pipeline {

using models::NodeId;
using Kind = Operation::Kind;

const Program& ProgramMaker::make(std::span<const Rank> rank_of_node, std::span<const Placement> placements,
                                  const Options& options) {
  options_ = options;
  program_.slots = split::slots(options.communication);
  program_.progress = options.progress;
  program_.sleeps = options.sleeps;
  program_.writes = 0;
  program_.ranks.resize(placements.size());
  for (Rank rank = 0; rank < placements.size(); ++rank) {
    program_.ranks[rank].placement = placements[rank];
    program_.ranks[rank].operations.clear();
    program_.ranks[rank].reads = false;
  }
  find_owners(rank_of_node);
  find_messages(rank_of_node);
  find_calls();

  // Inputs are read, and passed on, before anything else.
  for (NodeId id = 0; id < workload_.size(); ++id) {
    if (!workload_.node(id).input || owner_[id] == no_rank) continue;
    program_.ranks[owner_[id]].reads = true;
    add_send(id);
  }
  for (NodeId id = 0; id < workload_.size(); ++id)
    if (!workload_.node(id).input) add_layer(id);
  for (RankProgram& rank : program_.ranks)
    if (options.communication == Communication::paper) rank.operations.push_back({Kind::finish});
  return program_;
}

void ProgramMaker::find_owners(std::span<const Rank> rank_of_node) {
  owner_.assign(rank_of_node.begin(), rank_of_node.end());
  for (NodeId id = 0; id < workload_.size(); ++id) {
    if (!workload_.node(id).input) continue;
    const std::span<const NodeId> readers = workload_.readers(id);
    owner_[id] = readers.empty() ? no_rank : rank_of_node[readers.front()];
  }
}

void ProgramMaker::find_messages(std::span<const Rank> rank_of_node) {
  program_.messages.clear();
  first_message_.clear();
  for (NodeId id = 0; id < workload_.size(); ++id) {
    const std::uint32_t first = static_cast<std::uint32_t>(program_.messages.size());
    first_message_.push_back(first);
    for (const NodeId reader : workload_.readers(id)) {
      const Rank destination = rank_of_node[reader];
      if (destination == owner_[id]) continue;
      const auto begin = program_.messages.begin() + first;
      const auto place = std::lower_bound(begin, program_.messages.end(), destination,
                                          [](const Message& message, Rank rank) { return message.destination < rank; });
      if (place != program_.messages.end() && place->destination == destination) continue;
      const std::uint64_t bytes = workload_.node(id).bytes;
      const bool eager = options_.communication == Communication::paper && bytes <= machine_.eager_bytes;
      program_.messages.insert(place, {id, owner_[id], destination, bytes, eager});
    }
  }
  first_message_.push_back(static_cast<std::uint32_t>(program_.messages.size()));
  received_.assign(program_.messages.size(), 0);
}

void ProgramMaker::find_calls() {
  using Layer = Workload::Call;
  calls_.assign(workload_.size(), {});
  for (NodeId id = 0; id < workload_.size(); ++id) {
    const NodeId first = call_taking_in(id);
    calls_[id].first = first;
    Call& call = calls_[first];
    call.last = id;
    if (first == id) continue;
    const Layer layer = workload_.node(id).call;
    (layer == Layer::normalization ? call.normalized : layer == Layer::addition ? call.added : call.activated) = true;
  }
}

/// The first layer of the call that the layer joins; itself where it joins none.
NodeId ProgramMaker::call_taking_in(NodeId id) const {
  using Layer = Workload::Call;
  const Layer layer = workload_.node(id).call;
  if (layer != Layer::normalization && layer != Layer::addition && layer != Layer::activation) return id;
  NodeId found = id;
  const std::span<const NodeId> operands = workload_.operands(id);
  for (const NodeId operand : operands) {
    const bool alone =
        workload_.node(operand).input || owner_[operand] != owner_[id] || workload_.readers(operand).size() != 1;
    if (alone || !can_take_in(calls_[operand].first, id)) continue;
    const NodeId call = calls_[operand].first;
    const bool others_are_made =
        std::ranges::all_of(operands, [&](NodeId other) { return other == operand || is_made_before(other, call); });
    if (others_are_made) found = call;
  }
  return found;
}

bool ProgramMaker::can_take_in(NodeId call, NodeId id) const {
  using Layer = Workload::Call;
  const Call& before = calls_[call];
  const Layer maker = workload_.node(call).call;
  switch (workload_.node(id).call) {
    case Layer::normalization:
      return maker == Layer::convolution && !before.normalized && !before.added && !before.activated;
    case Layer::addition:
      return maker == Layer::convolution && !before.added && !before.activated;
    case Layer::activation:
      return maker != Layer::alone && maker != Layer::activation && !before.activated;
    default:
      return false;
  }
}

bool ProgramMaker::is_made_before(NodeId operand, NodeId call) const {
  return workload_.node(operand).input || owner_[operand] != owner_[call] || calls_[operand].first < call;
}

std::uint32_t ProgramMaker::message_to(NodeId node, Rank destination) const {
  std::uint32_t message = first_message_[node];
  while (program_.messages[message].destination != destination)
    ++message;
  return message;
}

void ProgramMaker::add_layer(NodeId id) {
  const Rank rank = owner_[id];
  RankProgram& program = program_.ranks[rank];
  for (const NodeId operand : workload_.operands(id)) {
    if (owner_[operand] == rank) continue;
    const std::uint32_t message = message_to(operand, rank);
    if (received_[message] != 0) continue;
    received_[message] = 1;
    program.operations.push_back({Kind::wait, message, message + 1, 0, operand});
    add_time(rank, Kind::call, operand, call_ns(program_.messages[message], false));
  }
  const std::uint32_t first = first_message_[id], last = first_message_[id + 1];
  if (first != last) program.operations.push_back({Kind::reserve, first, last, 0, id});
  const NodeId call = calls_[id].first;
  if (calls_[call].last == id) add_call(call, id);
  if (first != last) add_send(id);
  if (workload_.node(id).output) {
    program.operations.push_back({Kind::write, 0, 0, 0, id});
    ++program_.writes;
  }
}

void ProgramMaker::add_call(NodeId first, NodeId last) {
  const Rank rank = owner_[first];
  const LayerTimes& times = *program_.ranks[rank].placement.times;
  for (NodeId id = first; id <= last; ++id) {
    if (calls_[id].first != first) continue;
    const NodeId leader = times.leader[id];
    const bool behind = leader != id && owner_[leader] == rank && !workload_.node(leader).input;
    add_time(rank, Kind::compute, id, behind ? times.behind[id] : times.alone[id]);
  }
}

void ProgramMaker::add_send(NodeId id) {
  const std::uint32_t first = first_message_[id], last = first_message_[id + 1];
  if (first == last) return;
  const Rank rank = owner_[id];
  std::vector<Operation>& operations = program_.ranks[rank].operations;
  if (workload_.node(id).input) operations.push_back({Kind::reserve, first, last, 0, id});
  std::uint64_t duration = 0;
  for (std::uint32_t message = first; message < last; ++message)
    duration += call_ns(program_.messages[message], true);
  add_time(rank, Kind::call, id, duration);
  operations.push_back({Kind::send, first, last, 0, id});
}

void ProgramMaker::add_time(Rank rank, Kind kind, NodeId node, std::uint64_t duration_ns) {
  std::vector<Operation>& operations = program_.ranks[rank].operations;
  if (!operations.empty() && operations.back().kind == kind && !options_.every_layer) {
    operations.back().duration_ns += duration_ns;
    operations.back().node = node;
  } else if (duration_ns > 0) {
    operations.push_back({kind, 0, 0, duration_ns, node});
  }
}

std::uint64_t ProgramMaker::call_ns(const Message& message, bool sends) const {
  const bool between_boards =
      program_.ranks[message.source].placement.device != program_.ranks[message.destination].placement.device;
  std::uint64_t copied = between_boards ? message.bytes : 0;
  const double byte_s = sends ? machine_.send_byte_s : machine_.receive_byte_s;
  // Under Progress::calls the rest is copied where its rank looks at the messages.
  if (options_.progress == Progress::calls) copied = sends ? std::min(copied, machine_.eager_bytes) : 0;
  return static_cast<std::uint64_t>(std::llround((machine_.message_s + static_cast<double>(copied) * byte_s) * 1e9));
}

}  // namespace spillway::pipeline
