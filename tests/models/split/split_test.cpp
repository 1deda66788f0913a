#include "models/split/split.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/layers.hpp"
#include "models/zoo.hpp"
#include "tests/sim/tiling/random_network.hpp"

namespace spillway::split {
namespace {

using models::Network;
using models::NodeId;
using models::Operator;
using testing::ElementsAre;
using testing::IsEmpty;

/// input -> a -> b -> sum -> out, a -> sum, input -> c -> sum; `side` is a result that nobody reads.
Network diamond() {
  Network network("diamond");
  const NodeId in = models::input(network, {2, 4, 4});
  const NodeId a = models::append(network, Operator::relu, "a", {in});
  const NodeId b = models::append(network, Operator::sigmoid, "b", {a});
  const NodeId c = models::append(network, Operator::tanh, "c", {in});
  const NodeId sum = models::append(network, Operator::add, "sum", {b, a, c});
  models::append(network, Operator::relu, "side", {b});
  models::append(network, Operator::softmax, "out", {sum});
  return network;
}

Request request_for(const Network& network, std::size_t ranks, const std::vector<std::optional<Rank>>& of_node) {
  Request request;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    request.keys.push_back("rank" + std::to_string(rank));
  request.rank_of_node = of_node;
  EXPECT_EQ(of_node.size(), network.nodes().size());
  return request;
}

TEST(Split, OneTensorForSeveralRanksAndBothDirections) {
  const Network network = diamond();
  //                      input         a  b  c  sum side out
  const Split result = split(network, request_for(network, 3, {std::nullopt, 0, 1, 2, 0, 1, 2}));
  ASSERT_EQ(result.buffers.size(), 5u);
  EXPECT_EQ(result.buffers[0].name, "input");  // read by ranks 0 and 2; the first has it and passes it on
  EXPECT_EQ(result.buffers[0].source, 0u);
  EXPECT_THAT(result.buffers[0].destinations, ElementsAre(2));
  EXPECT_EQ(result.buffers[1].name, "a");
  EXPECT_THAT(result.buffers[1].destinations, ElementsAre(1));
  EXPECT_EQ(result.buffers[2].name, "b");
  EXPECT_THAT(result.buffers[2].destinations, ElementsAre(0));
  EXPECT_EQ(result.buffers[3].name, "c");
  EXPECT_EQ(result.buffers[4].name, "sum");
  EXPECT_EQ(result.buffers[4].elements, 32);

  EXPECT_THAT(result.ranks[0].layers, ElementsAre(1, 4));
  EXPECT_THAT(result.ranks[0].inputs, ElementsAre(0));
  EXPECT_THAT(result.ranks[0].sends, ElementsAre(0, 1, 4));
  EXPECT_THAT(result.ranks[0].receives, ElementsAre(2, 3));
  EXPECT_THAT(result.ranks[1].outputs, ElementsAre(5));
  EXPECT_THAT(result.ranks[2].outputs, ElementsAre(6));
  EXPECT_THAT(result.ranks[2].inputs, IsEmpty());
}

TEST(Split, GivenOutputsAndTensorNames) {
  const Network network = diamond();
  Request request = request_for(network, 2, {std::nullopt, 0, 0, 0, 1, 0, 1});
  request.outputs = {2, 6};
  request.tensors = {"x", "t/a", "t/b", "t/c", "t/sum", "t/side", "y"};
  const Split result = split(network, request);
  EXPECT_EQ(result.buffers[0].name, "t/a");
  EXPECT_THAT(result.ranks[0].outputs, ElementsAre(2));
  EXPECT_THAT(result.ranks[1].outputs, ElementsAre(6));
}

TEST(Split, SubNetworkHasWhatItReceivesAsInputs) {
  const Network network = diamond();
  const Split result = split(network, request_for(network, 3, {std::nullopt, 0, 1, 2, 0, 1, 2}));
  const Network part = sub_network(network, result, 0);
  ASSERT_EQ(part.nodes().size(), 5u);
  EXPECT_EQ(part.node(*part.find("b")).op, Operator::input);
  EXPECT_EQ(part.node(*part.find("b")).output, network.node(2).output);
  EXPECT_EQ(part.node(*part.find("sum")).inputs,
            (std::vector<NodeId>{*part.find("b"), *part.find("a"), *part.find("c")}));
}

TEST(Split, EveryRequestThatContradictsItself) {
  const Network network = diamond();
  EXPECT_THROW(split(network, request_for(network, 1, {std::nullopt, 0, 0, 0, 0, 0, std::nullopt})), SplitError);
  EXPECT_THROW(split(network, request_for(network, 1, {0, 0, 0, 0, 0, 0, 0})), SplitError);
  EXPECT_THROW(split(network, request_for(network, 1, {std::nullopt, 0, 0, 0, 0, 0, 1})), SplitError);
  EXPECT_THROW(split(network, Request{}), SplitError);
}

/// The largest part of the best cut, by trying all.
std::int64_t best_cut(const std::vector<std::int64_t>& work, std::size_t begin, std::size_t parts) {
  std::int64_t all = 0, best = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = begin; i < work.size(); ++i)
    all += work[i];
  if (parts == 1) return all;
  std::int64_t first = 0;
  for (std::size_t end = begin + 1; end + parts - 1 <= work.size(); ++end) {
    first += work[end - 1];
    best = std::min(best, std::max(first, best_cut(work, end, parts - 1)));
  }
  return best;
}

TEST(BalancedCut, NoCutHasASmallerLargestPart) {
  tiling::Random random(7);
  for (int trial = 0; trial < 50; ++trial) {
    const Network network = tiling::random_network(random);
    std::vector<std::int64_t> work;
    for (NodeId id = 1; id < network.nodes().size(); ++id)
      work.push_back(network.macs(id));
    const auto parts = static_cast<std::size_t>(random.between(1, static_cast<std::int64_t>(work.size())));
    const std::vector<std::optional<Rank>> cut = balanced_cut(network, parts);
    std::vector<std::int64_t> sums(parts, 0);
    std::vector<std::size_t> layers(parts, 0);
    for (NodeId id = 1; id < network.nodes().size(); ++id) {
      sums.at(*cut[id]) += network.macs(id);
      ++layers[*cut[id]];
      EXPECT_TRUE(id == 1 || *cut[id] == *cut[id - 1] || *cut[id] == *cut[id - 1] + 1);
    }
    EXPECT_EQ(std::ranges::max(sums), best_cut(work, 0, parts));
    EXPECT_GT(std::ranges::min(layers), 0u);
  }
}

TEST(BalancedCut, Vgg19InTwentyFourParts) {
  const Network network = *models::zoo("vgg19");
  const std::vector<std::optional<Rank>> cut = balanced_cut(network, 24);
  EXPECT_EQ(cut.back(), std::optional<Rank>(23));
  EXPECT_THROW(balanced_cut(network, 0), SplitError);
  EXPECT_THROW(balanced_cut(network, network.nodes().size()), SplitError);
}

}  // namespace
}  // namespace spillway::split
