#include "hw/kernels/session/program.hpp"

#include <functional>
#include <numeric>
#include <utility>

namespace spillway::kernels {
namespace {

struct Kind {
  std::string_view operator()(const Convolution& layer) const {
    return layer.groups > 1 && layer.groups == layer.input.channels ? "depthwise" : "convolution";
  }
  std::string_view operator()(const TransposedConvolution&) const { return "transposed convolution"; }
  std::string_view operator()(const Dense&) const { return "dense"; }
  std::string_view operator()(const MatrixProduct&) const { return "matrix product"; }
  std::string_view operator()(const Pool&) const { return "pooling"; }
  std::string_view operator()(const Normalization&) const { return "normalization"; }
  std::string_view operator()(const InstanceNormalization&) const { return "instance normalization"; }
  std::string_view operator()(const LocalResponseNormalization&) const { return "local response normalization"; }
  std::string_view operator()(const Pointwise&) const { return "activation"; }
  std::string_view operator()(const Elementwise&) const { return "elementwise"; }
  std::string_view operator()(const Softmax&) const { return "softmax"; }
  std::string_view operator()(const Concat&) const { return "concatenation"; }
  std::string_view operator()(const Rearrangement&) const { return "rearrangement"; }
  std::string_view operator()(const Pad&) const { return "padding"; }
  std::string_view operator()(const Reduction&) const { return "reduction"; }
  std::string_view operator()(const Copy&) const { return "copy"; }
};

}  // namespace

std::int64_t Value::elements() const {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

ValueId Program::add_value(Value value) {
  values.push_back(std::move(value));
  return values.size() - 1;
}

ValueId Program::storage_of(ValueId id) const {
  while (values[id].same_as != no_value)
    id = values[id].same_as;
  return id;
}

LayerId layer_id(const Layer& layer) {
  return std::visit([](const auto& any) { return any.layer; }, layer);
}

std::string_view kind_of(const Layer& layer) {
  return std::visit(Kind(), layer);
}

}  // namespace spillway::kernels
