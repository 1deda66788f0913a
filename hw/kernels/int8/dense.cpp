#include "hw/kernels/int8/arithmetic.hpp"
#include "hw/kernels/int8/input_rows.hpp"
#include "hw/kernels/int8/run.hpp"

namespace spillway::int8 {
namespace {

template <int filters>
void compute(const Dense& layer, const Input& input, const Chunk& chunk, const Output& output, std::uint32_t first) {
  const std::uint32_t place = first - chunk.filters.first;
  const std::int8_t* weights[filters];
  std::int32_t sums[filters];
  for (int f = 0; f < filters; ++f) {
    weights[f] = chunk.weights + (place + static_cast<std::uint32_t>(f)) * chunk.channels.size();
    sums[f] = chunk.channels.first == 0 ? layer.channels[first + static_cast<std::uint32_t>(f)].bias
                                        : output.sums[place + static_cast<std::uint32_t>(f)];
  }
  const auto take = [&](const std::int8_t* run, std::uint32_t count) {
    multiply_bytes<filters>(weights, run, count, sums);
    for (int f = 0; f < filters; ++f)
      weights[f] += count;
  };
  read_column(input, 0, 0, chunk.channels, take);
  for (int f = 0; f < filters; ++f) {
    const std::uint32_t filter = first + static_cast<std::uint32_t>(f);
    if (chunk.channels.last != layer.inputs)
      output.sums[place + static_cast<std::uint32_t>(f)] = sums[f];
    else
      output.values[filter - output.box.channels.first] =
          requantize(sums[f], layer.channels[filter].rescale, layer.clamp);
  }
}

}  // namespace

void multiply(const Dense& layer, const Input& input, const Chunk& chunk, const Output& output) {
  std::uint32_t filter = chunk.filters.first;
  for (; filter + 4 <= chunk.filters.last; filter += 4)
    compute<4>(layer, input, chunk, output, filter);
  for (; filter < chunk.filters.last; ++filter)
    compute<1>(layer, input, chunk, output, filter);
}

}  // namespace spillway::int8
