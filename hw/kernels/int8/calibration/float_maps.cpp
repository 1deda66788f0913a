#include "hw/kernels/int8/calibration/float_maps.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "models/quantized/range.hpp"

namespace spillway::int8 {
namespace {

/// Fused only where nobody wants to see what is between.
kernels::Program program_of(const quantized::FoldedNetwork& folded) {
  std::vector<std::string> values;
  for (const quantized::Row& row : quantized::rows_of(folded.network))
    values.push_back(folded.network.node(row.value).name);
  kernels::Program program = kernels::lower(folded.network, folded.weights, values);
  kernels::fuse(program);
  return program;
}

}  // namespace

FloatMaps::FloatMaps(const quantized::FoldedNetwork& folded)
    : session_(program_of(folded), {1, kernels::Backend::eigen}) {}

void FloatMaps::run(std::span<const float> input) {
  std::ranges::copy(input, session_.input(0).begin());
  session_.run();
}

std::vector<float> ranges_of(const quantized::FoldedNetwork& folded, std::span<const float> frames,
                             const RangeChoice& choice) {
  const models::Network& network = folded.network;
  const std::vector<quantized::Row> rows = quantized::rows_of(network);
  models::NodeId input = 0;
  while (network.node(input).op != models::Operator::input)
    ++input;
  const auto frame = static_cast<std::size_t>(network.node(input).output.elements());

  FloatMaps maps(folded);
  quantized::RangeObserver seen;
  std::vector<quantized::RangeObserver> observers(rows.size());
  for (std::size_t first = 0; first < frames.size(); first += frame) {
    const std::span<const float> numbers = frames.subspan(first, frame);
    seen.add(numbers);
    maps.run(numbers);
    for (std::size_t row = 0; row < rows.size(); ++row)
      observers[row].add(maps.map(row));
  }
  std::vector<float> ranges(network.nodes().size(), 0.0F);
  const auto take = [&](models::NodeId id, const quantized::RangeObserver& observer) {
    if (observer.not_finite() != 0)
      throw std::invalid_argument(
          fmt::format("node '{}': {} numbers are not finite; expected finite ones to calibrate "
                      "with",
                      network.node(id).name, observer.not_finite()));
    ranges[id] = observer.covering(choice.share);
  };
  take(input, seen);
  for (std::size_t row = 0; row < rows.size(); ++row)
    take(rows[row].value, observers[row]);
  return ranges;
}

void NoiseMeter::add(std::span<const float> exact, std::span<const float> quantized) {
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double number = exact[i], difference = number - quantized[i];
    signal_ += number * number;
    noise_ += difference * difference;
  }
}

double NoiseMeter::decibels() const {
  return noise_ == 0 ? HUGE_VAL : 10 * std::log10(signal_ / noise_);
}

}  // namespace spillway::int8
