// The zoo's totals against published figures and against formulas written out by hand.
#include "models/zoo.hpp"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spillway::models {
namespace {

Network get(std::string_view name) {
  auto network = zoo(name);
  if (!network) throw std::runtime_error("not in the zoo: " + std::string(name));
  return *std::move(network);
}

struct Published {
  const char* name;
  std::int64_t macs;
  std::int64_t weights;     ///< without bias
  std::int64_t parameters;  ///< with biases and with scale and shift of normalizations, as frameworks report them
};

void PrintTo(const Published& published, std::ostream* stream) {
  *stream << published.name;
}

class ZooTotals : public ::testing::TestWithParam<Published> {};

TEST_P(ZooTotals, EqualThePublishedOnes) {
  const Published& published = GetParam();
  const Network network = get(published.name);
  EXPECT_EQ(network.total_macs(), published.macs);
  EXPECT_EQ(network.total_weights(), published.weights);
  EXPECT_EQ(network.total_weights() + network.total_biases(), published.parameters);
}

// Parameters: the counts of torchvision, Keras (mobilenet, trainable) and Caffe (alexnet, googlenet).
INSTANTIATE_TEST_SUITE_P(Zoo, ZooTotals,
                         ::testing::Values(Published{"vgg16", 15470264320, 138344128, 138357544},
                                           Published{"vgg19", 19632062464, 143652544, 143667240},
                                           Published{"alexnet", 724406816, 60954656, 60965224},
                                           Published{"alexnet-ungrouped", 1135256096, 62367776, 62378344},
                                           Published{"alexnet-torchvision", 714188480, 61090496, 61100840},
                                           Published{"mobilenet", 568740352, 4209088, 4231976},
                                           Published{"mobilenet-0.25-160", 21059200, 463600, 470072},
                                           Published{"resnet18", 1814073344, 11678912, 11689512},
                                           Published{"resnet50", 4089184256, 25502912, 25557032},
                                           Published{"resnet101", 7801405440, 44442816, 44549160},
                                           Published{"googlenet", 1582671872, 6990272, 6998552},
                                           Published{"densenet121", 2834161664, 7894208, 7978856},
                                           Published{"squeezenet", 349151936, 1231552, 1235496},
                                           Published{"squeezenet-1.0", 818924576, 1244448, 1248424}),
                         [](const auto& given) {
                           std::string name = given.param.name;
                           std::ranges::replace_if(
                               name, [](char c) { return c == '-' || c == '.'; }, '_');
                           return name;
                         });

TEST(Zoo, Vgg16ByFormula) {
  std::int64_t macs = 0;
  std::int64_t weights = 0;
  const auto convolution = [&](std::int64_t size, std::int64_t in, std::int64_t out) {
    macs += size * size * in * out * 9;
    weights += in * out * 9;
  };
  convolution(224, 3, 64);
  convolution(224, 64, 64);
  convolution(112, 64, 128);
  convolution(112, 128, 128);
  convolution(56, 128, 256);
  convolution(56, 256, 256);
  convolution(56, 256, 256);
  convolution(28, 256, 512);
  convolution(28, 512, 512);
  convolution(28, 512, 512);
  for (int layer = 0; layer < 3; ++layer)
    convolution(14, 512, 512);
  const std::int64_t dense = 7 * 7 * 512 * 4096 + 4096 * 4096 + 4096 * 1000;
  EXPECT_EQ(get("vgg16").total_macs(), macs + dense);
  EXPECT_EQ(get("vgg16").total_weights(), weights + dense);
}

TEST(Zoo, AlexnetByFormula) {
  const std::int64_t dense = 6 * 6 * 256 * 4096 + 4096 * 4096 + 4096 * 1000;
  for (const std::int64_t groups : {1, 2}) {
    const std::int64_t conv1 = 3 * 96 * 121;
    const std::int64_t conv2 = 96 / groups * 256 * 25;
    const std::int64_t conv3 = 256 * 384 * 9;
    const std::int64_t conv4 = 384 / groups * 384 * 9;
    const std::int64_t conv5 = 384 / groups * 256 * 9;
    const Network network = get(groups == 2 ? "alexnet" : "alexnet-ungrouped");
    EXPECT_EQ(network.total_weights(), conv1 + conv2 + conv3 + conv4 + conv5 + dense);
    EXPECT_EQ(network.total_macs(), 55 * 55 * conv1 + 27 * 27 * conv2 + 13 * 13 * (conv3 + conv4 + conv5) + dense);
  }
}

TEST(Zoo, MobilenetByFormula) {
  struct Block {
    std::int64_t size, in, out;  // output size, channels before and behind
  };
  std::int64_t macs = 112 * 112 * 3 * 32 * 9 + 1024 * 1000;
  std::int64_t weights = 3 * 32 * 9 + 1024 * 1000;
  std::int64_t dense_weights = weights;
  for (const Block& block :
       {Block{112, 32, 64}, Block{56, 64, 128}, Block{56, 128, 128}, Block{28, 128, 256}, Block{28, 256, 256},
        Block{14, 256, 512}, Block{14, 512, 512}, Block{14, 512, 512}, Block{14, 512, 512}, Block{14, 512, 512},
        Block{14, 512, 512}, Block{7, 512, 1024}, Block{7, 1024, 1024}}) {
    macs += block.size * block.size * block.in * (9 + block.out);
    weights += block.in * (9 + block.out);
    dense_weights += block.in * (9 * block.in + block.out);
  }
  EXPECT_EQ(get("mobilenet").total_macs(), macs);
  EXPECT_EQ(get("mobilenet").total_weights(), weights);
  EXPECT_EQ(get("mobilenet-dense-depthwise").total_macs(), macs);
  EXPECT_EQ(get("mobilenet-dense-depthwise").total_weights(), dense_weights);
  EXPECT_EQ(dense_weights, 29278048);
}

// Published in millions (results of MLPerf Tiny 1.0); the exact counts by formula.
TEST(Zoo, MlperfTiny) {
  EXPECT_EQ(get("autoencoder-toyadmos").total_macs(), 640 * 128 * 2 + 128 * 128 * 6 + 128 * 8 * 2);  // 0.2642
  const std::int64_t stack1 = 2 * 32 * 32 * 16 * 16 * 9;
  const std::int64_t stack2 = 16 * 16 * (16 * 32 * 9 + 32 * 32 * 9 + 16 * 32);
  const std::int64_t stack3 = 8 * 8 * (32 * 64 * 9 + 64 * 64 * 9 + 32 * 64);
  EXPECT_EQ(get("resnet8-cifar").total_macs(), 32 * 32 * 3 * 16 * 9 + stack1 + stack2 + stack3 + 64 * 10);  // 12.50
  EXPECT_EQ(get("ds-cnn-keywords").total_macs(), 25 * 5 * (64 * 40 + 4 * (64 * 9 + 64 * 64)) + 64 * 12);    // 2.657
  EXPECT_EQ(get("mobilenet-0.25-96").total_macs(), 7489664);                                                // 7.490
}

TEST(Zoo, DensenetByFormula) {
  std::int64_t macs = 112 * 112 * 3 * 64 * 49;
  std::int64_t channels = 64;
  std::int64_t size = 56;
  for (const int layers : {6, 12, 24, 16}) {
    for (int layer = 0; layer < layers; ++layer, channels += 32)
      macs += size * size * (channels * 128 + 128 * 32 * 9);
    if (layers == 16) continue;
    macs += size * size * channels * (channels / 2);
    channels /= 2;
    size /= 2;
  }
  EXPECT_EQ(channels, 1024);
  EXPECT_EQ(get("densenet121").total_macs(), macs + 1024 * 1000);
}

TEST(Zoo, TinyNetworksByHand) {
  EXPECT_EQ(get("tiny-chain").total_macs(), 256 * 3 * 8 * 9 + 64 * 8 * 16 * 9 + 64 * 16 * 16 * 9 + 16 * 4 * 4 * 10);
  EXPECT_EQ(get("tiny-depthwise").total_macs(),
            64 * 3 * 8 * 9 + 64 * 8 * 9 + 64 * 8 * 16 + 16 * 16 * 9 + 16 * 16 * 32 + 32 * 10);
  EXPECT_EQ(get("tiny-residual").total_macs(),
            256 * 3 * 8 * 9 + 2 * 256 * 8 * 8 * 9 + 64 * 8 * 16 * 9 + 64 * 16 * 16 * 9 + 64 * 8 * 16 + 16 * 10);
  EXPECT_EQ(get("tiny-inception").total_macs(),
            256 * (3 * 8 * 9 + 8 * 4 + 8 * 4 + 4 * 8 * 9 + 4 * 4 * 25 + 8 * 4) + 20 * 8 * 8 * 10);
}

TEST(Zoo, NamesAreSortedAndComplete) {
  const auto names = zoo_names();
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_THAT(names, ::testing::IsSupersetOf(std::vector<std::string_view>{
                         "alexnet", "alexnet-torchvision", "alexnet-ungrouped", "densenet121", "googlenet", "mobilenet",
                         "mobilenet-dense-depthwise", "resnet101", "resnet18", "resnet50", "squeezenet", "tiny-chain",
                         "tiny-depthwise", "tiny-inception", "tiny-residual", "vgg16", "vgg19"}));
  for (const std::string_view name : names) {
    EXPECT_EQ(get(name).name(), name);
    const auto description = zoo_description(name);
    ASSERT_TRUE(description);
    EXPECT_FALSE(description->empty());
    EXPECT_EQ(description->find('\n'), std::string_view::npos);
  }
}

TEST(Zoo, AnUnknownNameGivesNothing) {
  EXPECT_FALSE(zoo("vgg-16"));
  EXPECT_FALSE(zoo(""));
  EXPECT_FALSE(zoo_description("vgg17"));
}

TEST(Zoo, EveryNetworkIsOneGraphFromTheInputToOneOutput) {
  for (const std::string_view name : zoo_names()) {
    const Network network = get(name);
    EXPECT_EQ(network.node(0).op, Operator::input) << name;
    for (NodeId id = 0; id + 1 < network.nodes().size(); ++id) {
      EXPECT_FALSE(network.consumers(id).empty()) << name << " " << network.node(id).name;
      EXPECT_NE(network.node(id + 1).op, Operator::input) << name;
    }
    // An autoencoder gives its input back instead of naming a class.
    const Operator last = name == "autoencoder-toyadmos" ? Operator::dense : Operator::softmax;
    EXPECT_EQ(network.nodes().back().op, last) << name;
  }
}

}  // namespace
}  // namespace spillway::models
