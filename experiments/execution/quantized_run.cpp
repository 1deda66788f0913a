#include "experiments/execution/quantized_run.hpp"

#include <variant>

#include "hw/swap/image/operators.hpp"

namespace spillway::experiments {
namespace {

using execution::Bytes;
using execution::QuantizedLayer;

/// The view of a plan that can be run.
core::Plan executable(const tiling::SwapPlan& plan) {
  if (!plan.counting_only.empty()) throw execution::NotExecutable(plan.counting_only);
  return plan.view();
}

struct NumbersOf {
  QuantizedLayer operator()(const int8::Convolution& layer) const { return {layer.channels, {}, {}, layer.clamp}; }
  QuantizedLayer operator()(const int8::Depthwise& layer) const { return {layer.channels, {}, {}, layer.clamp}; }
  QuantizedLayer operator()(const int8::Dense& layer) const { return {layer.channels, {}, {}, layer.clamp}; }
  QuantizedLayer operator()(const int8::MaxPool& layer) const { return {nullptr, {}, {}, layer.clamp}; }
  QuantizedLayer operator()(const int8::AveragePool& layer) const { return {nullptr, layer.by_count, {}, layer.clamp}; }
  QuantizedLayer operator()(const int8::Addition& layer) const {
    return {nullptr, layer.operands, layer.result, layer.clamp};
  }
};

std::vector<QuantizedLayer> layers_of(const int8::LayerTable& table) {
  std::vector<QuantizedLayer> layers;
  for (const int8::TableRow& row : table.rows())
    layers.push_back(std::visit(NumbersOf(), row.layer));
  return layers;
}

std::vector<Bytes> weights_of(const int8::LayerTable& table) {
  std::vector<Bytes> weights;
  for (const int8::TableRow& row : table.rows()) {
    if (row.weights == nullptr) {
      weights.emplace_back();
    } else {
      const std::vector<std::int8_t>& values = row.weights->weights;
      weights.emplace_back(reinterpret_cast<const std::uint8_t*>(values.data()), values.size());
    }
  }
  return weights;
}

}  // namespace

QuantizedRun::QuantizedRun(const quantized::QuantizedNetwork& network, const tiling::SwapPlan& plan)
    : view_(executable(plan)),
      table_(network),
      layers_(layers_of(table_)),
      image_(view_, network.network, plan.layer_nodes, weights_of(table_)) {}

}  // namespace spillway::experiments
