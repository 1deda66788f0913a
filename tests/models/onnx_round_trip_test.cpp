#include "onnx_round_trip.hpp"

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "evaluate.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/layers.hpp"
#include "models/onnx_reader.hpp"
#include "models/onnx_writer.hpp"
#include "models/seeded_weights.hpp"
#include "models/zoo.hpp"
#include "tests/paths/paths.hpp"

namespace spillway::models {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename Number>
std::vector<Number> numbers_of(const std::string& file) {
  std::ifstream stream(paths::source("tests/models/data/" + file), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  bytes.copy(reinterpret_cast<char*>(numbers.data()), bytes.size());
  return numbers;
}

class SmallNetworks : public ::testing::TestWithParam<const char*> {};

TEST_P(SmallNetworks, WrittenAndReadBackAreTheSame) {
  expect_round_trip(GetParam(), false);
  expect_round_trip(GetParam(), true);
}

INSTANTIATE_TEST_SUITE_P(OfTheZoo, SmallNetworks,
                         ::testing::Values("tiny-chain", "tiny-residual", "tiny-inception", "tiny-depthwise",
                                           "squeezenet", "mobilenet", "mobilenet-dense-depthwise", "googlenet",
                                           "densenet121", "resnet18"),
                         [](const auto& name) {
                           std::string text = name.param;
                           std::erase(text, '-');
                           return text;
                         });

TEST(OnnxOlderDialect, GivesTheCountsOfTheZoo) {
  for (const char* name : {"tiny-inception", "squeezenet", "densenet121", "resnet50", "googlenet", "mobilenet"})
    expect_older_dialect(name);
}

TEST(SeededWeights, KeepValuesOfTheOrderOfOne) {
  for (const char* name : {"tiny-chain", "tiny-residual", "tiny-inception", "tiny-depthwise", "squeezenet"})
    expect_calibrated(name);
}

TEST(SeededWeights, DependOnTheSeedAlone) {
  const Network network = zoo("tiny-chain").value();
  EXPECT_EQ(SeededWeights(network, 1).all(), SeededWeights(network, 1).all());
  EXPECT_NE(SeededWeights(network, 1).all(), SeededWeights(network, 2).all());
  const Tensor weights = SeededWeights(network, 1).of(network.find("conv1").value()).weights;
  EXPECT_THAT(std::vector<float>(weights.values().begin(), weights.values().begin() + 3),
              ElementsAre(0x1.510e56p-3F, -0x1.66521p-3F, 0x1.4a51a8p-2F));
}

class TrainedClassifier : public ::testing::TestWithParam<const char*> {};

/// The numbers of the file, read through the network, are the ones that an independent runtime computed with.
TEST_P(TrainedClassifier, GivesTheLogitsOfAnIndependentRuntime) {
  const std::string path = paths::source("tests/models/data/" + std::string(GetParam()));
  const OnnxModel model = read_onnx_model(path, {.dimensions = {}, .weights = true});
  EXPECT_EQ(model.network.total_macs(), 5'569'408);
  EXPECT_EQ(model.network.total_weights(), 72'208);
  EXPECT_THAT(model.outputs, ElementsAre("/c/c.4/Gemm"));
  const std::vector<float> images = numbers_of<float>("fmnist_x200.f32");
  const std::vector<float> logits = numbers_of<float>("fmnist_logits200.f32");
  ASSERT_EQ(images.size(), 200U * 784);
  for (std::size_t image = 0; image < 20; ++image) {
    const std::vector<float> found =
        evaluate(model.network, model.weights, std::span(images).subspan(image * 784, 784)).back();
    ASSERT_EQ(found.size(), 10U);
    for (std::size_t label = 0; label < 10; ++label)
      EXPECT_NEAR(found[label], logits[image * 10 + label], 2e-4) << "image " << image << ", label " << label;
  }
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutNormalization, TrainedClassifier,
                         ::testing::Values("fmnist_vggmini.onnx", "fmnist_vggmini_bn.onnx"),
                         [](const auto& file) { return file.index == 0 ? "Folded" : "Normalized"; });

/// One of every operator that the zoo does not use.
Network rare_operators() {
  Network network("rare");
  NodeId last = input(network, {4, 6, 6});
  const auto add = [&network, &last](Operator op, auto set) {
    Node node;
    node.name = to_string(op);
    node.op = op;
    node.inputs = {last};
    set(node);
    last = network.add(std::move(node));
  };
  add(Operator::leaky_relu, [](Node& node) { node.slope = 0.3F; });
  add(Operator::clip, [](Node& node) { node.maximum = 2.5F; });
  add(Operator::hard_sigmoid, [](Node& node) {
    node.slope = 0.25F;
    node.offset = 0.5F;
  });
  add(Operator::hard_swish, [](Node&) {});
  add(Operator::sigmoid, [](Node&) {});
  add(Operator::tanh, [](Node&) {});
  add(Operator::identity, [](Node&) {});
  add(Operator::local_response_normalization, [](Node& node) {
    node.normalization_size = 3;
    node.normalization_alpha = 0.5F;
  });
  add(Operator::average_pool, [](Node& node) {
    node.window = square(3, 1, 1);
    node.count_include_pad = true;
  });
  add(Operator::max_pool, [](Node& node) {
    node.window = square(2);
    node.window.dilation_height = 2;
  });
  add(Operator::reshape, [](Node& node) { node.output = {2, 2, 20}; });
  add(Operator::transpose, [](Node& node) { node.permutation = {1, 0, 2}; });
  const NodeId map = last;
  add(Operator::relu6, [](Node&) {});
  const NodeId gate = append(network, Operator::sigmoid, "gate", {global_average_pool(network, "global", last)});
  last = append(network, Operator::multiply, "gated", {map, gate});
  last = append(network, Operator::add, "sum", {last, map, map});
  dense(network, "fc", append(network, Operator::flatten, "flatten", {last}), 5);
  return network;
}

TEST(OnnxWriter, WritesEveryOperator) {
  const TestFolder folder;
  const Network network = rare_operators();
  write_onnx(network, folder.at("rare.onnx"));
  const OnnxModel model = read_onnx_model(folder.at("rare.onnx"));
  EXPECT_TRUE(model.network.nodes() == network.nodes());
  EXPECT_EQ(model.opset, 14) << "hard_swish";
}

TEST(OnnxWriter, ADenseLayerOverAMapGetsAFlatten) {
  const TestFolder folder;
  Network network("net");
  const NodeId map = input(network, {4, 6, 6});
  convolution(network, "conv", dense(network, "fc", map, 3), 2, square(1));
  write_onnx(network, folder.at("net.onnx"));
  const Network found = read_onnx(folder.at("net.onnx"));
  EXPECT_EQ(found.node(found.find("fc_row").value()).op, Operator::flatten);
  EXPECT_EQ(found.node(found.find("conv_map").value()).op, Operator::reshape);
  EXPECT_EQ(found.total_macs(), network.total_macs());
}

TEST(OnnxWriter, TakesOutputsByName) {
  const TestFolder folder;
  write_onnx(zoo("tiny-chain").value(), folder.at("a.onnx"),
             {.external_data = false, .seed = 1, .outputs = {"fc", "pool1"}});
  EXPECT_THAT(read_onnx_model(folder.at("a.onnx")).outputs, ElementsAre("fc", "pool1"));
  EXPECT_THAT(
      [&] {
        write_onnx(zoo("tiny-chain").value(), folder.at("b.onnx"),
                   {.external_data = false, .seed = 1, .outputs = {"fd"}});
      },
      ::testing::ThrowsMessage<OnnxError>(HasSubstr("b.onnx: the output 'fd' is no node")));
}

TEST(OnnxWriter, WhatCannotBeWrittenLeavesNothing) {
  const TestFolder folder;
  const Network network = zoo("tiny-chain").value();
  Weights weights = SeededWeights(network).all();
  weights.erase("conv2");
  EXPECT_THAT([&] { write_onnx(network, weights, folder.at("a.onnx")); },
              ::testing::ThrowsMessage<OnnxError>(HasSubstr("no weights for node 'conv2'")));
  weights["conv2"] = weights["conv1"];
  EXPECT_THAT([&] { write_onnx(network, weights, folder.at("a.onnx")); },
              ::testing::ThrowsMessage<OnnxError>(HasSubstr("weights of 8x3x3x3 for node 'conv2'; expected 16x8x3x3")));
  EXPECT_THAT([&] { write_onnx(network, folder.at("no/a.onnx")); },
              ::testing::ThrowsMessage<OnnxError>(HasSubstr("cannot be written: No such file or directory")));
  EXPECT_THAT([&] { write_onnx(network, folder.path()); },
              ::testing::ThrowsMessage<OnnxError>(HasSubstr("it is a folder")));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(OnnxWriter, ExternalDataThatWasCutShortIsNoticed) {
  const TestFolder folder;
  write_onnx(zoo("tiny-chain").value(), folder.at("a.onnx"), {.external_data = true, .seed = 1, .outputs = {}});
  const std::filesystem::path data = folder.at("a.onnx.data");
  std::filesystem::resize_file(data, std::filesystem::file_size(data) - 1);
  EXPECT_THAT([&] { read_onnx(folder.at("a.onnx")); },
              ::testing::ThrowsMessage<OnnxError>(HasSubstr("external data: " + data.string() + " has")));
}

TEST(OnnxOperators, AreListedByName) {
  EXPECT_GT(onnx_operators().size(), 30U);
  EXPECT_EQ(onnx_operators().front().type, "Add");
}

}  // namespace
}  // namespace spillway::models
