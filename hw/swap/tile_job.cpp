#include "hw/swap/tile_job.hpp"

#include "hw/swap/card_map.hpp"

namespace spillway::execution {
namespace {

using core::Layer;
using core::Part;
using core::Plan;
using core::Region;
using core::Task;

constexpr std::uint32_t most(std::uint32_t a, std::uint32_t b) {
  return a > b ? a : b;
}

/// Adds patches to a job and the buffers that they lie in.
class Patches {
 public:
  Patches(const Plan& plan, const core::Scheduler& scheduler, const Task& task, const Pools& pools,
          const JobStorage& storage)
      : plan_(plan),
        layer_(plan.layers[task.layer]),
        scheduler_(scheduler),
        task_(task),
        pools_(pools),
        storage_(storage) {
    for (core::BufferIndex at = scheduler.grant(task).input; at != core::no_buffer; at = scheduler.next_buffer(at))
      storage_.buffers[buffers_++] = pools.input + std::uint64_t{at} * pools.buffer_bytes;
  }

  std::uint32_t count() const { return count_; }

  void add(const Part& part) {
    if (part.resident) {
      add_kept(part);
    } else if (core::part_exists(layer_, part, task_.tile)) {
      const Region box = core::input_region(layer_, part, task_.tile);
      storage_.patches[count_++] = {box, {storage_.buffers.data(), pools_.buffer_bytes}, packed_};
      packed_ += static_cast<std::uint32_t>(box.elements() * layer_.element_bytes);
    }
  }

 private:
  /// A patch for each tile that the producer has kept and the tile reads any of.
  void add_kept(const Part& part) {
    const Layer& producer = plan_.layers[part.producer];
    const Region need = core::input_region(layer_, part, task_.tile);
    std::uint32_t element = part.first_channel;
    for (std::uint32_t tile = 0; tile < producer.tiles(); ++tile) {
      Region box = core::output_region(producer, tile);
      if (layer_.flattened) {
        // The vector is the kept tiles one after the other.
        const auto elements = static_cast<std::uint32_t>(box.elements());
        box = {{element, element + elements}, {0, 1}, {0, 1}};
        element += elements;
      } else {
        core::shift(box.channels, part.first_channel - part.producer_channel);
        if (core::common(box.channels, need.channels).empty() || core::common(box.rows, need.rows).empty() ||
            core::common(box.columns, need.columns).empty())
          continue;
      }
      const std::int8_t** const buffer = &storage_.buffers[buffers_++];
      *buffer = pools_.output + std::uint64_t{scheduler_.kept_buffer(tile)} * pools_.buffer_bytes;
      storage_.patches[count_++] = {box, {buffer, pools_.buffer_bytes}, 0};
    }
  }

  const Plan& plan_;
  const Layer& layer_;
  const core::Scheduler& scheduler_;
  const Task& task_;
  const Pools& pools_;
  const JobStorage& storage_;
  std::uint32_t buffers_ = 0, count_ = 0, packed_ = 0;
};

void set_chunk(TileJob& job, const Layer& layer, std::uint32_t channels) {
  job.filters = job.output_box.channels;
  if (!layer.has_weights()) return;
  const std::uint32_t block = job.task.index / layer.pieces, piece = job.task.index - block * layer.pieces;
  const std::uint32_t first = job.output_box.channels.first + block * layer.chunk_filters;
  job.filters = {first, first + core::filters_of(layer, job.task.tile, job.task.index)};
  // Filters are cut between channels: a piece's share of the channels is its share of the bytes.
  const std::uint32_t channel_bytes = layer.filter_bytes / channels;
  const std::uint32_t first_channel = piece * (layer.piece_bytes / channel_bytes);
  job.filter_channels = {first_channel, first_channel + piece_bytes_of(layer, piece) / channel_bytes};
}

}  // namespace

JobSize job_size(const Plan& plan) {
  JobSize size{1, 1, 1};
  for (const Layer& layer : plan.layers) {
    std::uint32_t kept = 0;
    for (const Part& part : plan.parts.subspan(layer.first_part, layer.parts))
      kept += part.resident ? plan.layers[part.producer].tiles() : 0;
    size.buffers = most(size.buffers, layer.input_buffers + kept);
    size.patches = most(size.patches, layer.parts + kept);
    size.parts = most(size.parts, layer.parts);
  }
  return size;
}

void prepare(TileJob& job, const Plan& plan, const LayerOperator& layer_operator, const core::Scheduler& scheduler,
             const Task& task, const Pools& pools, const JobStorage& storage) {
  const Layer& layer = plan.layers[task.layer];
  const core::Grant grant = scheduler.grant(task);
  job = {};
  job.task = task;
  job.output_box = core::output_region(layer, task.tile);
  job.output = pools.output + std::uint64_t{grant.output} * pools.buffer_bytes;
  if (grant.weights != core::no_buffer) job.weights = pools.weights + std::uint64_t{grant.weights} * pools.buffer_bytes;
  if (layer.pieces > 1) {
    const std::uint32_t pixels = job.output_box.rows.size() * job.output_box.columns.size();
    job.sums = reinterpret_cast<std::int32_t*>(job.output + pools.buffer_bytes) - pixels;
  }
  set_chunk(job, layer, layer_operator.filter_channels);

  Patches patches(plan, scheduler, task, pools, storage);
  std::uint32_t parts = 0, operand = 0;
  for (const Part& part : plan.parts.subspan(layer.first_part, layer.parts)) {
    if (part.channels == 0) continue;
    // Each operand's parts begin with channel 0.
    if (part.first_channel == 0 && parts != 0) job.operand_end[operand++] = patches.count();
    patches.add(part);
    storage.parts[parts++] = {part.first_channel, part.first_channel + part.channels};
  }
  job.operand_end[operand] = patches.count();
  job.operands = operand + 1;
  job.patches = storage.patches.first(patches.count());
  job.parts = storage.parts.first(parts);
}

std::span<std::int8_t* const> buffers_of(const core::Scheduler& scheduler, const Task& task, const Pools& pools,
                                         std::span<std::int8_t*> storage) {
  const core::Grant grant = scheduler.grant(task);
  std::uint32_t count = 0;
  switch (task.kind) {
    case core::TaskKind::read_input:
      for (core::BufferIndex at = grant.input; at != core::no_buffer; at = scheduler.next_buffer(at))
        storage[count++] = pools.input + std::uint64_t{at} * pools.buffer_bytes;
      break;
    case core::TaskKind::read_weights:
      storage[count++] = pools.weights + std::uint64_t{grant.weights} * pools.buffer_bytes;
      break;
    case core::TaskKind::write_output:
      storage[count++] = pools.output + std::uint64_t{grant.output} * pools.buffer_bytes;
      break;
    case core::TaskKind::compute:
      break;
  }
  return storage.first(count);
}

}  // namespace spillway::execution
