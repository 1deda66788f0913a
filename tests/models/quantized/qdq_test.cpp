#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>

#include "qdq_property.hpp"
#include "random_quantized.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include "models/layers.hpp"
#include "models/quantized/qdq_file.hpp"
#include "models/quantized/quantize.hpp"
#include "models/seeded_weights.hpp"
#include "models/zoo.hpp"
#include "tests/paths/paths.hpp"

namespace spillway::quantized {
namespace {

using ::testing::HasSubstr;

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class Qdq : public testing::Test {
 protected:
  Qdq() {
    std::string name = testing::TempDir() + "qdq.XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~Qdq() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file() const { return folder_ / "network.onnx"; }

  QuantizedNetwork through_file(const QuantizedNetwork& network) const {
    write_quantized(network, file());
    return read_quantized(file());
  }

  std::filesystem::path folder_;
};

/// A convolution, an activation, a pooling and a dense layer.
QuantizedNetwork small() {
  models::Network network("small");
  models::NodeId at = models::input(network, {2, 6, 6});
  at = models::convolution_relu(network, "conv", at, 3, models::square(3, 1, 1));
  at = models::max_pool(network, "pool", at, models::square(2, 2));
  models::dense(network, "dense", at, 4);
  FoldedNetwork folded = fold(network, models::SeededWeights(network, 1).all());
  return quantize(std::move(folded), std::vector<float>(5, 2.0F));
}

/// The same rows with the same numbers; views between them may differ.
void expect_same(const QuantizedNetwork& read, const QuantizedNetwork& written) {
  ASSERT_EQ(read.weights, written.weights);
  const std::vector<Row> rows = rows_of(read.network), expected = rows_of(written.network);
  ASSERT_EQ(rows.size(), expected.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    models::Node node = read.network.node(rows[i].node), same = written.network.node(expected[i].node);
    ASSERT_EQ(read.scales[rows[i].value], written.scales[expected[i].value]) << node.name;
    ASSERT_EQ(rows[i].minimum, expected[i].minimum) << node.name;
    ASSERT_EQ(rows[i].maximum, expected[i].maximum) << node.name;
    for (std::size_t operand = 0; operand < node.inputs.size(); ++operand)
      ASSERT_EQ(read.scales[node.inputs[operand]], written.scales[same.inputs[operand]]) << node.name;
    same.inputs = node.inputs;
    ASSERT_EQ(node, same) << node.name;
  }
}

TEST_F(Qdq, ReadsWhatItWrote) {
  int networks = 0;
  for (std::uint32_t seed = 1; seed <= 1000; ++seed) {
    const std::optional<QuantizedNetwork> network = random_quantized(seed);
    if (!network) continue;
    ++networks;
    SCOPED_TRACE(seed);
    expect_same(through_file(*network), *network);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(networks, 100);
}

TEST_F(Qdq, KeepsTheBoundsOfActivations) {
  for (const char* name : {"mobilenet-0.25-96", "tiny-depthwise"}) {
    const models::Network network = *models::zoo(name);
    FoldedNetwork folded = fold(network, models::SeededWeights(network, 1).all());
    const std::vector<float> ranges(folded.network.nodes().size(), 7.0F);
    const QuantizedNetwork quantized = quantize(std::move(folded), ranges);
    expect_same(through_file(quantized), quantized);
  }
}

TEST_F(Qdq, LeavesNothingWhereItCannotWrite) {
  EXPECT_THROW(write_quantized(small(), folder_), models::OnnxError);
  EXPECT_THROW(write_quantized(small(), folder_ / "none" / "a.onnx"), models::OnnxError);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

/// The problems of the small network's file after a change.
std::string refusal(const std::filesystem::path& file, const std::function<void(onnx::GraphProto&)>& change) {
  write_quantized(small(), file);
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(bytes_of(file)));
  change(*model.mutable_graph());
  std::string bytes;
  model.SerializeToString(&bytes);
  try {
    read_quantized_bytes(bytes, "changed.onnx");
  } catch (const models::OnnxError& error) {
    return error.what();
  }
  ADD_FAILURE() << "it was read";
  return "";
}

onnx::TensorProto& tensor(onnx::GraphProto& graph, const std::string& name) {
  for (onnx::TensorProto& initializer : *graph.mutable_initializer())
    if (initializer.name() == name) return initializer;
  throw std::logic_error("no tensor " + name);
}

onnx::NodeProto& node(onnx::GraphProto& graph, const std::string& name) {
  for (onnx::NodeProto& found : *graph.mutable_node())
    if (found.name() == name) return found;
  throw std::logic_error("no node " + name);
}

void set_float(onnx::GraphProto& graph, const std::string& name, float value) {
  tensor(graph, name).set_raw_data(&value, sizeof(value));
}

TEST_F(Qdq, NamesWhatIsWrong) {
  EXPECT_THAT(refusal(file(), [](onnx::GraphProto& graph) { tensor(graph, "conv_relu.zero").set_raw_data("\x03"); }),
              HasSubstr("a zero point of 3; expected 0"));
  EXPECT_THAT(refusal(file(), [](onnx::GraphProto& graph) { set_float(graph, "input.rounded.scale", -1); }),
              HasSubstr("node 'input' (input): a scale of -1; expected a positive number"));
  EXPECT_THAT(refusal(file(), [](onnx::GraphProto& graph) { set_float(graph, "conv_relu.scale", 0.5F); }),
              HasSubstr("with which it shares its numbers"));
  EXPECT_THAT(refusal(file(), [](onnx::GraphProto& graph) { set_float(graph, "dense.scale", 1e-30F); }),
              HasSubstr("node 'dense' (dense): a quotient of scales"));
  EXPECT_THAT(refusal(file(),
                      [](onnx::GraphProto& graph) {
                        std::string& bytes = *tensor(graph, "conv.weight.int8").mutable_raw_data();
                        bytes[5] = static_cast<char>(-128);
                      }),
              HasSubstr("node 'conv' (convolution): a weight of -128"));
  EXPECT_THAT(refusal(file(),
                      [](onnx::GraphProto& graph) {
                        const std::int32_t bias[4] = {2147483647, 0, 0, 0};
                        tensor(graph, "dense.bias.int32").set_raw_data(bias, sizeof(bias));
                      }),
              HasSubstr("node 'dense' (dense): the sum of filter 0 may reach"));
  EXPECT_THAT(refusal(file(),
                      [](onnx::GraphProto& graph) {
                        const float scales[3] = {1, 1, 1};
                        tensor(graph, "conv.bias.scale").set_raw_data(scales, sizeof(scales));
                      }),
              HasSubstr("of the bias of filter 0; expected"));
  EXPECT_THAT(refusal(file(),
                      [](onnx::GraphProto& graph) {
                        onnx::NodeProto& quantize = node(graph, "dense.int8.QuantizeLinear");
                        quantize.mutable_input()->RemoveLast();
                      }),
              HasSubstr("no zero point, which makes uint8"));
  EXPECT_THAT(refusal(file(), [](onnx::GraphProto& graph) { node(graph, "dense").clear_attribute(); }),
              HasSubstr("node 'dense'"));
  EXPECT_THAT(
      refusal(file(),
              [](onnx::GraphProto& graph) { tensor(graph, "conv.weight.int8").mutable_raw_data()->pop_back(); }),
      HasSubstr("conv.weight"));
  EXPECT_THAT(refusal(file(),
                      [](onnx::GraphProto& graph) {
                        onnx::NodeProto& relu = node(graph, "conv_relu");
                        relu.set_op_type("Sigmoid");
                      }),
              HasSubstr("sigmoid is no clamp"));
}

TEST_F(Qdq, NamesFilesThatAreNotQuantised) {
  EXPECT_THROW(read_quantized(folder_ / "none.onnx"), models::OnnxError);
  EXPECT_THROW(read_quantized_bytes("text", "a.onnx"), models::OnnxError);
  const std::string path = paths::source("tests/models/data/fmnist_vggmini.onnx");
  try {
    read_quantized(path);
    ADD_FAILURE() << "it was read";
  } catch (const models::OnnxError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no QuantizeLinear: not a quantised network"));
  }
}

TEST_F(Qdq, OfAnyBytesIsReadOrRefused) {
  write_quantized(small(), file());
  const std::string bytes = bytes_of(file());
  std::mt19937 random(1);
  for (int change = 0; change < 3000; ++change) {
    std::string changed = bytes;
    for (int i = 0; i < 3; ++i)
      changed[random() % changed.size()] = static_cast<char>(random());
    if (change % 5 == 0) changed.resize(random() % changed.size());
    ASSERT_NO_THROW(check_qdq(changed)) << change;
  }
}

/// What the fuzzer starts from.
TEST(QdqCorpus, IsRead) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(paths::source("tests/models/quantized/corpus"))) {
    EXPECT_NO_THROW(read_quantized(entry.path())) << entry.path();
    EXPECT_NO_THROW(check_qdq(bytes_of(entry.path()))) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 10);
}

TEST(Quantize, TakesTheNearestNumber) {
  EXPECT_EQ(quantize(0.5F, 1), 1);
  EXPECT_EQ(quantize(-0.5F, 1), -1);
  EXPECT_EQ(quantize(1e30F, 1), 127);
  EXPECT_EQ(quantize(-1e30F, 1), -127);
  EXPECT_EQ(quantize(0.49F, 1), 0);
}

TEST(Quantize, WeightsAndBiasesAreWithinHalfAStep) {
  const QuantizedNetwork network = small();
  models::Network plain("small");
  models::NodeId at = models::input(plain, {2, 6, 6});
  at = models::convolution_relu(plain, "conv", at, 3, models::square(3, 1, 1));
  at = models::max_pool(plain, "pool", at, models::square(2, 2));
  models::dense(plain, "dense", at, 4);
  const models::Weights weights = models::SeededWeights(plain, 1).all();
  for (const auto& [name, numbers] : network.weights) {
    const models::Node& node = network.network.node(*network.network.find(name));
    const double input = network.scales[node.inputs.front()];
    const auto exact = weights.at(name).weights.values();
    const std::size_t filter = exact.size() / numbers.scales.size();
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const double scale = numbers.scales[i / filter];
      EXPECT_LE(std::fabs(exact[i] - scale * numbers.weights[i]), 0.5001 * scale);
    }
    for (std::size_t k = 0; k < numbers.bias.size(); ++k) {
      const double scale = input * numbers.scales[k];
      EXPECT_LE(std::fabs(weights.at(name).bias.values()[k] - scale * numbers.bias[k]), 0.5001 * scale);
    }
  }
}

TEST(Quantize, AFilterOfZerosKeepsItsBias) {
  models::Network network("zeros");
  models::dense(network, "dense", models::input(network, {3, 1, 1}), 1);
  models::Weights weights;
  weights["dense"] = {models::Tensor({1, 3}, {0, 0, 0}), models::Tensor({1}, {0.75F})};
  const QuantizedNetwork quantized = quantize(fold(network, weights), {1, 1});
  const QuantizedWeights& numbers = quantized.weights.at("dense");
  EXPECT_NEAR(numbers.bias[0] * double{numbers.scales[0]} * quantized.scales[0], 0.75, 1e-6);
}

}  // namespace
}  // namespace spillway::quantized
