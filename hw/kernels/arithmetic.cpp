#include "hw/kernels/arithmetic.hpp"

#include <algorithm>
#include <cmath>

namespace spillway::kernels {
namespace {

template <typename Compute>
void each(const float* input, float* output, std::int64_t count, Compute compute) {
  for (std::int64_t i = 0; i < count; ++i)
    output[i] = compute(input[i]);
}

float clamp(float x, float least, float most) {
  const float raised = x < least ? least : x;  // keeps a NaN
  return raised > most ? most : raised;
}

}  // namespace

void activate(const Activation& activation, const float* input, float* output, std::int64_t count) {
  const float a = activation.a, b = activation.b;
  const auto with = [&](auto compute) { each(input, output, count, compute); };
  switch (activation.function) {
    case Function::none:
      if (input != output) std::copy_n(input, count, output);
      return;
    case Function::relu:
      return with([](float x) { return x < 0 ? 0.0F : x; });
    case Function::clip:
      return with([a, b](float x) { return clamp(x, a, b); });
    case Function::leaky_relu:
      return with([a](float x) { return x < 0 ? a * x : x; });
    case Function::elu:
      return with([a](float x) { return x < 0 ? a * (std::exp(x) - 1) : x; });
    case Function::selu:
      return with([a, b](float x) { return b * (x > 0 ? x : a * std::exp(x) - a); });
    case Function::celu:
      return with([a](float x) { return x < 0 ? a * (std::exp(x / a) - 1) : x; });
    case Function::thresholded:
      return with([a](float x) { return x > a ? x : 0.0F; });
    case Function::shrink:
      return with([a, b](float x) { return x < -a ? x + b : x > a ? x - b : 0.0F; });
    case Function::sigmoid:
      return with([](float x) { return 1 / (1 + std::exp(-x)); });
    case Function::hard_sigmoid:
      return with([a, b](float x) { return clamp(a * x + b, 0, 1); });
    case Function::hard_swish:
      return with([](float x) { return x * clamp(x * (1.0F / 6) + 0.5F, 0, 1); });
    case Function::tanh:
      return with([](float x) { return std::tanh(x); });
    case Function::softplus:
      return with([](float x) { return std::log1p(std::exp(x)); });
    case Function::softsign:
      return with([](float x) { return x / (1 + std::abs(x)); });
    case Function::exponential:
      return with([](float x) { return std::exp(x); });
    case Function::logarithm:
      return with([](float x) { return std::log(x); });
    case Function::square_root:
      return with([](float x) { return std::sqrt(x); });
    case Function::reciprocal:
      return with([](float x) { return 1 / x; });
    case Function::absolute:
      return with([](float x) { return std::abs(x); });
    case Function::negative:
      return with([](float x) { return -x; });
    case Function::sign:
      return with([](float x) { return x > 0 ? 1.0F : x < 0 ? -1.0F : x; });
    case Function::floor:
      return with([](float x) { return std::floor(x); });
    case Function::ceiling:
      return with([](float x) { return std::ceil(x); });
    case Function::round:
      return with([](float x) { return std::nearbyint(x); });
    case Function::error_function:
      return with([](float x) { return std::erf(x); });
    case Function::sine:
      return with([](float x) { return std::sin(x); });
    case Function::cosine:
      return with([](float x) { return std::cos(x); });
    case Function::tangent:
      return with([](float x) { return std::tan(x); });
    case Function::arc_sine:
      return with([](float x) { return std::asin(x); });
    case Function::arc_cosine:
      return with([](float x) { return std::acos(x); });
    case Function::arc_tangent:
      return with([](float x) { return std::atan(x); });
    case Function::hyperbolic_sine:
      return with([](float x) { return std::sinh(x); });
    case Function::hyperbolic_cosine:
      return with([](float x) { return std::cosh(x); });
    case Function::inverse_hyperbolic_sine:
      return with([](float x) { return std::asinh(x); });
    case Function::inverse_hyperbolic_cosine:
      return with([](float x) { return std::acosh(x); });
    case Function::inverse_hyperbolic_tangent:
      return with([](float x) { return std::atanh(x); });
  }
}

void scale_and_shift(const float* input, float scale, float shift, float* output, std::int64_t count) {
  each(input, output, count, [scale, shift](float x) { return multiply_add(x, scale, shift); });
}

void finish_row(const RowEnd& end, const Activation& activation, float* row, std::int64_t count) {
  if (end.bias != nullptr) each(row, row, count, [bias = *end.bias](float x) { return x + bias; });
  if (end.scale != nullptr) scale_and_shift(row, *end.scale, *end.shift, row, count);
  if (end.residual != nullptr)
    for (std::int64_t i = 0; i < count; ++i)
      row[i] += end.residual[i];
  activate(activation, row, row, count);
}

}  // namespace spillway::kernels
