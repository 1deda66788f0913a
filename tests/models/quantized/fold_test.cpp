#include "models/quantized/fold.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "evaluate.hpp"
#include "random_network.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/layers.hpp"
#include "models/seeded_weights.hpp"
#include "models/zoo.hpp"

namespace spillway::quantized {
namespace {

using models::append;
using models::Network;
using models::NodeId;
using models::Operator;
using models::square;
using ::testing::HasSubstr;

FoldedNetwork fold_seeded(const Network& network) {
  return fold(network, models::SeededWeights(network, 1).all());
}

/// What fold() says about a network that it refuses.
std::vector<Problem> problems_of(const Network& network) {
  try {
    fold_seeded(network);
  } catch (const QuantizationError& error) {
    return error.problems();
  }
  ADD_FAILURE() << network.name() << " was not refused";
  return {{"", ""}};
}

void expect_refused(const Network& network, const std::string& node, const std::string& reason) {
  const std::vector<Problem> problems = problems_of(network);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems.front().node, node);
  EXPECT_THAT(problems.front().what, HasSubstr(reason));
}

struct Start {
  Network network{"start"};
  NodeId input = models::input(network, {4, 8, 8});
};

TEST(Fold, KeepsTheResults) {
  for (const char* name : {"tiny-chain", "tiny-depthwise", "tiny-inception", "tiny-residual"}) {
    const Network network = *models::zoo(name);
    const models::Weights weights = models::SeededWeights(network, 1).all();
    const FoldedNetwork folded = fold(network, weights);
    std::vector<float> frame(static_cast<std::size_t>(network.node(0).output.elements()));
    for (std::size_t i = 0; i < frame.size(); ++i)
      frame[i] = std::sin(static_cast<float>(i));
    const auto before = models::evaluate(network, weights, frame);
    const auto after = models::evaluate(folded.network, folded.weights, frame);
    NodeId last = network.nodes().size() - 1;
    if (network.node(last).op == Operator::softmax) last = network.node(last).inputs.front();
    ASSERT_EQ(before[last].size(), after.back().size()) << name;
    for (std::size_t i = 0; i < after.back().size(); ++i)
      EXPECT_NEAR(before[last][i], after.back()[i], 1e-4F * std::max(1.0F, std::fabs(before[last][i]))) << name;
    for (const models::Node& node : folded.network.nodes()) {
      EXPECT_NE(node.op, Operator::batch_normalization);
      EXPECT_TRUE(network.find(node.name)) << node.name;
    }
  }
}

TEST(Fold, FusesActivationsIntoTheirRow) {
  Start start;
  const NodeId row = models::convolution(start.network, "conv", start.input, 4, square(3, 1, 1));
  const NodeId first = append(start.network, Operator::relu, "relu", {row});
  append(start.network, Operator::relu6, "relu6", {first});
  const std::vector<Row> rows = rows_of(fold_seeded(start.network).network);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].node, 1U);
  EXPECT_EQ(rows[0].value, 3U);
  EXPECT_EQ(rows[0].minimum, 0);
  EXPECT_EQ(rows[0].maximum, 6);
}

TEST(Fold, LeavesOutWhatHasNoEffect) {
  Start start;
  NodeId at = models::convolution(start.network, "conv", start.input, 4, square(3, 1, 1));
  at = append(start.network, Operator::dropout, "drop", {at});
  at = append(start.network, Operator::batch_normalization, "bn", {at});
  at = append(start.network, Operator::identity, "same", {at});
  at = append(start.network, Operator::relu, "relu", {at});
  append(start.network, Operator::softmax, "softmax", {at});
  const Network folded = fold_seeded(start.network).network;
  ASSERT_EQ(folded.nodes().size(), 3U);
  EXPECT_EQ(folded.nodes().back().name, "relu");
}

TEST(Fold, RefusesByNameWithTheReason) {
  for (const Operator op : {Operator::sigmoid, Operator::tanh, Operator::hard_swish, Operator::leaky_relu}) {
    Start start;
    const NodeId row = models::convolution(start.network, "conv", start.input, 4, square(1));
    append(start.network, op, "curve", {row});
    expect_refused(start.network, "curve", "is no clamp; int8 has relu, relu6 and clip");
  }
  {
    Start start;
    models::local_response_normalization(start.network, "lrn", start.input, 5);
    expect_refused(start.network, "lrn", "local response normalization");
  }
  {
    Start start;
    append(start.network, Operator::multiply, "product", {start.input, start.input});
    expect_refused(start.network, "product", "the product of two maps");
  }
  {
    Start start;
    const NodeId pool = models::max_pool(start.network, "pool", start.input, square(2, 2));
    append(start.network, Operator::batch_normalization, "bn", {pool});
    expect_refused(start.network, "bn", "behind max_pool 'pool'");
  }
  {
    Start start;
    const NodeId row = models::convolution(start.network, "conv", start.input, 4, square(1));
    const NodeId both = append(start.network, Operator::concat, "both", {row, row});
    append(start.network, Operator::relu, "relu", {both});
    expect_refused(start.network, "relu", "behind concat 'both'");
  }
  {
    Start start;
    const NodeId row = models::convolution(start.network, "conv", start.input, 4, square(1));
    const NodeId relu = append(start.network, Operator::relu, "relu", {row});
    append(start.network, Operator::add, "sum", {row, relu});
    EXPECT_THAT(problems_of(start.network).front().what, HasSubstr("must be the only reader"));
  }
  {
    Start start;
    const NodeId softmax = append(start.network, Operator::softmax, "softmax", {start.input});
    models::convolution(start.network, "conv", softmax, 4, square(1));
    expect_refused(start.network, "softmax", "expected one at the end only");
  }
  {
    Start start;
    const NodeId pooled = models::global_average_pool(start.network, "pool", start.input);
    append(start.network, Operator::add, "sum", {start.input, pooled});
    expect_refused(start.network, "sum", "operand 'pool' is 4x1x1, not 4x8x8");
  }
}

TEST(Fold, TellsOfEverythingAtOnce) {
  const std::vector<Problem> problems = problems_of(*models::zoo("alexnet"));
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_NE(problems[0].node, problems[1].node);
}

TEST(Fold, WantsFiniteWeights) {
  Start start;
  models::convolution(start.network, "conv", start.input, 4, square(1));
  models::Weights weights = models::SeededWeights(start.network, 1).all();
  std::vector<float> numbers(16, NAN);
  weights["conv"].weights = models::Tensor({4, 4, 1, 1}, numbers);
  EXPECT_THROW(fold(start.network, weights), QuantizationError);
  weights.erase("conv");
  EXPECT_THROW(fold(start.network, weights), QuantizationError);
}

}  // namespace
}  // namespace spillway::quantized
