// Products of matrices, softmax and reductions.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "hw/kernels/session/onnx_node.hpp"

namespace spillway::kernels::onnx_nodes {
namespace {

using models::onnx_file::text_of;

void check_matrix(const Extents& extents) {
  if (extents.size() != 2) throw Refusal(fmt::format("a matrix of {}; expected two extents", text_of(extents)));
}

/// Of the matrix that each product reads, its position among those stored, when some are read for several products.
std::vector<std::int64_t> indices(const Extents& own, const Extents& batch) {
  if (own == batch) return {};
  const Extents strides = broadcast_strides(own, batch);
  std::vector<std::int64_t> result;
  for (std::int64_t product = 0; product < elements_of(batch); ++product) {
    std::int64_t rest = product, index = 0;
    for (std::size_t axis = batch.size(); axis-- > 0;) {
      index += rest % batch[axis] * strides[axis];
      rest /= batch[axis];
    }
    result.push_back(index);
  }
  return result;
}

}  // namespace

void read_gemm(Node& node) {
  check_matrix(node.extents(0));
  check_matrix(node.extents(1));
  const bool left_transposed = node.attributes.integer("transA").value_or(0) != 0;
  const bool right_transposed = node.attributes.integer("transB").value_or(0) != 0;
  const float alpha = node.attributes.number("alpha").value_or(1), beta = node.attributes.number("beta").value_or(1);
  node.attributes.without_effect("broadcast");
  const Extents &left = node.extents(0), &right = node.extents(1);
  const std::int64_t rows = left[left_transposed ? 1 : 0], inner = left[left_transposed ? 0 : 1];
  const std::int64_t columns = right[right_transposed ? 0 : 1];
  if (right[right_transposed ? 1 : 0] != inner)
    throw Refusal(fmt::format("a product of {} and {}", text_of(left), text_of(right)));
  const Extents output = {rows, columns};
  const bool has_bias = node.has(2);
  const bool bias_of_columns = has_bias && node.extents(2) == Extents{columns};
  if (!left_transposed && right_transposed && alpha == 1 && (!has_bias || (bias_of_columns && beta == 1))) {
    node.step(Dense{node.layer(), rows, inner, columns, {}},
              {node.value(0), node.value(1), has_bias ? node.value(2) : no_value}, output);
    return;
  }
  const MatrixProduct product{node.layer(), 1, rows, inner, columns, left_transposed, right_transposed, {}, {}, alpha};
  if (!has_bias) return node.step(product, {node.value(0), node.value(1)}, output);
  ValueId bias = node.value(2);
  const Extents& bias_extents = node.extents(2);
  if (broadcast(bias_extents, output) != output)
    throw Refusal(fmt::format("a bias of {} for {}", text_of(bias_extents), text_of(output)));
  if (beta != 1)
    bias = node.intermediate(
        Elementwise{node.layer(), Operation::multiply, bias_extents, {{}, Extents(bias_extents.size(), 0)}, {}},
        {bias, node.constant({}, {beta})}, bias_extents);
  const ValueId sum = node.intermediate(product, {node.value(0), node.value(1)}, output);
  node.step(Elementwise{node.layer(), Operation::add, output, {{}, broadcast_strides(bias_extents, output)}, {}},
            {sum, bias}, output);
}

void read_matmul(Node& node) {
  Extents left = node.extents(0), right = node.extents(1);
  if (left.empty() || right.empty()) throw Refusal("a product of numbers; expected vectors or matrices");
  const bool left_vector = left.size() == 1, right_vector = right.size() == 1;
  if (left_vector) left.insert(left.begin(), 1);
  if (right_vector) right.push_back(1);
  const std::int64_t rows = left[left.size() - 2], inner = left.back(), columns = right.back();
  if (right[right.size() - 2] != inner)
    throw Refusal(fmt::format("a product of {} and {}", text_of(left), text_of(right)));
  const Extents left_batch(left.begin(), left.end() - 2), right_batch(right.begin(), right.end() - 2);
  const Extents batch = broadcast(left_batch, right_batch);
  Extents output = batch;
  if (!left_vector) output.push_back(rows);
  if (!right_vector) output.push_back(columns);
  node.step(MatrixProduct{node.layer(), elements_of(batch), rows, inner, columns, false, false,
                          indices(left_batch, batch), indices(right_batch, batch), 1},
            {node.value(0), node.value(1)}, output);
}

void read_softmax(Node& node) {
  const Extents& extents = node.extents(0);
  const bool flattens = node.opset() < 13;
  const std::size_t axis = axis_of(node.attributes.integer("axis").value_or(flattens ? 1 : -1), extents.size());
  const std::span<const std::int64_t> all(extents);
  Softmax layer{node.layer(), elements_of(all.first(axis)), 1, 1, node.type() == "LogSoftmax"};
  if (flattens) {
    layer.axis = elements_of(all.subspan(axis));
  } else {
    layer.axis = extents[axis];
    layer.inner = elements_of(all.subspan(axis + 1));
  }
  node.step(layer, {node.value(0)}, extents);
}

void read_reduction(Node& node) {
  static const std::map<std::string, Reduced> kinds = {
      {"ReduceL1", Reduced::l1},          {"ReduceL2", Reduced::l2},
      {"ReduceLogSum", Reduced::log_sum}, {"ReduceLogSumExp", Reduced::log_sum_exp},
      {"ReduceMax", Reduced::maximum},    {"ReduceMean", Reduced::mean},
      {"ReduceMin", Reduced::minimum},    {"ReduceProd", Reduced::product},
      {"ReduceSum", Reduced::sum},        {"ReduceSumSquare", Reduced::sum_of_squares},
  };
  const Extents& extents = node.extents(0);
  std::vector<std::int64_t> axes = node.attributes.integers("axes").value_or(std::vector<std::int64_t>());
  if (node.has(1)) axes = node.integers(1);
  const bool keeps = node.attributes.integer("keepdims").value_or(1) != 0;
  if (axes.empty() && node.attributes.integer("noop_with_empty_axes").value_or(0) != 0) return node.view(0, extents);
  Reduction layer{node.layer(), kinds.at(node.type()), extents, std::vector<bool>(extents.size(), axes.empty())};
  for (const std::int64_t axis : axes)
    layer.reduced[axis_of(axis, extents.size())] = true;
  Extents output;
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    if (!layer.reduced[axis])
      output.push_back(extents[axis]);
    else if (keeps)
      output.push_back(1);
  node.step(layer, {node.value(0)}, output);
}

}  // namespace spillway::kernels::onnx_nodes
