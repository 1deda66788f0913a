#include "hw/kernels/int8/arithmetic.hpp"
#include "hw/kernels/int8/input_rows.hpp"
#include "hw/kernels/int8/run.hpp"

namespace spillway::int8 {
namespace {

class DenseCall {
 public:
  DenseCall(const Dense& layer, const Input& input, const Chunk& chunk, const Output& output)
      : layer_(layer), input_(input), chunk_(chunk), output_(output), filter_bytes_(chunk.channels.size()) {}

  void compute_four(std::uint32_t filter) const {
    std::int32_t sums[4];
    for (std::uint32_t f = 0; f < 4; ++f)
      sums[f] = begin(filter + f);
    const std::int8_t* weights = weights_of(filter);
    const auto take = [&](const std::int8_t* run, std::uint32_t count) {
      multiply_bytes(weights, filter_bytes_, run, count, sums);
      weights += count;
    };
    read_column(input_, 0, 0, chunk_.channels, take);
    for (std::uint32_t f = 0; f < 4; ++f)
      end(filter + f, sums[f]);
  }

  void compute_one(std::uint32_t filter) const {
    std::int32_t sum = begin(filter);
    const std::int8_t* weights = weights_of(filter);
    const auto take = [&](const std::int8_t* run, std::uint32_t count) {
      sum = multiply_bytes(weights, run, count, sum);
      weights += count;
    };
    read_column(input_, 0, 0, chunk_.channels, take);
    end(filter, sum);
  }

 private:
  const std::int8_t* weights_of(std::uint32_t filter) const {
    return chunk_.weights + (filter - chunk_.filters.first) * filter_bytes_;
  }

  std::int32_t begin(std::uint32_t filter) const {
    return chunk_.channels.first == 0 ? layer_.channels[filter].bias : output_.sums[filter - chunk_.filters.first];
  }

  void end(std::uint32_t filter, std::int32_t sum) const {
    if (chunk_.channels.last != layer_.inputs)
      output_.sums[filter - chunk_.filters.first] = sum;
    else
      output_.values[filter - output_.box.channels.first] =
          Requantizer(layer_.channels[filter].rescale, layer_.clamp)(sum);
  }

  const Dense& layer_;
  const Input& input_;
  const Chunk& chunk_;
  const Output& output_;
  std::uint32_t filter_bytes_;
};

}  // namespace

void multiply(const Dense& layer, const Input& input, const Chunk& chunk, const Output& output) {
  const DenseCall call(layer, input, chunk, output);
  std::uint32_t filter = chunk.filters.first;
  for (; filter + 4 <= chunk.filters.last; filter += 4)
    call.compute_four(filter);
  for (; filter < chunk.filters.last; ++filter)
    call.compute_one(filter);
}

}  // namespace spillway::int8
