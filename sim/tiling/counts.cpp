#include "sim/tiling/counts.hpp"

#include "sim/core/geometry.hpp"

namespace spillway::tiling {
namespace {

/// Parts of a layer that have something to give to a tile; the same for all tiles of a group of channels.
std::uint64_t parts_of(const core::Plan& plan, const core::Layer& layer, std::uint32_t tile) {
  std::uint64_t count = 0;
  for (const core::Part& part : plan.parts.subspan(layer.first_part, layer.parts)) {
    if (core::part_exists(layer, part, tile)) ++count;
  }
  return count;
}

template <class Sum>
Sum over_layers(const core::Plan& plan, Sum (*of_layer)(const core::Plan&, core::LayerIndex)) {
  Sum sum;
  for (std::size_t layer = 0; layer < plan.layers.size(); ++layer) {
    sum += of_layer(plan, static_cast<core::LayerIndex>(layer));
  }
  return sum;
}

}  // namespace

TaskCounts& TaskCounts::operator+=(const TaskCounts& other) {
  read_input += other.read_input;
  read_weights += other.read_weights;
  compute += other.compute;
  write_output += other.write_output;
  return *this;
}

TaskCounts count_tasks(const core::Plan& plan, core::LayerIndex index) {
  const core::Layer& layer = plan.layers[index];
  const std::uint64_t map_tiles = std::uint64_t{layer.rows} * layer.columns;
  TaskCounts counts;
  for (std::uint32_t group = 0; group < layer.groups; ++group) {
    const auto tile = static_cast<std::uint32_t>(group * map_tiles);
    const std::uint64_t chunks = map_tiles * core::chunks_of(layer, tile);
    counts.read_input += map_tiles * parts_of(plan, layer, tile);
    const std::uint64_t readers = layer.weight_pins != 0 ? 1 : map_tiles;
    counts.read_weights += layer.has_weights() ? readers * core::chunks_of(layer, tile) : 0;
    counts.compute += chunks;
    counts.write_output += layer.output_pins != 0 ? 0 : map_tiles;
  }
  return counts;
}

TaskCounts count_tasks(const core::Plan& plan) {
  return over_layers<TaskCounts>(plan, count_tasks);
}

std::uint64_t io_tasks(const core::Plan& plan) {
  return count_tasks(plan).io();
}

std::uint64_t compute_tasks(const core::Plan& plan) {
  return count_tasks(plan).compute;
}

Traffic& Traffic::operator+=(const Traffic& other) {
  input_bytes += other.input_bytes;
  weight_bytes += other.weight_bytes;
  output_bytes += other.output_bytes;
  work += other.work;
  return *this;
}

Traffic traffic(const core::Plan& plan, core::LayerIndex index) {
  using core::TaskKind;
  const core::Layer& layer = plan.layers[index];
  Traffic sum;
  for (std::uint32_t tile = 0; tile < layer.tiles(); ++tile) {
    for (std::uint32_t part = 0; part < layer.parts; ++part) {
      sum.input_bytes += core::bytes_of(plan, {0, tile, part, index, TaskKind::read_input});
    }
    const std::uint32_t chunks = core::chunks_of(layer, tile);
    for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
      if (layer.has_weights()) {
        sum.weight_bytes += core::bytes_of(plan, {0, tile, chunk, index, TaskKind::read_weights});
      }
      sum.work += core::work_of(plan, {0, tile, chunk, index, TaskKind::compute});
    }
    sum.output_bytes += core::bytes_of(plan, {0, tile, 0, index, TaskKind::write_output});
  }
  return sum;
}

Traffic traffic(const core::Plan& plan) {
  return over_layers<Traffic>(plan, traffic);
}

Traffic tensors_once(const core::Plan& plan, core::LayerIndex index) {
  const core::Layer& layer = plan.layers[index];
  const std::uint64_t output = std::uint64_t{layer.channels} * layer.height * layer.width;
  Traffic once;
  for (const core::Part& part : plan.parts.subspan(layer.first_part, layer.parts)) {
    const std::uint64_t pixels = layer.flattened ? 1 : std::uint64_t{layer.input_height} * layer.input_width;
    once.input_bytes += part.channels * pixels * layer.element_bytes;
  }
  once.weight_bytes = std::uint64_t{layer.channels} * layer.filter_bytes;
  once.output_bytes = output * layer.element_bytes;
  once.work = output * layer.filter_work;
  return once;
}

Traffic tensors_once(const core::Plan& plan) {
  return over_layers<Traffic>(plan, tensors_once);
}

}  // namespace spillway::tiling
