#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/layers.hpp"
#include "models/network.hpp"

namespace spillway::models {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// A network with maps of 6x8x8, 6x4x4, 4x8x8, 6x4x8 and 1x8x8, to which each case adds one wrong node.
struct Stage {
  Network network{"stage"};
  NodeId map = input(network, {6, 8, 8});
  NodeId small = max_pool(network, "small", map, square(2, 2));
  NodeId narrow = convolution(network, "narrow", map, 4, square(1));
  NodeId low = max_pool(network, "low", map, {.kernel_height = 2, .stride_height = 2});
  NodeId grey = convolution(network, "grey", map, 1, square(1));
};

Node wrong(Operator op, std::vector<NodeId> inputs) {
  Node node;
  node.name = "wrong";
  node.op = op;
  node.inputs = std::move(inputs);
  if (op == Operator::convolution || op == Operator::dense) node.output.channels = 6;
  return node;
}

struct Case {
  const char* name;
  std::function<Node(const Stage&)> node;
  std::vector<std::string> message;  ///< parts that the message must have
};

class NetworkErrors : public ::testing::TestWithParam<Case> {};

TEST_P(NetworkErrors, SayWhatWasWrongWhereAndWhatWasExpected) {
  Stage stage;
  const std::size_t nodes = stage.network.nodes().size();
  try {
    stage.network.add(GetParam().node(stage));
    FAIL() << "no error";
  } catch (const NetworkError& error) {
    const std::string message = error.what();
    EXPECT_THAT(message, HasSubstr("expected"));
    for (const std::string& part : GetParam().message)
      EXPECT_THAT(message, HasSubstr(part));
  }
  EXPECT_EQ(stage.network.nodes().size(), nodes) << "a refused node must not stay";
}

template <typename Change>
std::function<Node(const Stage&)> convolution_with(Change change) {
  return [change](const Stage& stage) {
    Node node = wrong(Operator::convolution, {stage.map});
    change(node);
    return node;
  };
}

template <typename Change>
std::function<Node(const Stage&)> pool_with(Change change) {
  return [change](const Stage& stage) {
    Node node = wrong(Operator::max_pool, {stage.map});
    node.window = square(2, 2);
    change(node);
    return node;
  };
}

std::function<Node(const Stage&)> plain(Operator op, std::size_t arity) {
  return [=](const Stage& stage) { return wrong(op, std::vector<NodeId>(arity, stage.map)); };
}

std::function<Node(const Stage&)> reshaped(Shape shape) {
  return [=](const Stage& stage) {
    Node node = wrong(Operator::reshape, {stage.map});
    node.output = shape;
    return node;
  };
}

const std::vector<Case> cases = {
    {"NoName",
     [](const Stage& stage) {
       Node node = wrong(Operator::relu, {stage.map});
       node.name.clear();
       return node;
     },
     {"network 'stage'", "node 5 (relu) has no name"}},
    {"NameTaken",
     [](const Stage& stage) {
       Node node = wrong(Operator::relu, {stage.map});
       node.name = "small";
       return node;
     },
     {"'small' is taken by node 1 (max_pool)"}},
    {"UnknownInput",
     [](const Stage&) { return wrong(Operator::relu, {17}); },
     {"node 'wrong' (relu)", "input 17 does not exist", "'stage' has 5"}},
    {"ItselfAsInput", [](const Stage&) { return wrong(Operator::relu, {5}); }, {"input 5 does not exist"}},
    {"InputWithInputs", plain(Operator::input, 1), {"node 'wrong' (input)", "expected none"}},
    {"InputWithoutShape", plain(Operator::input, 0), {"output channels is 0"}},
    {"InputOfNegativeHeight",
     [](const Stage&) {
       Node node = wrong(Operator::input, {});
       node.output = {3, -1, 8};
       return node;
     },
     {"output height is -1"}},
    {"ConvolutionWithoutInput", plain(Operator::convolution, 0), {"has 0 inputs; expected exactly one"}},
    {"ReluOfTwo", plain(Operator::relu, 2), {"has 2 inputs; expected exactly one"}},
    {"AddOfOne", plain(Operator::add, 1), {"expected two or more"}},
    {"ConcatOfNone", plain(Operator::concat, 0), {"expected one or more"}},
    {"AddOfTwoShapes",
     [](const Stage& stage) {
       return wrong(Operator::add, {stage.map, stage.narrow});
     },
     {"input 1 is 4x8x8 but input 0 is 6x8x8"}},
    {"MultiplyOfTwoShapes",
     [](const Stage& stage) {
       return wrong(Operator::multiply, {stage.map, stage.map, stage.small});
     },
     {"input 2 is 6x4x4 but input 0 is 6x8x8"}},
    {"ConcatOfTwoSizes",
     [](const Stage& stage) {
       return wrong(Operator::concat, {stage.narrow, stage.map, stage.small});
     },
     {"input 2 is 6x4x4 but input 0 is 4x8x8"}},
    {"NoFilters", convolution_with([](Node& node) { node.output.channels = 0; }), {"number of filters is 0"}},
    {"DenseWithoutOutputs",
     [](const Stage& stage) {
       Node node = wrong(Operator::dense, {stage.map});
       node.output.channels = 0;
       return node;
     },
     {"output channels is 0"}},
    {"NoGroups", convolution_with([](Node& node) { node.groups = 0; }), {"groups is 0"}},
    {"GroupsDoNotDivideTheInput",
     convolution_with([](Node& node) {
       node.groups = 4;
       node.output.channels = 8;
     }),
     {"4 groups do not divide the 6 input channels"}},
    {"GroupsDoNotDivideTheFilters",
     convolution_with([](Node& node) {
       node.groups = 3;
       node.output.channels = 8;
     }),
     {"3 groups do not divide the 8 filters"}},
    {"KernelLargerThanTheMap",
     convolution_with([](Node& node) { node.window = square(11, 1, 1); }),
     {"spans 11x11", "padded input of 10x10"}},
    {"DilatedKernelLargerThanTheMap",
     convolution_with([](Node& node) {
       node.window = square(3);
       node.window.dilation_width = 4;
     }),
     {"spans 3x9", "padded input of 8x8"}},
    {"ZeroStride", convolution_with([](Node& node) { node.window.stride_width = 0; }), {"stride width is 0"}},
    {"ZeroKernel", pool_with([](Node& node) { node.window.kernel_height = 0; }), {"kernel height is 0"}},
    {"ZeroDilation", pool_with([](Node& node) { node.window.dilation_height = 0; }), {"dilation height is 0"}},
    {"NegativePadding",
     convolution_with([](Node& node) { node.window.pad_bottom = -1; }),
     {"padding at the bottom is -1"}},
    {"PoolingOfPaddingOnly", pool_with([](Node& node) { node.window.pad_right = 2; }), {"right 2", "window of 2x2"}},
    {"PoolingOfPaddingOnlyBelow",
     pool_with([](Node& node) { node.window.pad_bottom = 2; }),
     {"bottom 2", "window of 2x2"}},
    {"ConcatOfTwoHeights",
     [](const Stage& stage) {
       return wrong(Operator::concat, {stage.map, stage.low});
     },
     {"input 1 is 6x4x8 but input 0 is 6x8x8"}},
    {"ConcatOfTwoWidths",
     [](const Stage& stage) {
       return wrong(Operator::concat, {stage.low, stage.small});
     },
     {"input 1 is 6x4x4 but input 0 is 6x4x8"}},
    {"DenseBytesOverOneChannel",
     [](const Stage& stage) {
       Node node = wrong(Operator::convolution, {stage.grey});
       node.dense_weight_bytes = true;
       return node;
     },
     {"dense_weight_bytes with 1 groups over 1", "depthwise"}},
    {"CeilModeOfAConvolution",
     convolution_with([](Node& node) { node.window.ceil_mode = true; }),
     {"has no ceil_mode", "max_pool"}},
    {"DenseBytesOfAPlainConvolution",
     convolution_with([](Node& node) { node.dense_weight_bytes = true; }),
     {"dense_weight_bytes with 1 groups over 6", "depthwise"}},
    {"BiasOfAPooling", pool_with([](Node& node) { node.bias = true; }), {"has no bias"}},
    {"GroupsOfAPooling", pool_with([](Node& node) { node.groups = 2; }), {"has no groups"}},
    {"WindowOfARelu",
     [](const Stage& stage) {
       Node node = wrong(Operator::relu, {stage.map});
       node.window = square(3);
       return node;
     },
     {"has no window"}},
    {"NormalizationSizeOfAConvolution",
     convolution_with([](Node& node) { node.normalization_size = 5; }),
     {"has no normalization_size"}},
    {"NormalizationOfNoChannels",
     [](const Stage& stage) {
       Node node = wrong(Operator::local_response_normalization, {stage.map});
       node.normalization_size = 0;
       return node;
     },
     {"normalization_size is 0"}},
    {"NormalizationConstantsOfAConvolution",
     convolution_with([](Node& node) { node.normalization_beta = 0.5F; }),
     {"has no normalization constants"}},
    {"CountIncludePadOfAMaximum", pool_with([](Node& node) { node.count_include_pad = true; }), {"average_pool"}},
    {"SlopeOfAConvolution", convolution_with([](Node& node) { node.slope = 0.1F; }), {"has no slope", "leaky_relu"}},
    {"OffsetOfAConvolution", convolution_with([](Node& node) { node.offset = 0.1F; }), {"has no offset"}},
    {"BoundOfAConvolution", convolution_with([](Node& node) { node.maximum = 6; }), {"has no minimum and maximum"}},
    {"PermutationOfAConvolution",
     convolution_with([](Node& node) {
       node.permutation = {1, 0, 2};
     }),
     {"has no permutation", "transpose"}},
    {"ClipUpsideDown",
     [](const Stage& stage) {
       Node node = wrong(Operator::clip, {stage.map});
       node.minimum = 2;
       node.maximum = 1;
       return node;
     },
     {"minimum 2 and maximum 1"}},
    {"TransposeOfAnAxisTwice",
     [](const Stage& stage) {
       Node node = wrong(Operator::transpose, {stage.map});
       node.permutation = {1, 1, 2};
       return node;
     },
     {"permutation 1, 1, 2", "each of the axes"}},
    {"ReshapeToOtherNumber", reshaped({6, 8, 9}), {"6x8x9 has 432 elements", "6x8x8 has 384"}},
    {"ReshapeToNothing", reshaped({0, 8, 8}), {"output channels is 0"}},
    {"ReshapeThatOverflows",
     reshaped({std::int64_t{1} << 30, std::int64_t{1} << 30, std::int64_t{1} << 30}),
     {"more than 2^48 output elements"}},
    {"DenseTooLargeToCount",
     [](const Stage& stage) {
       Node node = wrong(Operator::dense, {stage.map});
       node.output.channels = std::int64_t{1} << 40;
       return node;
     },
     {"output channels is 1099511627776"}},
    {"UnknownOperator",
     [](const Stage& stage) { return wrong(static_cast<Operator>(200), {stage.map}); },
     {"operator 200 is unknown"}},
};

INSTANTIATE_TEST_SUITE_P(EachMistake, NetworkErrors, ::testing::ValuesIn(cases),
                         [](const auto& given) { return std::string(given.param.name); });

TEST(NetworkErrorsOfANetwork, MacsThatOverflowAreRefusedWhenAdded) {
  Network network("large");
  const NodeId map = input(network, {1 << 20, 1 << 13, 1 << 13});
  EXPECT_THROW(convolution(network, "layer", map, 4096, square(1)), NetworkError);
}

TEST(NetworkErrorsOfANetwork, ANetworkHasAName) {
  EXPECT_THROW(Network(""), NetworkError);
}

TEST(NetworkErrorsOfANetwork, ANodeBeyondTheEndIsOutOfRange) {
  const Stage stage;
  EXPECT_THROW(stage.network.macs(99), std::out_of_range);
}

}  // namespace
}  // namespace spillway::models
