#include "models/network.hpp"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/layers.hpp"

namespace spillway::models {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Shape output_of_pool(Shape map, const Window& window) {
  Network network("pooling");
  return network.node(max_pool(network, "pool", input(network, map), window)).output;
}

TEST(Network, ConvolutionWithEveryAttribute) {
  Network network("one layer");
  const NodeId map = input(network, {6, 10, 12});
  Window window;
  window.kernel_height = 3;
  window.kernel_width = 2;
  window.stride_height = 2;
  window.stride_width = 3;
  window.pad_top = 1;
  window.pad_left = 0;
  window.pad_bottom = 2;
  window.pad_right = 1;
  window.dilation_height = 2;
  window.dilation_width = 3;
  const NodeId layer = convolution(network, "layer", map, 9, window, {.groups = 3});
  // Rows: (1 + 10 + 2 - 5) / 2 + 1 = 5. Columns: (0 + 12 + 1 - 4) / 3 + 1 = 4.
  EXPECT_EQ(network.node(layer).output, (Shape{9, 5, 4}));
  EXPECT_EQ(network.weights(layer), 9 * (6 / 3) * 3 * 2);
  EXPECT_EQ(network.macs(layer), 9 * 5 * 4 * (6 / 3) * 3 * 2);
  EXPECT_EQ(network.biases(layer), 9);
  EXPECT_EQ(network.input_shape(layer), (Shape{6, 10, 12}));
  EXPECT_FALSE(network.is_depthwise(layer));
}

TEST(Network, PoolingRoundsDownOrUp) {
  Window window = square(3, 2);
  EXPECT_EQ(output_of_pool({8, 112, 112}, window), (Shape{8, 55, 55}));
  window.ceil_mode = true;
  EXPECT_EQ(output_of_pool({8, 112, 112}, window), (Shape{8, 56, 56}));
  EXPECT_EQ(output_of_pool({8, 113, 113}, window), (Shape{8, 56, 56}));
}

TEST(Network, CeilModeLeavesOutAWindowThatStartsBehindTheMap) {
  Window window = square(2, 2, 1);
  window.ceil_mode = true;
  // Padded rows 0 to 6, map in rows 1 to 5: windows start at 0, 2, 4; the next would start at 6, in the padding.
  EXPECT_EQ(output_of_pool({1, 5, 5}, window), (Shape{1, 3, 3}));
}

TEST(Network, DepthwiseAndItsDenseCount) {
  Network network("depthwise");
  const NodeId map = input(network, {16, 8, 8});
  const NodeId plain = convolution(network, "plain", map, 16, square(3, 1, 1), {.groups = 16});
  const NodeId published =
      convolution(network, "published", map, 16, square(3, 1, 1), {.groups = 16, .dense_weight_bytes = true});
  const NodeId multiplied = convolution(network, "multiplied", map, 32, square(3, 1, 1), {.groups = 16});
  EXPECT_TRUE(network.is_depthwise(plain));
  EXPECT_TRUE(network.is_depthwise(published));
  EXPECT_TRUE(network.is_depthwise(multiplied));
  EXPECT_EQ(network.weights(plain), 9 * 16);
  EXPECT_EQ(network.weights(published), 9 * 16 * 16);
  EXPECT_EQ(network.weights(multiplied), 9 * 32);
  EXPECT_EQ(network.macs(plain), 64 * 9 * 16);
  EXPECT_EQ(network.macs(published), network.macs(plain));
}

TEST(Network, AConvolutionOverOneChannelIsNotDepthwise) {
  Network network("grey");
  const NodeId layer = convolution(network, "layer", input(network, {1, 8, 8}), 4, square(3));
  EXPECT_FALSE(network.is_depthwise(layer));
}

TEST(Network, DenseFlattensItsInput) {
  Network network("dense");
  const NodeId layer = dense(network, "fc", input(network, {16, 5, 3}), 10);
  EXPECT_EQ(network.node(layer).output, (Shape{10, 1, 1}));
  EXPECT_EQ(network.input_shape(layer), (Shape{16, 5, 3}));
  EXPECT_EQ(network.weights(layer), 16 * 5 * 3 * 10);
  EXPECT_EQ(network.macs(layer), 16 * 5 * 3 * 10);
}

TEST(Network, ConcatAddsChannelsInOrder) {
  Network network("concat");
  const NodeId map = input(network, {3, 8, 8});
  const NodeId left = convolution(network, "left", map, 4, square(1));
  const NodeId right = convolution(network, "right", map, 5, square(1));
  const NodeId both = append(network, Operator::concat, "both", {left, right, map});
  EXPECT_EQ(network.node(both).output, (Shape{12, 8, 8}));
  EXPECT_EQ(network.input_shape(both), (Shape{12, 8, 8}));
  EXPECT_EQ(network.macs(both), 0);
}

TEST(Network, ElementwiseReadsItsOperand) {
  Network network("elementwise");
  const NodeId map = input(network, {3, 8, 8});
  for (const Operator op : {Operator::add, Operator::multiply}) {
    const NodeId layer = append(network, op, std::string(to_string(op)), {map, map, map});
    EXPECT_EQ(network.node(layer).output, (Shape{3, 8, 8}));
    EXPECT_EQ(network.input_shape(layer), (Shape{3, 8, 8}));
  }
}

TEST(Network, ShapePreservingOperatorsHaveNoWork) {
  Network network("unary");
  NodeId last = input(network, {3, 8, 6});
  for (const Operator op :
       {Operator::relu, Operator::relu6, Operator::leaky_relu, Operator::clip, Operator::hard_sigmoid,
        Operator::hard_swish, Operator::identity, Operator::sigmoid, Operator::tanh, Operator::softmax,
        Operator::dropout, Operator::batch_normalization, Operator::local_response_normalization}) {
    last = append(network, op, std::string(to_string(op)), {last});
    EXPECT_EQ(network.node(last).output, (Shape{3, 8, 6})) << to_string(op);
    EXPECT_EQ(network.macs(last), 0) << to_string(op);
    EXPECT_EQ(network.weights(last), 0) << to_string(op);
    EXPECT_EQ(network.biases(last), op == Operator::batch_normalization ? 6 : 0) << to_string(op);
  }
}

TEST(Network, FlattenAndReshapeKeepTheElements) {
  Network network("shapes");
  const NodeId map = input(network, {3, 8, 6});
  EXPECT_EQ(network.node(append(network, Operator::flatten, "flat", {map})).output, (Shape{144, 1, 1}));
  Node reshape;
  reshape.name = "reshape";
  reshape.op = Operator::reshape;
  reshape.inputs = {map};
  reshape.output = {6, 4, 6};
  EXPECT_EQ(network.node(network.add(reshape)).output, (Shape{6, 4, 6}));
}

TEST(Network, ElementwiseTakesOneValuePerChannel) {
  Network network("net");
  const NodeId map = input(network, {6, 8, 4});
  const NodeId scale = global_average_pool(network, "scale", map);
  EXPECT_EQ(network.node(append(network, Operator::multiply, "scaled", {map, scale})).output, (Shape{6, 8, 4}));
}

TEST(Network, TransposeExchangesAxes) {
  Network network("net");
  const NodeId map = input(network, {6, 8, 4});
  Node node;
  node.name = "turned";
  node.op = Operator::transpose;
  node.inputs = {map};
  node.permutation = {2, 0, 1};
  const NodeId turned = network.add(node);
  EXPECT_EQ(network.node(turned).output, (Shape{4, 6, 8}));
  EXPECT_EQ(network.macs(turned), 0);
}

TEST(Network, GlobalAveragePoolCoversTheMap) {
  Network network("global");
  const NodeId layer = global_average_pool(network, "pool", input(network, {5, 7, 9}));
  EXPECT_EQ(network.node(layer).output, (Shape{5, 1, 1}));
  EXPECT_EQ(network.node(layer).window.kernel_width, 9);
}

TEST(Network, ConsumersAreListedOnceAndInOrder) {
  Network network("consumers");
  const NodeId map = input(network, {3, 8, 8});
  const NodeId first = append(network, Operator::relu, "first", {map});
  const NodeId twice = append(network, Operator::add, "twice", {map, map});
  const NodeId last = append(network, Operator::add, "last", {first, twice});
  EXPECT_THAT(network.consumers(map), ElementsAre(first, twice));
  EXPECT_THAT(network.consumers(first), ElementsAre(last));
  EXPECT_THAT(network.consumers(last), IsEmpty());
}

TEST(Network, FindsNodesByName) {
  Network network("names");
  const NodeId map = input(network, {3, 8, 8});
  const NodeId layer = append(network, Operator::relu, "relu", {map});
  EXPECT_EQ(network.find("relu"), layer);
  EXPECT_EQ(network.find("rel"), std::nullopt);
}

TEST(Network, BytesFollowTheElementType) {
  Network network("bytes");
  const NodeId layer = convolution(network, "layer", input(network, {3, 8, 8}), 4, square(3));
  EXPECT_EQ(network.weight_bytes(layer, ElementType::int8), 4 * 3 * 9);
  EXPECT_EQ(network.weight_bytes(layer, ElementType::float32), 4 * (4 * 3 * 9));
  EXPECT_EQ(network.feature_map_bytes(layer, ElementType::int8), 4 * 6 * 6);
  EXPECT_EQ(network.feature_map_bytes(layer, ElementType::float32), 4 * (4 * 6 * 6));
}

TEST(Network, TotalsAreSumsOverNodes) {
  Network network("totals");
  const NodeId layer = convolution_normalized(network, "layer", input(network, {3, 8, 8}), 4, square(3));
  dense(network, "fc", layer, 10);
  EXPECT_EQ(network.total_macs(), 4 * 6 * 6 * 3 * 9 + 4 * 6 * 6 * 10);
  EXPECT_EQ(network.total_weights(), 4 * 3 * 9 + 4 * 6 * 6 * 10);
  EXPECT_EQ(network.total_biases(), 2 * 4 + 10);
}

TEST(Network, OperatorsHaveDistinctNames) {
  std::set<std::string_view> names;
  for (const Operator op : all_operators())
    names.insert(to_string(op));
  EXPECT_EQ(names.size(), all_operators().size());
  EXPECT_EQ(names.size(), static_cast<std::size_t>(Operator::transpose) + 1);
  EXPECT_EQ(names.count("unknown operator"), 0U);
}

TEST(Network, NamesOfTypesAndShapes) {
  EXPECT_EQ(to_string(ElementType::int8), "int8");
  EXPECT_EQ(to_string(ElementType::float32), "float32");
  EXPECT_EQ(to_string(Shape{64, 112, 56}), "64x112x56");
}

}  // namespace
}  // namespace spillway::models
