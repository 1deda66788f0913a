// Each operator in the dialects in which exporters have written it.
#include <limits>
#include <string>
#include <vector>

#include "evaluate.hpp"
#include "onnx_builder.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/onnx_reader.hpp"

namespace spillway::models {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

OnnxModel read(const OnnxBuilder& builder, OnnxReadOptions options = {}) {
  options.weights = true;
  return read_onnx_bytes(builder.bytes(), "model.onnx", options);
}

std::string refusal_of(const OnnxBuilder& builder, const OnnxReadOptions& options = {}) {
  try {
    read_onnx_bytes(builder.bytes(), "model.onnx", options);
  } catch (const OnnxError& error) {
    return error.what();
  }
  return "no error";
}

/// A model of one node over a map of 1x4x6x6, `x` to `y`.
OnnxBuilder one(const std::string& type, std::int64_t opset = 13, int rank = 4) {
  return OnnxBuilder(opset).input("x", {1, 4, 6, 6}).output("y", rank).node(type, {"x"}, "y");
}

const Node& node_of(const OnnxModel& model, const std::string& name) {
  return model.network.node(model.network.find(name).value());
}

std::vector<float> numbers(const Tensor& tensor) {
  return {tensor.values().begin(), tensor.values().end()};
}

Window padded(std::int64_t top, std::int64_t left, std::int64_t bottom, std::int64_t right) {
  Window window;
  window.pad_top = top;
  window.pad_left = left;
  window.pad_bottom = bottom;
  window.pad_right = right;
  return window;
}

TEST(OnnxDialects, ClipHasItsBoundsAsAttributesOrAsInputs) {
  const OnnxModel older = read(one("Clip", 6).set("min", 0.0F).set("max", 6.0F));
  EXPECT_EQ(node_of(older, "y").op, Operator::relu6);
  OnnxBuilder newer(13);
  newer.input("x", {1, 4, 6, 6}).output("y").floats("low", {}, {-1.0F}).node("Clip", {"x", "low"}, "y");
  EXPECT_EQ(node_of(read(newer), "y").op, Operator::clip);
  EXPECT_EQ(node_of(read(newer), "y").minimum, -1);
  EXPECT_EQ(node_of(read(newer), "y").maximum, std::numeric_limits<float>::infinity());
}

TEST(OnnxDialects, PadIsMergedIntoTheConvolutionBehindIt) {
  for (const bool older : {true, false}) {
    OnnxBuilder builder(older ? 9 : 13);
    builder.input("x", {1, 4, 6, 6}).output("y").ramp("w", {2, 4, 3, 3});
    if (older)
      builder.node("Pad", {"x"}, "p").set("pads", {0, 0, 1, 2, 0, 0, 0, 1});
    else
      builder.integers("pads", {0, 0, 1, 2, 0, 0, 0, 1}).node("Pad", {"x", "pads"}, "p");
    builder.node("Conv", {"p", "w"}, "y").set("pads", {1, 0, 0, 0});
    const OnnxModel model = read(builder);
    Window expected = padded(2, 2, 0, 1);
    expected.kernel_height = expected.kernel_width = 3;
    EXPECT_EQ(node_of(model, "y").window, expected);
    EXPECT_THAT(model.merged, ElementsAre(Pair("p", "y")));
    EXPECT_EQ(model.network.nodes().size(), 2U);
  }
}

TEST(OnnxDialects, PadBeforeAPooling) {
  OnnxBuilder mean(13);
  mean.input("x", {1, 4, 6, 6}).output("y").integers("pads", {0, 0, 1, 1, 0, 0, 1, 1});
  mean.node("Pad", {"x", "pads"}, "p").node("AveragePool", {"p"}, "y").set("kernel_shape", {2, 2});
  EXPECT_TRUE(node_of(read(mean), "y").count_include_pad);
  EXPECT_EQ(node_of(read(mean), "y").output, (Shape{4, 7, 7}));

  const auto greatest = [](bool behind_relu, float value) {
    OnnxBuilder builder(13);
    builder.input("x", {1, 4, 6, 6}).output("y").integers("pads", {0, 0, 1, 1, 0, 0, 1, 1}).floats("v", {}, {value});
    builder.node(behind_relu ? "Relu" : "Tanh", {"x"}, "r").node("Pad", {"r", "pads", "v"}, "p");
    builder.node("MaxPool", {"p"}, "y").set("kernel_shape", {2, 2});
    return builder;
  };
  EXPECT_EQ(node_of(read(greatest(true, 0)), "y").window.pad_top, 1);
  EXPECT_EQ(node_of(read(greatest(false, -std::numeric_limits<float>::infinity())), "y").window.pad_top, 1);
  EXPECT_THAT(refusal_of(greatest(false, 0)), HasSubstr("node 'y' (MaxPool): Pad 'p' pads with 0; expected minus inf"));
  EXPECT_THAT(refusal_of(greatest(true, 1)), HasSubstr("pads with 1"));
}

TEST(OnnxDialects, APadWithoutAWindowBehindItIsRefused) {
  OnnxBuilder builder(13);
  builder.input("x", {1, 4, 6, 6}).output("y").integers("pads", {0, 0, 1, 1, 0, 0, 1, 1});
  builder.node("Pad", {"x", "pads"}, "p").node("Relu", {"p"}, "y");
  EXPECT_THAT(refusal_of(builder), HasSubstr("node 'y' (Relu): input 0 is the result of Pad 'p'"));
  builder = OnnxBuilder(13);
  builder.input("x", {1, 4, 6, 6})
      .output("p")
      .integers("pads", {0, 0, 1, 1, 0, 0, 1, 1})
      .node("Pad", {"x", "pads"}, "p");
  EXPECT_THAT(refusal_of(builder), HasSubstr("output 'p' is the result of Pad 'p'"));
  builder = OnnxBuilder(13);
  builder.input("x", {1, 4, 6, 6})
      .output("p")
      .integers("pads", std::vector<std::int64_t>(8))
      .node("Pad", {"x", "pads"}, "p");
  EXPECT_EQ(node_of(read(builder), "p").op, Operator::identity);
}

TEST(OnnxDialects, SqueezeAndUnsqueezeHaveAxesAsAttributeOrInput) {
  for (const bool older : {true, false}) {
    OnnxBuilder builder(older ? 9 : 13);
    builder.input("x", {1, 4, 1, 1}).output("y");
    if (older) {
      builder.node("Squeeze", {"x"}, "s").set("axes", {2, 3}).node("Unsqueeze", {"s"}, "y").set("axes", {2, 3});
    } else {
      builder.integers("axes", {-2, -1});
      builder.node("Squeeze", {"x", "axes"}, "s").node("Unsqueeze", {"s", "axes"}, "y");
    }
    EXPECT_EQ(node_of(read(builder), "s").op, Operator::reshape);
    EXPECT_EQ(node_of(read(builder), "y").output, (Shape{4, 1, 1}));
  }
}

TEST(OnnxDialects, ReshapeTakesItsShapeFromAnAttributeAConstantOrTheInputsShape) {
  EXPECT_EQ(node_of(read(one("Reshape", 1, 2).set("shape", {0, -1})), "y").output, (Shape{144, 1, 1}));
  OnnxBuilder constant(13);
  constant.input("x", {1, 4, 6, 6}).output("y").integers("s", {1, 2, -1, 6}).node("Reshape", {"x", "s"}, "y");
  EXPECT_EQ(node_of(read(constant), "y").output, (Shape{2, 12, 6}));
  OnnxBuilder computed(11);  // x.view(x.size(0), -1)
  computed.input("x", {1, 4, 6, 6}).output("y", 2).integers("rest", {-1});
  computed.node("Constant", {}, "zero").last().add_attribute()->CopyFrom([] {
    onnx::AttributeProto value;
    value.set_name("value");
    value.set_type(onnx::AttributeProto::TENSOR);
    value.mutable_t()->set_data_type(onnx::TensorProto::INT64);
    value.mutable_t()->add_int64_data(0);
    return value;
  }());
  computed.node("Shape", {"x"}, "shape").node("Gather", {"shape", "zero"}, "batch").set("axis", 0);
  computed.node("Unsqueeze", {"batch"}, "list")
      .set("axes", OnnxBuilder::Extents{0})
      .node("Concat", {"list", "rest"}, "to")
      .set("axis", 0);
  computed.node("Reshape", {"x", "to"}, "y");
  const OnnxModel model = read(computed);
  EXPECT_EQ(node_of(model, "y").output, (Shape{144, 1, 1}));
  EXPECT_EQ(model.network.nodes().size(), 2U) << "constants are no nodes";
}

TEST(OnnxDialects, SoftmaxIsReadWhereItNormalizesOverTheChannels) {
  OnnxBuilder row(9);
  row.input("x", {1, 10}).output("y", 2).node("Softmax", {"x"}, "y");
  EXPECT_EQ(node_of(read(row), "y").op, Operator::softmax);
  EXPECT_EQ(node_of(read(one("Softmax", 13).set("axis", 1)), "y").op, Operator::softmax);
  EXPECT_THAT(refusal_of(one("Softmax", 13)), HasSubstr("over axis 3 of 1x4x6x6"));
  EXPECT_THAT(refusal_of(one("Softmax", 9)), HasSubstr("over axis 1 and those behind it of 1x4x6x6"));
}

TEST(OnnxDialects, DropoutIsReadForInference) {
  EXPECT_EQ(node_of(read(one("Dropout", 6).set("is_test", 1)), "y").op, Operator::dropout);
  EXPECT_EQ(node_of(read(one("Dropout", 10).set("ratio", 0.3F)), "y").op, Operator::dropout);
  EXPECT_THAT(refusal_of(one("Dropout", 6)), HasSubstr("training mode"));
  OnnxBuilder newer(13);
  newer.input("x", {1, 4, 6, 6}).output("y").floats("r", {}, {0.5F});
  newer.node("Dropout", {"x", "r"}, "y").last().add_output("mask");
  EXPECT_EQ(node_of(read(newer), "y").op, Operator::dropout);
  newer.output("mask").model.mutable_graph()->mutable_output(1)->mutable_type()->mutable_tensor_type()->set_elem_type(
      onnx::TensorProto::BOOL);
  EXPECT_THAT(refusal_of(newer), HasSubstr("its output 1 'mask' is read"));
}

TEST(OnnxDialects, BatchNormalizationHoldsItsStatisticsInScaleAndShift) {
  OnnxBuilder builder(13);
  builder.input("x", {1, 2, 6, 6}).output("y").floats("s", {2}, {1, 2}).floats("b", {2}, {5, 6});
  builder.floats("m", {2}, {1, 2}).floats("v", {2}, {3, 0}).node("BatchNormalization", {"x", "s", "b", "m", "v"}, "y");
  builder.set("epsilon", 1.0F).set("momentum", 0.5F);
  const LayerWeights weights = read(builder).weights.at("y");
  EXPECT_THAT(numbers(weights.weights), ElementsAre(0.5F, 2.0F));
  EXPECT_THAT(numbers(weights.bias), ElementsAre(4.5F, 2.0F));
  builder.set("training_mode", 1);
  builder.model.mutable_opset_import(0)->set_version(14);
  EXPECT_THAT(refusal_of(builder), HasSubstr("training_mode is 1; expected 0"));
}

TEST(OnnxDialects, BatchNormalizationOfOperatorSet6SaysThatItIsATest) {
  for (const bool test : {true, false}) {
    OnnxBuilder builder(6);
    builder.input("x", {1, 2, 6, 6}).output("y").ramp("s", {2}).floats("v", {2}, {1, 1});
    builder.node("BatchNormalization", {"x", "s", "s", "s", "v"}, "y").set("is_test", test ? 1 : 0);
    if (test)
      EXPECT_EQ(node_of(read(builder), "y").op, Operator::batch_normalization);
    else
      EXPECT_THAT(refusal_of(builder), HasSubstr("is_test is 0, which is training"));
  }
}

TEST(OnnxDialects, ArithmeticWithConstantsIsANormalization) {
  const auto scaled = [](const std::string& type, const OnnxBuilder::Extents& extents, std::vector<float> values) {
    OnnxBuilder builder(13);
    builder.input("x", {1, 2, 3, 3}).output("y").floats("c", extents, values).node(type, {"x", "c"}, "y");
    const LayerWeights weights = read(builder).weights.at("y");
    return std::pair(numbers(weights.weights), numbers(weights.bias));
  };
  EXPECT_THAT(scaled("Mul", {2, 1, 1}, {3, 4}), Pair(ElementsAre(3, 4), ElementsAre(0, 0)));
  EXPECT_THAT(scaled("Mul", {}, {3}), Pair(ElementsAre(3, 3), ElementsAre(0, 0)));
  EXPECT_THAT(scaled("Add", {1, 2, 1, 1}, {3, 4}), Pair(ElementsAre(1, 1), ElementsAre(3, 4)));
  EXPECT_THAT(scaled("Sub", {1}, {3}), Pair(ElementsAre(1, 1), ElementsAre(-3, -3)));
  EXPECT_THAT(scaled("Div", {2, 1, 1}, {2, 4}), Pair(ElementsAre(0.5F, 0.25F), ElementsAre(0, 0)));
  OnnxBuilder wrong(13);
  wrong.input("x", {1, 2, 3, 3}).output("y").ramp("c", {3}).node("Mul", {"x", "c"}, "y");
  EXPECT_THAT(refusal_of(wrong),
              HasSubstr("a constant of 3 with a map of 1x2x3x3; expected one value, or one for each"));
}

TEST(OnnxDialects, BeforeOperatorSet7AnAttributeSaysWhereAConstantBegins) {
  OnnxBuilder builder(6);
  builder.input("x", {1, 2, 3, 3}).output("y").floats("c", {2}, {3, 4}).node("Mul", {"x", "c"}, "y");
  EXPECT_THAT(refusal_of(builder), HasSubstr("without broadcast"));
  builder.set("broadcast", 1).set("axis", 1);
  EXPECT_THAT(numbers(read(builder).weights.at("y").weights), ElementsAre(3, 4));
}

TEST(OnnxDialects, MapsAreCombinedAndAValuePerChannelComesLast) {
  OnnxBuilder builder(13);
  builder.input("x", {1, 4, 6, 6}).output("y").node("GlobalMaxPool", {"x"}, "g").node("Mul", {"g", "x"}, "m");
  builder.node("Sum", {"m", "x", "x"}, "y");
  const OnnxModel model = read(builder);
  EXPECT_EQ(node_of(model, "g").op, Operator::max_pool);
  EXPECT_EQ(node_of(model, "m").op, Operator::multiply);
  EXPECT_THAT(node_of(model, "m").inputs, ElementsAre(0, 1));
  EXPECT_THAT(node_of(model, "y").inputs, ElementsAre(2, 0, 0));
}

TEST(OnnxDialects, GemmHonoursItsFactorsAndItsTransposition) {
  OnnxBuilder builder(13);
  builder.input("x", {1, 2}).output("y", 2).floats("w", {2, 3}, {1, 2, 3, 4, 5, 6}).floats("c", {}, {10});
  builder.node("Gemm", {"x", "w", "c"}, "y").set("alpha", 2.0F).set("beta", 0.5F);
  const OnnxModel model = read(builder);
  EXPECT_TRUE(node_of(model, "y").bias);
  EXPECT_EQ(model.network.macs(1), 6);
  EXPECT_THAT(numbers(model.weights.at("y").weights), ElementsAre(2, 8, 4, 10, 6, 12));
  EXPECT_THAT(numbers(model.weights.at("y").bias), ElementsAre(5, 5, 5));
  builder.set("transA", 1);
  EXPECT_THAT(refusal_of(builder), HasSubstr("transA is 1; expected 0"));
}

TEST(OnnxDialects, MatMulAndTheAddBehindItAreADenseLayer) {
  OnnxBuilder builder(13);
  builder.input("x", {1, 2}).output("y", 2).ramp("w", {2, 3}).floats("b", {3}, {7, 8, 9});
  builder.node("MatMul", {"x", "w"}, "m").node("Add", {"b", "m"}, "a").node("Relu", {"a"}, "y");
  const OnnxModel model = read(builder);
  EXPECT_EQ(model.network.nodes().size(), 3U);
  EXPECT_TRUE(node_of(model, "m").bias);
  EXPECT_THAT(numbers(model.weights.at("m").weights), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(numbers(model.weights.at("m").bias), ElementsAre(7, 8, 9));
  EXPECT_THAT(model.merged, ElementsAre(Pair("a", "m")));
  builder.output("m", 2);  // the sum without the bias is wanted, too
  EXPECT_FALSE(node_of(read(builder), "m").bias);
  EXPECT_EQ(node_of(read(builder), "a").op, Operator::batch_normalization);
}

TEST(OnnxDialects, ConvolutionsPadThemselvesUpperAndLower) {
  const auto window = [](const char* mode, std::int64_t extent, std::int64_t stride) {
    OnnxBuilder builder(13);
    builder.input("x", {1, 1, extent, extent}).output("y").ramp("w", {1, 1, 4, 4}).node("Conv", {"x", "w"}, "y");
    builder.set("auto_pad", mode).set("strides", {stride, stride});
    const Window found = node_of(read(builder), "y").window;
    return std::vector{found.pad_top, found.pad_left, found.pad_bottom, found.pad_right};
  };
  EXPECT_THAT(window("SAME_UPPER", 8, 1), ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(window("SAME_LOWER", 8, 1), ElementsAre(2, 2, 1, 1));
  EXPECT_THAT(window("SAME_UPPER", 9, 2), ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(window("SAME_LOWER", 8, 5), ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(window("VALID", 8, 1), ElementsAre(0, 0, 0, 0));
}

TEST(OnnxDialects, PoolingRoundsUpAndCountsItsPadding) {
  const OnnxModel model =
      read(one("AveragePool").set("kernel_shape", {3, 3}).set("strides", {2, 2}).set("ceil_mode", 1));
  EXPECT_EQ(node_of(model, "y").output, (Shape{4, 3, 3}));
  EXPECT_TRUE(node_of(model, "y").window.ceil_mode);
  OnnxBuilder counted = one("AveragePool");
  counted.set("kernel_shape", {3, 3}).set("pads", {1, 1, 1, 1}).set("count_include_pad", 1);
  EXPECT_TRUE(node_of(read(counted), "y").count_include_pad);
  OnnxBuilder disputed = one("MaxPool");
  disputed.set("kernel_shape", {2, 2}).set("strides", {4, 4}).set("pads", {0, 0, 1, 1}).set("ceil_mode", 1);
  EXPECT_THAT(refusal_of(disputed), HasSubstr("starts in the padding"));
  OnnxBuilder both = one("AveragePool");
  both.set("kernel_shape", {3, 3}).set("strides", {2, 2}).set("ceil_mode", 1).set("count_include_pad", 1);
  EXPECT_THAT(refusal_of(both), HasSubstr("ceil_mode and count_include_pad"));
}

TEST(OnnxDialects, AMeanOverHeightAndWidthIsAPooling) {
  const OnnxModel model = read(one("ReduceMean", 13, 2).set("axes", {-1, 2}).set("keepdims", 0));
  EXPECT_EQ(node_of(model, "y").op, Operator::average_pool);
  EXPECT_EQ(node_of(model, "y").window.kernel_width, 6);
  EXPECT_THAT(refusal_of(one("ReduceMean").set("axes", OnnxBuilder::Extents{1})),
              HasSubstr("a mean over axes 1 of 1x4x6x6"));
}

TEST(OnnxDialects, ActivationsKeepTheirParameters) {
  EXPECT_EQ(node_of(read(one("LeakyRelu")), "y").slope, 0.01F);
  EXPECT_EQ(node_of(read(one("LeakyRelu").set("alpha", 0.5F)), "y").slope, 0.5F);
  const OnnxModel hard = read(one("HardSigmoid").set("beta", 0.25F));
  EXPECT_EQ(node_of(hard, "y").slope, 0.2F);
  EXPECT_EQ(node_of(hard, "y").offset, 0.25F);
  EXPECT_EQ(node_of(read(one("HardSwish", 14)), "y").op, Operator::hard_swish);
  const OnnxModel lrn = read(one("LRN").set("size", 3).set("alpha", 0.5F).set("beta", 0.25F).set("bias", 2.0F));
  EXPECT_EQ(node_of(lrn, "y").normalization_size, 3);
  EXPECT_EQ(node_of(lrn, "y").normalization_alpha, 0.5F);
  EXPECT_EQ(node_of(lrn, "y").normalization_beta, 0.25F);
  EXPECT_EQ(node_of(lrn, "y").normalization_bias, 2.0F);
}

TEST(OnnxDialects, AChannelShuffleIsATransposeBetweenReshapes) {
  OnnxBuilder builder(13);
  builder.input("x", {1, 6, 2, 2}).output("y").integers("groups", {1, 2, 3, 2, 2}).integers("map", {1, 6, 2, 2});
  builder.node("Reshape", {"x", "groups"}, "a").node("Transpose", {"a"}, "b").set("perm", {0, 2, 1, 3, 4});
  builder.node("Reshape", {"b", "map"}, "y");
  const OnnxModel model = read(builder);
  EXPECT_EQ(node_of(model, "b").op, Operator::transpose);
  EXPECT_THAT(node_of(model, "b").permutation, ElementsAre(1, 0, 2));
  std::vector<float> input(24);
  for (std::size_t i = 0; i < input.size(); ++i)
    input[i] = static_cast<float>(i / 4);  // the channel
  const std::vector<float> shuffled = evaluate(model.network, {}, input).back();
  std::vector<float> order;
  for (std::size_t channel = 0; channel < 6; ++channel)
    order.push_back(shuffled[channel * 4]);
  EXPECT_THAT(order, ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(OnnxDialects, TransposesThatMoveNothingAreReshapes) {
  OnnxBuilder builder(13);
  builder.input("x", {1, 6, 1, 2}).output("y").node("Transpose", {"x"}, "y").set("perm", {0, 2, 1, 3});
  EXPECT_EQ(node_of(read(builder), "y").op, Operator::reshape);
  EXPECT_EQ(node_of(read(builder), "y").output, (Shape{1, 6, 2}));
  EXPECT_THAT(node_of(read(one("Transpose").set("perm", {0, 3, 1, 2})), "y").permutation, ElementsAre(2, 0, 1));
  EXPECT_THAT(refusal_of(one("Transpose").set("perm", {1, 0, 2, 3})), HasSubstr("expected 1 as the first extent"));
}

TEST(OnnxDialects, IdentitiesOfInitializersAndUnusedOnesAreFolded) {
  OnnxBuilder builder(13);
  builder.input("x", {1, 1, 6, 6}).output("y").ramp("unused", {7}).ramp("w", {1, 1, 3, 3}).ramp("b", {1});
  builder.node("Identity", {"b"}, "bias").node("Conv", {"x", "w", "bias"}, "c").node("Identity", {"c"}, "y");
  const OnnxModel model = read(builder);
  EXPECT_EQ(model.network.nodes().size(), 3U);
  EXPECT_EQ(node_of(model, "y").op, Operator::identity);
  EXPECT_THAT(model.outputs, ElementsAre("y"));
}

TEST(OnnxDialects, NodesWithoutANameOfTheirOwnAreCalledAfterTheirOutput) {
  OnnxBuilder builder(13);
  builder.input("x", {1, 1, 6, 6}).output("b/y");
  builder.node("Relu", {"x"}, "a/x").last().set_name("");
  builder.node("Relu", {"a/x"}, "c/x").last().set_name("twice");
  builder.node("Relu", {"c/x"}, "b/y").last().set_name("twice");
  builder.node("Relu", {"c/x"}, "d/x").last().set_name("/once/Relu");
  const OnnxModel model = read(builder);
  std::vector<std::string> names;
  for (const Node& node : model.network.nodes())
    names.push_back(node.name);
  EXPECT_THAT(names, ElementsAre("x", "a_x", "c_x", "b_y", "/once/Relu"));
}

TEST(OnnxDialects, DynamicDimensionsAreGiven) {
  OnnxBuilder builder(13);
  builder.input("x", {0, 3, 0, 0}).output("y").ramp("w", {2, 3, 3, 3}).node("Conv", {"x", "w"}, "y");
  EXPECT_EQ(node_of(read(builder, {.dimensions = {{"d2", 8}, {"d3", 9}}}), "y").output, (Shape{2, 6, 7}));
  EXPECT_THAT(refusal_of(builder), AllOf(HasSubstr("the dimension 'd2' has no extent"), HasSubstr("'d3' has no")));
  EXPECT_THAT(refusal_of(builder, {.dimensions = {{"d0", 2}, {"d2", 8}, {"d3", 9}}}),
              HasSubstr("a batch of 2; expected 1"));
  EXPECT_THAT(refusal_of(builder, {.dimensions = {{"d2", 8}, {"d3", 9}, {"h", 1}}}),
              HasSubstr("no dimension is called 'h'; expected one of 'd0', 'd2', 'd3'"));
  builder.model.mutable_graph()
      ->mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(2)
      ->clear_value();
  EXPECT_EQ(node_of(read(builder, {.dimensions = {{"x:2", 8}, {"d3", 9}}}), "y").output, (Shape{2, 6, 7}));
}

}  // namespace
}  // namespace spillway::models
