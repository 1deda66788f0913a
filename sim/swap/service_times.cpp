#include "sim/swap/service_times.hpp"

#include <cmath>
#include <stdexcept>

#include "sim/core/geometry.hpp"

namespace spillway::swap {

std::uint64_t round_to_10_ns(double seconds) {
  const double tens = std::round(seconds * 1e8);
  if (!(tens >= 0 && tens < 9.2e17)) throw std::invalid_argument("a task's time is not between 0 s and 292 years");
  return static_cast<std::uint64_t>(tens) * 10;
}

namespace {

struct Costs {
  const core::Plan& plan;
  const platforms::Board& board;
  const platforms::Card& card;
  double cpu_s_per_byte = 0, accelerator_s_per_byte = 0;

  std::uint64_t cpu_crypto_ns(std::uint64_t bytes) const {
    return round_to_10_ns(static_cast<double>(bytes) * cpu_s_per_byte);
  }

  ServiceTimes::Service of(const core::Task& task) const {
    if (task.kind == core::TaskKind::compute) {
      const auto work = static_cast<double>(core::work_of(plan, task));
      const auto work_class = static_cast<std::size_t>(plan.layers[task.layer].work_class);
      return {round_to_10_ns(board.compute_overhead.value + work / board.rates[work_class].value), 0};
    }
    const std::uint64_t bytes = core::bytes_of(plan, task);
    const auto charged = static_cast<double>(card.full_buffers ? plan.buffer_bytes : bytes);
    const bool write = task.kind == core::TaskKind::write_output;
    const double overhead = (write ? card.write_overhead : card.read_overhead).value;
    const double bandwidth = (write ? card.write_bandwidth : card.read_bandwidth).value;
    const std::uint64_t crypto_ns = round_to_10_ns(static_cast<double>(bytes) * accelerator_s_per_byte);
    return {round_to_10_ns(overhead + charged / bandwidth) + crypto_ns, bytes};
  }
};

double cost_of(const std::optional<platforms::Figure>& cost, const platforms::Board& board, const char* key) {
  if (!cost) throw std::invalid_argument("board " + board.name + " states no crypto." + key);
  return cost->value;
}

}  // namespace

ServiceTimes::ServiceTimes(const core::Plan& plan, const platforms::Board& board, const platforms::Card& card,
                           Crypto crypto)
    : contention_thousandths_(static_cast<std::uint32_t>(std::lround(board.contention.value * 1000))) {
  Costs costs{plan, board, card};
  if (crypto == Crypto::cpu) costs.cpu_s_per_byte = cost_of(board.crypto.cpu, board, "cpu_cost");
  if (crypto == Crypto::accelerator) {
    costs.accelerator_s_per_byte = cost_of(board.crypto.accelerator, board, "accelerator_cost");
  }
  layers_.resize(plan.layers.size());
  for (std::size_t row = 0; row < plan.layers.size(); ++row) {
    const core::Layer& layer = plan.layers[row];
    LayerTimes& times = layers_[row];
    times.pieces = layer.pieces;
    times.parts = layer.parts;
    if (layer.weight_pins != 0) times.resident_for = layer.group_tiles();
    times.first_tile = tile_kind_.size();
    times.first_input = input_.size();
    core::Task task;
    task.layer = static_cast<core::LayerIndex>(row);
    for (task.tile = 0; task.tile < layer.tiles(); ++task.tile) {
      const core::TilePosition at = core::position_of(layer, task.tile);
      const unsigned kind = (at.column + 1 == layer.columns ? 1U : 0U) | (at.row + 1 == layer.rows ? 2U : 0U) |
                            (at.group + 1 == layer.groups ? 4U : 0U);
      tile_kind_.push_back(static_cast<std::uint8_t>(kind));
      task.kind = core::TaskKind::read_input;
      std::uint64_t input_bytes = 0;
      for (task.index = 0; task.index < layer.parts; ++task.index) {
        input_.push_back(costs.of(task));
        input_bytes += input_.back().bytes;
      }
      if (crypto == Crypto::cpu) input_crypto_ns_.push_back(costs.cpu_crypto_ns(input_bytes));
      // Of a group's tiles the first one, which alone reads the weights where they stay, is the first of its kind.
      if (times.chunks[kind] != 0) continue;

      const std::uint32_t chunks = times.chunks[kind] = core::chunks_of(layer, task.tile);
      times.compute[kind].resize(2 * std::size_t{layer.pieces});
      times.weights[kind].resize(2 * std::size_t{layer.pieces});
      if (layer.weight_pins != 0) times.weights_crypto_ns[kind].resize(2 * std::size_t{layer.pieces});
      for (const std::uint32_t block : {0U, chunks / layer.pieces - 1}) {
        for (std::uint32_t piece = 0; piece < layer.pieces; ++piece) {
          task.index = block * layer.pieces + piece;
          const std::uint32_t chunk = chunk_kind(times, chunks, task.index);
          task.kind = core::TaskKind::compute;
          times.compute[kind][chunk] = costs.of(task);
          task.kind = core::TaskKind::read_weights;
          if (!layer.has_weights()) continue;
          times.weights[kind][chunk] = costs.of(task);
          const std::uint64_t crypto_ns = costs.cpu_crypto_ns(times.weights[kind][chunk].bytes);
          if (layer.weight_pins == 0) {
            times.compute[kind][chunk].duration_ns += crypto_ns;
          } else {
            times.weights_crypto_ns[kind][chunk] = crypto_ns;
          }
        }
      }
      task.index = 0;
      task.kind = core::TaskKind::write_output;
      times.output[kind] = costs.of(task);
      times.output_crypto_ns[kind] = costs.cpu_crypto_ns(times.output[kind].bytes);
    }
  }
}

ServiceTimes::Service ServiceTimes::of(const core::Task& task) const {
  const LayerTimes& layer = layers_[task.layer];
  if (task.kind == core::TaskKind::read_input) {
    return input_[layer.first_input + std::size_t{task.tile} * layer.parts + task.index];
  }
  const unsigned kind = tile_kind_[layer.first_tile + task.tile];
  if (task.kind == core::TaskKind::write_output) return layer.output[kind];
  const std::uint32_t chunk = chunk_kind(layer, layer.chunks[kind], task.index);
  if (task.kind == core::TaskKind::read_weights) return layer.weights[kind][chunk];
  Service compute = layer.compute[kind][chunk];
  if (!input_crypto_ns_.empty()) {
    if (task.index == 0) compute.duration_ns += input_crypto_ns_[layer.first_tile + task.tile];
    if (layer.resident_for != 0 && task.tile % layer.resident_for == 0) {
      compute.duration_ns += layer.weights_crypto_ns[kind][chunk];
    }
    if (task.index + 1 == layer.chunks[kind]) compute.duration_ns += layer.output_crypto_ns[kind];
  }
  return compute;
}

}  // namespace spillway::swap
