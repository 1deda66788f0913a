#include <algorithm>
#include <cmath>
#include <limits>

#include "hw/kernels/parallel.hpp"

namespace spillway::kernels {
namespace {

/// Offsets of the elements of one set of axes: the kept or the reduced ones.
class Axes {
 public:
  Axes(const Reduction& layer, bool reduced) : layer_(layer), reduced_(reduced) {
    for (std::size_t axis = 0; axis < layer.extents.size(); ++axis)
      if (layer.reduced[axis] == reduced) count_ *= layer.extents[axis];
  }

  std::int64_t count() const { return count_; }

  std::int64_t offset(std::int64_t number) const {
    std::int64_t offset = 0, stride = 1;
    for (std::size_t axis = layer_.extents.size(); axis-- > 0; stride *= layer_.extents[axis]) {
      if (layer_.reduced[axis] != reduced_) continue;
      offset += number % layer_.extents[axis] * stride;
      number /= layer_.extents[axis];
    }
    return offset;
  }

 private:
  const Reduction& layer_;
  bool reduced_;
  std::int64_t count_ = 1;
};

double first_of(Reduced kind) {
  if (kind == Reduced::maximum) return -std::numeric_limits<double>::infinity();
  if (kind == Reduced::minimum) return std::numeric_limits<double>::infinity();
  return kind == Reduced::product ? 1 : 0;
}

double merged(Reduced kind, double so_far, double number) {
  switch (kind) {
    case Reduced::maximum:
      return std::max(so_far, number);
    case Reduced::minimum:
      return std::min(so_far, number);
    case Reduced::product:
      return so_far * number;
    case Reduced::l1:
      return so_far + std::abs(number);
    case Reduced::l2:
    case Reduced::sum_of_squares:
      return so_far + number * number;
    case Reduced::log_sum_exp:
      return so_far + std::exp(number);
    case Reduced::sum:
    case Reduced::mean:
    case Reduced::log_sum:
      break;
  }
  return so_far + number;
}

double finished(Reduced kind, double all, std::int64_t count) {
  if (kind == Reduced::mean) return all / static_cast<double>(count);
  if (kind == Reduced::l2) return std::sqrt(all);
  if (kind == Reduced::log_sum || kind == Reduced::log_sum_exp) return std::log(all);
  return all;
}

}  // namespace

void run(const Reduction& layer, const float* input, float* output, const Execution& execution) {
  const Axes kept(layer, false), reduced(layer, true);
  for_each_block(kept.count(), execution, [&](std::int64_t block, int) {
    const float* from = input + kept.offset(block);
    double all = first_of(layer.kind);
    for (std::int64_t element = 0; element < reduced.count(); ++element)
      all = merged(layer.kind, all, static_cast<double>(from[reduced.offset(element)]));
    output[block] = static_cast<float>(finished(layer.kind, all, reduced.count()));
  });
}

}  // namespace spillway::kernels
