#include "sim/tiling/lower.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/layers.hpp"
#include "models/zoo.hpp"
#include "sim/tiling/swap_plan.hpp"

namespace spillway::tiling {
namespace {

using core::network_input;
using core::Part;
using models::Network;
using models::NodeId;
using models::Operator;
using ::testing::ElementsAre;

std::vector<std::string> names(const std::vector<SwapLayer>& layers) {
  std::vector<std::string> list;
  for (const SwapLayer& layer : layers)
    list.push_back(layer.name);
  return list;
}

std::string refusal_of(const Network& network) {
  try {
    lower(network);
  } catch (const Unsupported& refusal) {
    return refusal.what();
  }
  return "";
}

TEST(Lower, FusesIntoTheProducer) {
  Network network("net");
  const NodeId in = models::input(network, {3, 8, 8});
  const NodeId first = models::convolution_normalized(network, "first", in, 4, models::square(3, 1, 1));
  const NodeId relu = models::append(network, Operator::relu, "relu", {first});
  const NodeId second = models::convolution(network, "second", relu, 5, models::square(3));
  models::classifier(network, "third", second, 10);

  const std::vector<SwapLayer> layers = lower(network);
  ASSERT_THAT(names(layers), ElementsAre("first", "second", "third"));
  EXPECT_THAT(layers[0].sources, ElementsAre(Part{0, 3, 0, network_input}));
  EXPECT_THAT(layers[1].sources, ElementsAre(Part{0, 4, 0, 0}));
  EXPECT_THAT(layers[2].sources, ElementsAre(Part{0, 5 * 6 * 6, 0, 1}));
  EXPECT_TRUE(layers[2].flattened);
  EXPECT_EQ(layers[2].filter_work, 5u * 6 * 6);
}

/// An activation of a concatenation (DenseNet) or of the input has no producer that it could be fused into.
TEST(Lower, FusesIntoTheReading) {
  Network network("net");
  const NodeId in = models::input(network, {3, 8, 8});
  const NodeId scaled = models::append(network, Operator::batch_normalization, "scaled", {in});
  const NodeId a = models::convolution(network, "a", scaled, 4, models::square(1));
  const NodeId b = models::convolution(network, "b", a, 6, models::square(1));
  const NodeId joined = models::append(network, Operator::concat, "joined", {a, b, in});
  const NodeId bn = models::append(network, Operator::batch_normalization, "bn", {joined});
  const NodeId relu = models::append(network, Operator::relu, "relu", {bn});
  models::convolution(network, "c", relu, 2, models::square(1));

  const std::vector<SwapLayer> layers = lower(network);
  ASSERT_THAT(names(layers), ElementsAre("a", "b", "c"));
  EXPECT_THAT(layers[2].sources, ElementsAre(Part{0, 4, 0, 0}, Part{4, 6, 0, 1}, Part{10, 3, 0, network_input}));
}

TEST(Lower, OperandsOfASumBeginAtChannelZero) {
  Network network("net");
  const NodeId in = models::input(network, {4, 8, 8});
  const NodeId a = models::convolution(network, "a", in, 1, models::square(1));
  const NodeId b = models::convolution(network, "b", in, 3, models::square(1));
  const NodeId joined = models::append(network, Operator::concat, "joined", {a, b});
  models::append(network, Operator::add, "sum", {in, joined});

  const std::vector<SwapLayer> layers = lower(network);
  ASSERT_THAT(names(layers), ElementsAre("a", "b", "sum"));
  EXPECT_THAT(layers[2].sources, ElementsAre(Part{0, 4, 0, network_input}, Part{0, 1, 0, 0}, Part{1, 3, 0, 1}));
  EXPECT_TRUE(layers[2].channelwise);
  EXPECT_EQ(layers[2].operands, 2u);
  EXPECT_FALSE(layers[2].has_weights());
}

TEST(Lower, DenseReadsConcatenatedMapsAsAVector) {
  Network network("net");
  const NodeId in = models::input(network, {2, 4, 3});
  const NodeId a = models::convolution(network, "a", in, 5, models::square(1));
  const NodeId joined = models::append(network, Operator::concat, "joined", {in, a});
  const NodeId flat = models::append(network, Operator::flatten, "flat", {joined});
  models::dense(network, "b", flat, 7);
  EXPECT_THAT(lower(network).back().sources, ElementsAre(Part{0, 24, 0, network_input}, Part{24, 60, 0, 0}));
}

TEST(Lower, WorkClasses) {
  Network network("net");
  NodeId at = models::input(network, {4, 9, 9});
  at = models::convolution(network, "kxk", at, 4, models::square(3, 1, 1));
  at = models::convolution(network, "pointwise", at, 4, models::square(1));
  at = models::convolution(network, "depthwise", at, 4, models::square(3, 1, 1), {.groups = 4});
  at = models::convolution(network, "multiplied", at, 8, models::square(3, 1, 1), {.groups = 4});
  at = models::local_response_normalization(network, "lrn", at, 5);
  at = models::max_pool(network, "pool", at, models::square(3));
  at = models::append(network, Operator::multiply, "product", {at, at});
  models::dense(network, "dense", at, 3);

  using enum core::WorkClass;
  std::vector<core::WorkClass> classes;
  std::vector<std::uint32_t> work;
  std::vector<bool> channelwise;
  for (const SwapLayer& layer : lower(network)) {
    classes.push_back(layer.work_class);
    work.push_back(layer.filter_work);
    channelwise.push_back(layer.channelwise);
  }
  EXPECT_THAT(classes, ElementsAre(convolution, pointwise, depthwise, depthwise, pooling, pooling, elementwise, dense));
  EXPECT_THAT(work, ElementsAre(36, 4, 9, 9, 1, 9, 2, 8 * 49));
  EXPECT_THAT(channelwise, ElementsAre(false, false, true, false, true, true, true, false));
  EXPECT_EQ(lower(network)[4].channel_halo, 2u);
}

TEST(Lower, WeightsOnlyKeepsShapesAndWaitsForAll) {
  const std::vector<SwapLayer> layers = lower(*models::zoo("alexnet"), Lowering::weights_only);
  ASSERT_THAT(names(layers), ElementsAre("conv1", "conv2", "conv3", "conv4", "conv5", "fc6", "fc7", "fc8"));
  EXPECT_EQ(layers[1].input_height, 27u);
  EXPECT_TRUE(layers[1].waits_for_all);
  EXPECT_FALSE(layers[3].waits_for_all);
  EXPECT_THAT(layers[5].sources, ElementsAre(Part{0, 9216, 0, 4}));
}

models::NodeId reshaped(Network& network, const char* name, NodeId from, const models::Shape& shape) {
  models::Node node;
  node.name = name;
  node.op = Operator::reshape;
  node.inputs = {from};
  node.output = shape;
  return network.add(node);
}

models::NodeId shuffled(Network& network, NodeId from) {
  models::Node node;
  node.name = "transpose";
  node.op = Operator::transpose;
  node.inputs = {reshaped(network, "groups", from, {2, 4, 64})};
  node.permutation = {1, 0, 2};
  return reshaped(network, "map", network.add(node), {8, 8, 8});
}

TEST(Lower, BehindAChannelShuffleALayerWaitsForAllOfItsProducer) {
  Network network("net");
  const NodeId in = models::input(network, {4, 8, 8});
  const NodeId a = models::convolution(network, "a", in, 8, models::square(1), {.groups = 2});
  models::convolution(network, "b", shuffled(network, a), 8, models::square(3, 1, 1), {.groups = 8});
  const std::vector<SwapLayer> layers = lower(network);
  ASSERT_THAT(names(layers), ElementsAre("a", "b"));
  EXPECT_THAT(layers[1].sources, ElementsAre(Part{0, 8, 0, 0}));
  EXPECT_TRUE(layers[1].waits_for_all);
  EXPECT_FALSE(layers[0].waits_for_all);
}

TEST(Lower, AShuffleOfAConcatenationIsRefused) {
  Network network("net");
  const NodeId in = models::input(network, {4, 8, 8});
  const NodeId a = models::convolution(network, "a", in, 4, models::square(1));
  const NodeId both = models::append(network, Operator::concat, "both", {a, in});
  models::convolution(network, "b", shuffled(network, both), 8, models::square(1));
  EXPECT_THAT(refusal_of(network), ::testing::HasSubstr("`transpose` transposes maps of 2 layers at once"));
}

TEST(Lower, WeightsOnlyReadsTheLastOperandOfASum) {
  for (const bool swapped : {false, true}) {
    Network network("net");
    const NodeId in = models::input(network, {4, 8, 8});
    const NodeId a = models::convolution(network, "a", in, 4, models::square(1));
    const NodeId b = models::convolution(network, "b", a, 4, models::square(1));
    const NodeId sum = models::append(network, Operator::add, "sum", swapped ? std::vector{b, a} : std::vector{a, b});
    models::convolution(network, "c", sum, 4, models::square(1));
    EXPECT_THAT(lower(network, Lowering::weights_only).back().sources, ElementsAre(Part{0, 4, 0, 1}));
  }
}

TEST(Lower, RefusesAMapReadInAnotherShape) {
  Network network("net");
  const NodeId in = models::input(network, {2, 4, 4});
  const NodeId a = models::convolution(network, "a", in, 5, models::square(1));
  const NodeId flat = models::append(network, Operator::flatten, "flat", {a});
  models::convolution(network, "b", flat, 3, models::square(1));
  EXPECT_EQ(refusal_of(network),
            "`b` reads a map of 4 x 4 as one of 1 x 1: only a dense layer can read a map in another shape");
}

TEST(Lower, RefusesTwoInputs) {
  Network network("net");
  const NodeId first = models::input(network, {1, 2, 2});
  models::Node right;
  right.name = "right";
  right.output = {1, 2, 2};
  const NodeId second = network.add(right);
  models::append(network, Operator::add, "sum", {first, second});
  EXPECT_EQ(refusal_of(network), "`right` is a second input of network `net`: a swapped network has one");
}

TEST(Lower, RefusesANetworkWithoutOperators) {
  Network network("net");
  const NodeId in = models::input(network, {1, 2, 2});
  models::append(network, Operator::relu, "relu", {in});
  EXPECT_EQ(refusal_of(network), "network `net` has no operator to compute");
}

TEST(Lower, EveryZooNetwork) {
  for (const std::string_view name : models::zoo_names()) {
    EXPECT_FALSE(lower(*models::zoo(name)).empty()) << name;
    EXPECT_FALSE(lower(*models::zoo(name), Lowering::weights_only).empty()) << name;
  }
}

}  // namespace
}  // namespace spillway::tiling
