// Single layers of the zoo by name: tables that compare networks layer by layer find them by these names.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/zoo.hpp"

namespace spillway::models {
namespace {

using ::testing::ElementsAre;

struct Row {
  const char* name;
  Operator op;
  Shape input;
  Shape output;
};

void expect_rows(std::string_view name, const std::vector<Row>& rows) {
  const auto network = zoo(name);
  ASSERT_TRUE(network);
  for (const Row& row : rows) {
    const auto id = network->find(row.name);
    ASSERT_TRUE(id) << name << " has no " << row.name;
    EXPECT_EQ(network->node(*id).op, row.op) << row.name;
    EXPECT_EQ(network->input_shape(*id), row.input) << row.name << " reads " << to_string(network->input_shape(*id));
    EXPECT_EQ(network->node(*id).output, row.output) << row.name << " gives " << to_string(network->node(*id).output);
  }
}

/// Names of the nodes that do work or change the map, in order.
std::vector<std::string> layers(std::string_view name) {
  const auto network = zoo(name);
  std::vector<std::string> names;
  for (const Node& node : network->nodes()) {
    switch (node.op) {
      case Operator::convolution:
      case Operator::dense:
      case Operator::max_pool:
      case Operator::average_pool:
      case Operator::local_response_normalization:
      case Operator::add:
        names.push_back(node.name);
        break;
      default:
        break;
    }
  }
  return names;
}

std::string producer(const Network& network, std::string_view name, std::size_t position = 0) {
  return network.node(network.node(*network.find(name)).inputs.at(position)).name;
}

TEST(ZooLayers, NamesOfChains) {
  EXPECT_THAT(layers("vgg16"), ElementsAre("conv1_1", "conv1_2", "pool1", "conv2_1", "conv2_2", "pool2", "conv3_1",
                                           "conv3_2", "conv3_3", "pool3", "conv4_1", "conv4_2", "conv4_3", "pool4",
                                           "conv5_1", "conv5_2", "conv5_3", "pool5", "fc6", "fc7", "fc8"));
  EXPECT_THAT(layers("alexnet"), ElementsAre("conv1", "lrn1", "pool1", "conv2", "lrn2", "pool2", "conv3", "conv4",
                                             "conv5", "pool5", "fc6", "fc7", "fc8"));
  EXPECT_THAT(layers("alexnet-ungrouped"),
              ElementsAre("conv1", "pool1", "conv2", "pool2", "conv3", "conv4", "conv5", "pool5", "fc6", "fc7", "fc8"));
  EXPECT_EQ(layers("alexnet-torchvision"), layers("alexnet-ungrouped"));
  EXPECT_EQ(layers("mobilenet").size(), 1U + 2 * 13 + 2);
  EXPECT_EQ(layers("mobilenet-dense-depthwise"), layers("mobilenet"));
}

TEST(ZooLayers, NamesOfResidualBlocks) {
  EXPECT_THAT(layers("resnet18"), ElementsAre("conv1", "maxpool", "c2_1a", "c2_1b", "add2_1", "c2_2a", "c2_2b",
                                              "add2_2", "c3_1a", "c3_1b", "ds3", "add3_1", "c3_2a", "c3_2b", "add3_2",
                                              "c4_1a", "c4_1b", "ds4", "add4_1", "c4_2a", "c4_2b", "add4_2", "c5_1a",
                                              "c5_1b", "ds5", "add5_1", "c5_2a", "c5_2b", "add5_2", "avgpool", "fc"));
}

TEST(ZooLayers, Vgg16) {
  expect_rows("vgg16", {{"conv1_1", Operator::convolution, {3, 224, 224}, {64, 224, 224}},
                        {"pool3", Operator::max_pool, {256, 56, 56}, {256, 28, 28}},
                        {"conv5_3", Operator::convolution, {512, 14, 14}, {512, 14, 14}},
                        {"pool5", Operator::max_pool, {512, 14, 14}, {512, 7, 7}},
                        {"fc6", Operator::dense, {25088, 1, 1}, {4096, 1, 1}},
                        {"fc8", Operator::dense, {4096, 1, 1}, {1000, 1, 1}}});
}

TEST(ZooLayers, AlexnetNormalizesBetweenReluAndPooling) {
  expect_rows("alexnet", {{"conv1", Operator::convolution, {3, 227, 227}, {96, 55, 55}},
                          {"lrn1", Operator::local_response_normalization, {96, 55, 55}, {96, 55, 55}},
                          {"pool1", Operator::max_pool, {96, 55, 55}, {96, 27, 27}},
                          {"conv2", Operator::convolution, {96, 27, 27}, {256, 27, 27}},
                          {"conv4", Operator::convolution, {384, 13, 13}, {384, 13, 13}},
                          {"pool5", Operator::max_pool, {256, 13, 13}, {256, 6, 6}},
                          {"fc6", Operator::dense, {9216, 1, 1}, {4096, 1, 1}}});
  const Network network = *zoo("alexnet");
  EXPECT_EQ(producer(network, "pool1"), "lrn1");
  EXPECT_EQ(producer(network, "lrn1"), "conv1_relu");
  EXPECT_EQ(producer(network, "pool2"), "lrn2");
  EXPECT_EQ(network.node(*network.find("lrn1")).normalization_size, 5);
  for (const char* const grouped : {"conv2", "conv4", "conv5"})
    EXPECT_EQ(network.node(*network.find(grouped)).groups, 2) << grouped;
  for (const char* const plain : {"conv1", "conv3"})
    EXPECT_EQ(network.node(*network.find(plain)).groups, 1) << plain;
}

TEST(ZooLayers, AlexnetOfTorchvision) {
  expect_rows("alexnet-torchvision", {{"conv1", Operator::convolution, {3, 224, 224}, {64, 55, 55}},
                                      {"conv4", Operator::convolution, {384, 13, 13}, {256, 13, 13}},
                                      {"pool5", Operator::max_pool, {256, 13, 13}, {256, 6, 6}}});
}

TEST(ZooLayers, Mobilenet) {
  expect_rows("mobilenet", {{"conv1", Operator::convolution, {3, 224, 224}, {32, 112, 112}},
                            {"dw2", Operator::convolution, {64, 112, 112}, {64, 56, 56}},
                            {"pw11", Operator::convolution, {512, 14, 14}, {512, 14, 14}},
                            {"dw12", Operator::convolution, {512, 14, 14}, {512, 7, 7}},
                            {"pw13", Operator::convolution, {1024, 7, 7}, {1024, 7, 7}},
                            {"avgpool", Operator::average_pool, {1024, 7, 7}, {1024, 1, 1}},
                            {"fc", Operator::dense, {1024, 1, 1}, {1000, 1, 1}}});
  for (const char* const name : {"mobilenet", "mobilenet-dense-depthwise"}) {
    const Network network = *zoo(name);
    int depthwise = 0;
    for (NodeId id = 0; id < network.nodes().size(); ++id)
      depthwise += network.is_depthwise(id) ? 1 : 0;
    EXPECT_EQ(depthwise, 13) << name;
  }
}

TEST(ZooLayers, Resnet50HasItsStrideInTheMiddle) {
  expect_rows("resnet50", {{"maxpool", Operator::max_pool, {64, 112, 112}, {64, 56, 56}},
                           {"ds2", Operator::convolution, {64, 56, 56}, {256, 56, 56}},
                           {"c3_1a", Operator::convolution, {256, 56, 56}, {128, 56, 56}},
                           {"c3_1b", Operator::convolution, {128, 56, 56}, {128, 28, 28}},
                           {"ds3", Operator::convolution, {256, 56, 56}, {512, 28, 28}},
                           {"add5_3", Operator::add, {2048, 7, 7}, {2048, 7, 7}}});
  const Network network = *zoo("resnet50");
  EXPECT_EQ(producer(network, "add3_1", 0), "c3_1c_bn");
  EXPECT_EQ(producer(network, "add3_1", 1), "ds3_bn");
  EXPECT_EQ(producer(network, "add3_2", 1), "add3_1_relu");
}

TEST(ZooLayers, Googlenet) {
  expect_rows("googlenet", {{"conv1", Operator::convolution, {3, 224, 224}, {64, 112, 112}},
                            {"pool1", Operator::max_pool, {64, 112, 112}, {64, 56, 56}},
                            {"conv2r", Operator::convolution, {64, 56, 56}, {64, 56, 56}},
                            {"pool2", Operator::max_pool, {192, 56, 56}, {192, 28, 28}},
                            {"3a_5x5", Operator::convolution, {16, 28, 28}, {32, 28, 28}},
                            {"3a_concat", Operator::concat, {256, 28, 28}, {256, 28, 28}},
                            {"pool3", Operator::max_pool, {480, 28, 28}, {480, 14, 14}},
                            {"4e_pp", Operator::convolution, {528, 14, 14}, {128, 14, 14}},
                            {"pool4", Operator::max_pool, {832, 14, 14}, {832, 7, 7}},
                            {"5b_concat", Operator::concat, {1024, 7, 7}, {1024, 7, 7}},
                            {"fc", Operator::dense, {1024, 1, 1}, {1000, 1, 1}}});
  EXPECT_EQ(zoo("googlenet")->node(*zoo("googlenet")->find("3a_5x5")).window.kernel_height, 5);
}

TEST(ZooLayers, Densenet121) {
  expect_rows("densenet121", {{"d1_1_1x1", Operator::convolution, {64, 56, 56}, {128, 56, 56}},
                              {"d1_6_concat", Operator::concat, {256, 56, 56}, {256, 56, 56}},
                              {"t1", Operator::convolution, {256, 56, 56}, {128, 56, 56}},
                              {"t1_pool", Operator::average_pool, {128, 56, 56}, {128, 28, 28}},
                              {"t2_pool", Operator::average_pool, {256, 28, 28}, {256, 14, 14}},
                              {"t3_pool", Operator::average_pool, {512, 14, 14}, {512, 7, 7}},
                              {"d4_16_concat", Operator::concat, {1024, 7, 7}, {1024, 7, 7}}});
}

TEST(ZooLayers, Squeezenet) {
  expect_rows("squeezenet", {{"conv1", Operator::convolution, {3, 224, 224}, {64, 111, 111}},
                             {"pool1", Operator::max_pool, {64, 111, 111}, {64, 55, 55}},
                             {"pool5", Operator::max_pool, {256, 27, 27}, {256, 13, 13}},
                             {"conv10", Operator::convolution, {512, 13, 13}, {1000, 13, 13}}});
  expect_rows("squeezenet-1.0", {{"conv1", Operator::convolution, {3, 224, 224}, {96, 109, 109}},
                                 {"pool1", Operator::max_pool, {96, 109, 109}, {96, 54, 54}},
                                 {"pool4", Operator::max_pool, {256, 54, 54}, {256, 27, 27}},
                                 {"pool8", Operator::max_pool, {512, 27, 27}, {512, 13, 13}}});
}

TEST(ZooLayers, TinyNetworks) {
  expect_rows("tiny-residual", {{"ds2", Operator::convolution, {8, 16, 16}, {16, 8, 8}},
                                {"add2", Operator::add, {16, 8, 8}, {16, 8, 8}}});
  expect_rows("tiny-inception", {{"concat", Operator::concat, {20, 16, 16}, {20, 16, 16}},
                                 {"pool2", Operator::max_pool, {20, 16, 16}, {20, 8, 8}}});
}

}  // namespace
}  // namespace spillway::models
