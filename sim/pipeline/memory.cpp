#include "sim/pipeline/memory.hpp"

#include <algorithm>

namespace spillway::pipeline {
namespace {

using models::NodeId;

/// Results that are alive, by rank, as the layers run in the network's order.
class Liveness {
 public:
  Liveness(std::span<const Rank> owner, const Workload& workload, const std::vector<std::uint8_t>& buffered,
           std::size_t ranks)
      : owner_(owner), workload_(workload), buffered_(buffered), live_(ranks, 0), most_(ranks, 0) {}

  std::vector<std::uint64_t> most() {
    for (NodeId id = 0; id < workload_.size(); ++id)
      if (owner_[id] != no_rank) compute(id);
    return std::move(most_);
  }

 private:
  void compute(NodeId id) {
    const Rank rank = owner_[id];
    const Workload::Node& node = workload_.node(id);
    const auto dies = [&](NodeId operand) { return mine(operand, rank) && workload_.readers(operand).back() == id; };
    const std::span<const NodeId> operands = workload_.operands(id);
    const bool replaces = node.in_place && buffered_[id] == 0 && std::ranges::any_of(operands, [&](NodeId operand) {
                            return dies(operand) && workload_.node(operand).bytes == node.bytes;
                          });
    if (buffered_[id] == 0 && !replaces) live_[rank] += node.bytes;
    most_[rank] = std::max(most_[rank], live_[rank]);
    if (replaces) live_[rank] += node.bytes;
    NodeId last = no_node;
    for (const NodeId operand : operands) {
      if (operand == last || !dies(operand)) continue;
      live_[rank] -= workload_.node(operand).bytes;
      last = operand;
    }
  }

  /// Whether the rank keeps this result itself. What it sends or receives lies in buffers.
  bool mine(NodeId operand, Rank rank) const { return owner_[operand] == rank && buffered_[operand] == 0; }

  static constexpr NodeId no_node = static_cast<NodeId>(-1);

  std::span<const Rank> owner_;
  const Workload& workload_;
  const std::vector<std::uint8_t>& buffered_;
  std::vector<std::uint64_t> live_, most_;  ///< by rank
};

}  // namespace

std::vector<RankMemory> memory_of(const Program& program, std::span<const Rank> owner, const Workload& workload,
                                  const Machine& machine) {
  std::vector<RankMemory> memory(program.ranks.size());
  for (Rank rank = 0; rank < memory.size(); ++rank) {
    const Placement& placement = program.ranks[rank].placement;
    const DeviceModel& device = machine.devices[placement.device];
    memory[rank].process =
        static_cast<std::uint64_t>(device.process_bytes + (placement.gpu ? device.gpu_process_bytes : 0));
  }
  for (NodeId id = 0; id < workload.size(); ++id) {
    if (owner[id] == no_rank) continue;
    const bool gpu = program.ranks[owner[id]].placement.gpu;
    memory[owner[id]].weights += workload.node(id).weight_bytes * (gpu ? 2 : 1);
  }
  std::vector<std::uint8_t> buffered(workload.size(), 0);
  for (const Message& message : program.messages) {
    memory[message.destination].buffers += message.bytes * program.slots;
    if (buffered[message.node] == 0) memory[message.source].buffers += message.bytes * program.slots;
    buffered[message.node] = 1;
  }
  const std::vector<std::uint64_t> tensors = Liveness(owner, workload, buffered, memory.size()).most();
  for (Rank rank = 0; rank < memory.size(); ++rank)
    memory[rank].tensors = tensors[rank];
  return memory;
}

}  // namespace spillway::pipeline
