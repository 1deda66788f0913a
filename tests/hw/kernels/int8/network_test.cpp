#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "definition.hpp"
#include "random_quantized.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/kernels/int8/calibration/float_maps.hpp"
#include "hw/kernels/int8/network/in_core.hpp"
#include "models/layers.hpp"
#include "models/onnx_reader.hpp"
#include "models/quantized/qdq_file.hpp"
#include "models/quantized/quantize.hpp"
#include "models/seeded_weights.hpp"
#include "models/zoo.hpp"
#include "tests/paths/paths.hpp"

namespace spillway::int8 {
namespace {

std::vector<std::int8_t> random_frame(const models::Shape& shape, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::int8_t> frame(static_cast<std::size_t>(shape.elements()));
  for (std::int8_t& number : frame)
    number = static_cast<std::int8_t>(static_cast<int>(random() % 255) - 127);
  return frame;
}

/// From the order of models to row, column, channel.
std::vector<std::int8_t> interleaved(const std::vector<std::int8_t>& map, const models::Shape& shape) {
  std::vector<std::int8_t> result;
  const auto positions = static_cast<std::size_t>(shape.height * shape.width);
  for (std::size_t i = 0; i < positions; ++i)
    for (std::size_t c = 0; c < static_cast<std::size_t>(shape.channels); ++c)
      result.push_back(map[c * positions + i]);
  return result;
}

void expect_definition(const quantized::QuantizedNetwork& network, std::uint32_t seed) {
  const LayerTable table(network);
  InCore in_core(table);
  const std::vector<std::int8_t> frame = random_frame(table.input(), seed);
  in_core.run(interleaved(frame, table.input()));
  const auto maps = test::evaluate(network, frame);
  for (std::size_t row = 0; row < table.rows().size(); ++row) {
    const models::Node& node = network.network.node(table.rows()[row].row.node);
    const std::vector<std::int8_t> expected = interleaved(maps[table.rows()[row].row.node], node.output);
    ASSERT_TRUE(std::ranges::equal(in_core.map(row), expected)) << network.network.name() << " " << node.name;
  }
  std::size_t output = 0;
  for (models::NodeId id = 0; id < network.network.nodes().size(); ++id)
    if (network.network.consumers(id).empty() && network.network.node(id).op != models::Operator::input) {
      ASSERT_EQ(in_core.output(output), maps[id]);
      ++output;
    }
  ASSERT_EQ(output, table.outputs().size());
}

TEST(InCore, IsTheDefinitionOnRandomNetworks) {
  int networks = 0;
  for (std::uint32_t seed = 1; seed <= 1500; ++seed) {
    const std::optional<quantized::QuantizedNetwork> network = quantized::random_quantized(seed);
    if (!network) continue;
    ++networks;
    SCOPED_TRACE(seed);
    expect_definition(*network, seed);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(networks, 150);
}

TEST(InCore, IsTheDefinitionOnTheSmallNetworksOfTheZoo) {
  for (const char* name : {"tiny-chain", "tiny-depthwise", "tiny-inception", "tiny-residual"}) {
    const models::Network network = *models::zoo(name);
    quantized::FoldedNetwork folded = quantized::fold(network, models::SeededWeights(network, 1).all());
    const std::vector<float> ranges(folded.network.nodes().size(), 3.0F);
    expect_definition(quantized::quantize(std::move(folded), ranges), 1);
    if (HasFatalFailure()) return;
  }
}

TEST(InCore, CountsPaddingAsTheModelSays) {
  for (const bool count_padding : {false, true})
    for (const bool ceil_mode : {false, true}) {
      models::Network network("pool");
      const models::NodeId at = models::input(network, {5, 7, 8});
      models::Node pool;
      pool.name = "pool";
      pool.op = models::Operator::average_pool;
      pool.inputs = {at};
      pool.window = models::square(3, 2, 1);
      pool.window.ceil_mode = ceil_mode;
      pool.count_include_pad = count_padding;
      network.add(pool);
      expect_definition(quantized::quantize(quantized::fold(network, {}), {1, 0.5F}), 3);
      if (HasFatalFailure()) return;
    }
}

template <typename Number>
std::vector<Number> numbers_of(const std::string& name) {
  std::ifstream file(paths::source("tests/models/data/" + name), std::ios::binary | std::ios::ate);
  std::vector<Number> numbers(static_cast<std::size_t>(file.tellg()) / sizeof(Number));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(numbers.data()), static_cast<std::streamsize>(numbers.size() * sizeof(Number)));
  EXPECT_TRUE(file.good()) << name;
  return numbers;
}

/// How many of the 200 images the network classifies right.
int right_of(const quantized::QuantizedNetwork& network) {
  const auto images = numbers_of<float>("fmnist_x200.f32");
  const auto labels = numbers_of<std::int32_t>("fmnist_y200.i32");
  const LayerTable table(network);
  InCore in_core(table);
  int right = 0;
  for (std::size_t image = 0; image < labels.size(); ++image) {
    in_core.run_float(std::span(images).subspan(image * 784, 784));
    const std::vector<std::int8_t> logits = in_core.output(0);
    right += std::ranges::max_element(logits) - logits.begin() == labels[image] ? 1 : 0;
  }
  return right;
}

TEST(Quantized, ClassifiesFashionAsFloat32Does) {
  const auto images = numbers_of<float>("fmnist_x200.f32");
  for (const char* name : {"fmnist_vggmini.onnx", "fmnist_vggmini_bn.onnx"}) {
    const models::OnnxModel model = models::read_onnx_model(paths::source(std::string("tests/models/data/") + name),
                                                            {.dimensions = {}, .weights = true});
    const quantized::FoldedNetwork folded = quantized::fold(model.network, model.weights);
    const auto ranges = ranges_of(folded, std::span(images).first(100 * 784));
    EXPECT_GE(right_of(quantized::quantize(folded, ranges)), 186) << name;  // float32: 187
  }
}

TEST(Quantized, CommittedNetworksClassifyFashion) {
  for (const auto& [name, right] : {std::pair{"fmnist_vggmini_int8.onnx", 187}, {"fmnist_wide_int8.onnx", 186}}) {
    const quantized::QuantizedNetwork network =
        quantized::read_quantized(paths::source(std::string("tests/models/data/") + name));
    EXPECT_EQ(right_of(network), right) << name;
  }
}

TEST(Quantized, TheWideNetworkHasMoreThanOneMegabyteOfWeights) {
  const quantized::QuantizedNetwork network =
      quantized::read_quantized(paths::source("tests/models/data/fmnist_wide_int8.onnx"));
  std::size_t bytes = 0;
  for (const auto& [name, numbers] : network.weights)
    bytes += numbers.weights.size();
  EXPECT_GT(bytes, std::size_t{1} << 20);
}

TEST(Calibration, RefusesNumbersThatAreNotFinite) {
  models::Network network("small");
  models::dense(network, "dense", models::input(network, {3, 1, 1}), 2);
  const quantized::FoldedNetwork folded = quantized::fold(network, models::SeededWeights(network, 1).all());
  try {
    ranges_of(folded, std::vector<float>{1, NAN, 2});
    ADD_FAILURE() << "they were taken";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("node 'input': 1 numbers are not finite"));
  }
}

TEST(Rescale, IsTheNearestFactorOf31Bits) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10000; ++i) {
    const double factor =
        std::ldexp(1 + static_cast<double>(random() >> 11) * 0x1p-53, static_cast<int>(random() % 60) - 31);
    const Rescale rescale = rescale_of(factor);
    EXPECT_GE(rescale.multiplier, 1 << 30);
    EXPECT_GE(rescale.shift, 1);
    EXPECT_LE(rescale.shift, 62);
    EXPECT_NEAR(std::ldexp(rescale.multiplier, -rescale.shift) / factor, 1, 0x1p-31);
  }
  EXPECT_EQ(rescale_of(1), (Rescale{1 << 30, 30}));
  EXPECT_EQ(rescale_of(1 - 0x1p-40), (Rescale{1 << 30, 30}));
}

}  // namespace
}  // namespace spillway::int8
