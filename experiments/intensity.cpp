#include "experiments/intensity.hpp"

#include <cstddef>

#include "sim/tiling/counts.hpp"

namespace spillway::experiments {

std::string_view to_string(Bound bound) {
  switch (bound) {
    case Bound::compute:
      return "compute-bound";
    case Bound::io:
      return "IO-bound";
    case Bound::depends:
      return "depends";
  }
  return "";
}

Bound Intensity::over_published_range() const {
  const double intensity = static_cast<double>(work) / static_cast<double>(moved_bytes());
  const double lowest = intensity / highest_published_macs_per_s * lowest_published_io_per_s;
  const double highest = intensity / lowest_published_macs_per_s * highest_published_io_per_s;
  if (lowest > 1) return Bound::compute;
  return highest > 1 ? Bound::depends : Bound::io;
}

std::vector<Intensity> intensities(const models::Network& network, const std::vector<tiling::SwapLayer>& layers,
                                   models::ElementType element, const platforms::Board& board,
                                   const platforms::Card& card) {
  const auto bytes = static_cast<std::uint64_t>(models::bytes_of(element));
  std::vector<Intensity> result;
  for (const tiling::SwapLayer& layer : layers) {
    const std::uint64_t inputs =
        std::uint64_t{layer.input_channels} * layer.input_height * layer.input_width * layer.operands;
    const std::uint64_t outputs = std::uint64_t{layer.channels} * layer.height * layer.width;
    Intensity one;
    one.work = outputs * layer.filter_work;
    one.input_bytes = inputs * bytes;
    one.weight_bytes = static_cast<std::uint64_t>(network.weight_bytes(layer.node, element));
    one.output_bytes = outputs * bytes;
    one.compute_s = static_cast<double>(one.work) / board.rates[static_cast<std::size_t>(layer.work_class)].value;
    one.io_s = static_cast<double>(one.input_bytes + one.weight_bytes) / card.read_bandwidth.value +
               static_cast<double>(one.output_bytes) / card.write_bandwidth.value;
    result.push_back(one);
  }
  return result;
}

std::vector<CountedLayer> counted_layers(const models::Network& network, models::ElementType element,
                                         const platforms::Board& board, const platforms::Card& card) {
  const std::vector<tiling::SwapLayer> layers = tiling::lower(network);
  const std::vector<Intensity> all = intensities(network, layers, element, board, card);
  std::vector<CountedLayer> counted;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].has_weights()) counted.push_back({layers[i].node, layers[i].work_class, all[i]});
  }
  return counted;
}

double io_s_of(const tiling::SwapPlan& plan, std::size_t layer, const platforms::Card& card) {
  const core::Plan view = plan.view();
  const auto index = static_cast<core::LayerIndex>(layer);
  const tiling::TaskCounts tasks = tiling::count_tasks(view, index);
  const tiling::Traffic moved = tiling::traffic(view, index);
  const auto reads = static_cast<double>(tasks.read_input + tasks.read_weights);
  const auto writes = static_cast<double>(tasks.write_output);
  const auto buffer = static_cast<double>(plan.request.buffer_bytes);
  const double read_bytes = card.full_buffers ? reads * buffer : static_cast<double>(moved.read_bytes());
  const double written_bytes = card.full_buffers ? writes * buffer : static_cast<double>(moved.output_bytes);
  return reads * card.read_overhead.value + read_bytes / card.read_bandwidth.value +
         writes * card.write_overhead.value + written_bytes / card.write_bandwidth.value;
}

BoundTimes times_by_bound(const std::vector<CountedLayer>& layers, const tiling::SwapPlan& plan,
                          const platforms::Card& card) {
  BoundTimes times;
  for (const CountedLayer& layer : layers) {
    double io_s = 0;
    for (std::size_t i = 0; i < plan.layers.size(); ++i) {
      if (plan.layer_nodes[i] == layer.node) io_s += io_s_of(plan, i, card);
    }
    const bool compute_bound = layer.intensity.compute_bound();
    (compute_bound ? times.compute_bound_compute_s : times.io_bound_compute_s) += layer.intensity.compute_s;
    (compute_bound ? times.compute_bound_io_s : times.io_bound_io_s) += io_s;
  }
  return times;
}

}  // namespace spillway::experiments
