// Matrix products, and the scale and shift per channel.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "models/onnx_translation.hpp"

namespace spillway::models::onnx_file {
namespace {

/// A product of a map, read as one row, with a constant matrix.
struct Product {
  const Map* map = nullptr;
  const Constant* matrix = nullptr;
  bool outputs_first = false;  ///< the matrix is [outputs][inputs], as Weights wants it
  float factor = 1;            ///< of the product
  const Constant* bias = nullptr;
  float bias_factor = 1;
};

void check_row(const Map& map) {
  if (map.extents.size() < 2 || elements_of({map.extents.begin(), map.extents.end() - 1}) != 1)
    throw Refusal(fmt::format("a product of {}; expected a single row", text_of(map.extents)));
}

/// The matrix as [outputs][inputs] and multiplied; the stored numbers themselves where they are that already.
Tensor weights_of(NodeReader& node, const Product& product, std::int64_t outputs, std::int64_t inputs) {
  Tensor stored = node.numbers().floats(*product.matrix);
  if (product.outputs_first && product.factor == 1) return stored;
  node.numbers().charge(outputs * inputs);
  std::vector<float> turned(static_cast<std::size_t>(outputs * inputs));
  const auto at = [&](std::int64_t output, std::int64_t input) {
    const std::int64_t position = product.outputs_first ? output * inputs + input : input * outputs + output;
    return stored.values()[static_cast<std::size_t>(position)];
  };
  for (std::int64_t output = 0; output < outputs; ++output)
    for (std::int64_t input = 0; input < inputs; ++input)
      turned[static_cast<std::size_t>(output * inputs + input)] = product.factor * at(output, input);
  return {{outputs, inputs}, std::move(turned)};
}

void add_dense(NodeReader& node, const Product& product) {
  const Map& map = *product.map;
  const Constant& matrix = *product.matrix;
  check_row(map);
  if (matrix.extents.size() != 2)
    throw Refusal(fmt::format("a matrix of {}; expected two extents", text_of(matrix.extents)));
  if (matrix.type != onnx::TensorProto::FLOAT)
    throw Refusal(fmt::format("a matrix of {}; expected float32", type_name(matrix.type)));
  const std::int64_t outputs = matrix.extents[product.outputs_first ? 0 : 1];
  const std::int64_t inputs = matrix.extents[product.outputs_first ? 1 : 0];
  if (inputs != map.extents.back())
    throw Refusal(fmt::format("a row of {} with a matrix of {}; expected as many numbers as the matrix has inputs, {}",
                              map.extents.back(), text_of(matrix.extents), inputs));
  std::vector<std::int64_t> out = map.extents;
  out.back() = outputs;
  std::optional<ChannelConstant> bias;
  std::optional<NodeReader::BiasAdd> add;
  const std::vector<std::int64_t> row = {1, outputs};
  if (product.bias != nullptr)
    bias = node.per_channel(*product.bias, row);
  else if (out.size() == 2 && (add = node.following_bias(out)))
    bias = add->bias;

  Node dense;
  dense.op = Operator::dense;
  dense.inputs = {map.node};
  dense.bias = bias.has_value();
  dense.output.channels = outputs;
  const Map result{node.add(std::move(dense)), out, std::nullopt};
  if (node.want_weights()) {
    LayerWeights weights{weights_of(node, product, outputs, inputs), {}};
    if (bias) {
      std::vector<float> shifts = node.expand(*bias, outputs);
      for (float& shift : shifts)
        shift *= product.bias_factor;
      weights.bias = Tensor({outputs}, std::move(shifts));
    }
    node.keep(std::move(weights));
  }
  node.define(result);
  if (add) node.take_over(*add, result);
}

}  // namespace

void read_gemm(NodeReader& node) {
  Product product;
  product.map = &node.map(0);
  product.matrix = &node.constant(1);
  node.attributes.expect("transA", 0);
  product.outputs_first = node.attributes.integer("transB").value_or(0) != 0;
  product.factor = node.attributes.number("alpha").value_or(1);
  product.bias_factor = node.attributes.number("beta").value_or(1);
  // Operator sets below 7: without `broadcast` the bias has the result's own extents, which per_channel() takes, too.
  node.attributes.without_effect("broadcast");
  if (node.has(2) && product.bias_factor != 0) product.bias = &node.constant(2);
  add_dense(node, product);
}

void read_matmul(NodeReader& node) {
  Product product;
  product.map = &node.map(0);
  product.matrix = &node.constant(1);
  add_dense(node, product);
}

void read_batch_normalization(NodeReader& node) {
  const Map& map = node.map(0);
  const std::vector<std::int64_t> each = {map.extents.at(1)};
  static constexpr std::array names = {"scale", "shift", "mean", "variance"};
  for (int input = 1; input <= 4; ++input) {
    const Constant& constant = node.constant(input);
    if (constant.extents != each || constant.type != onnx::TensorProto::FLOAT)
      throw Refusal(fmt::format("a {} of {} {}; expected float32, one for each of {} channels",
                                names[static_cast<std::size_t>(input - 1)], text_of(constant.extents),
                                type_name(constant.type), each.front()));
  }
  node.attributes.expect("spatial", 1);
  node.attributes.expect("training_mode", 0);
  node.attributes.without_effect("momentum");
  node.attributes.without_effect("consumed_inputs");
  if (node.opset() < 7 && node.attributes.integer("is_test").value_or(0) == 0)
    throw Refusal("is_test is 0, which is training; expected 1");
  node.only_first_output();
  const double epsilon = node.attributes.number("epsilon").value_or(1e-5F);

  Node normalization;
  normalization.op = Operator::batch_normalization;
  normalization.inputs = {map.node};
  const Map result{node.add(std::move(normalization)), map.extents, std::nullopt};
  if (node.want_weights()) {
    std::array<Tensor, 4> given;
    for (int input = 1; input <= 4; ++input)
      given[static_cast<std::size_t>(input - 1)] = node.numbers().floats(node.constant(input));
    std::vector<float> scale, shift;
    node.numbers().charge(2 * each.front());
    for (std::size_t channel = 0; channel < given[0].values().size(); ++channel) {
      const double variance = given[3].values()[channel] + epsilon;
      if (!(variance > 0))
        throw Refusal(fmt::format("variance {} of channel {} with epsilon {}; expected more than 0 together",
                                  given[3].values()[channel], channel, epsilon));
      const double factor = given[0].values()[channel] / std::sqrt(variance);
      scale.push_back(static_cast<float>(factor));
      shift.push_back(static_cast<float>(given[1].values()[channel] - given[2].values()[channel] * factor));
    }
    node.keep({Tensor(each, std::move(scale)), Tensor(each, std::move(shift))});
  }
  node.define(result);
}

}  // namespace spillway::models::onnx_file
