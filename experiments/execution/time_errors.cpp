#include "experiments/execution/time_errors.hpp"

#include <cmath>

namespace spillway::experiments {
namespace {

template <class Part>
double error_of(std::span<const LayerTime> foretold, std::span<const LayerTime> measured, Part part) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t row = 0; row < measured.size(); ++row) {
    const auto was = static_cast<double>(part(measured[row]));
    if (was == 0) continue;
    sum += std::abs(static_cast<double>(part(foretold[row])) / was - 1);
    ++count;
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

}  // namespace

std::vector<LayerTime> measured_layers(std::size_t rows, std::span<const trace::Record> records) {
  std::vector<LayerTime> layers(rows);
  for (const trace::Record& record : records) {
    LayerTime& layer = layers[record.task.layer];
    (core::is_io(record.task.kind) ? layer.io : layer.compute) += record.end_ns - record.start_ns;
  }
  return layers;
}

std::vector<LayerTime> foretold_layers(std::size_t rows, std::span<const trace::Record> records,
                                       const std::function<std::uint64_t(const core::Task&)>& duration_ns) {
  std::vector<LayerTime> layers(rows);
  for (const trace::Record& record : records) {
    LayerTime& layer = layers[record.task.layer];
    (core::is_io(record.task.kind) ? layer.io : layer.compute) += duration_ns(record.task);
  }
  return layers;
}

LayerErrors errors_of(std::span<const LayerTime> foretold, std::span<const LayerTime> measured) {
  return {error_of(foretold, measured, [](const LayerTime& layer) { return layer.io; }),
          error_of(foretold, measured, [](const LayerTime& layer) { return layer.compute; }),
          error_of(foretold, measured, [](const LayerTime& layer) { return layer.io + layer.compute; })};
}

}  // namespace spillway::experiments
