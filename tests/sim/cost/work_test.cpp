#include "sim/cost/work.hpp"

#include <numeric>

#include <gtest/gtest.h>

#include "models/layers.hpp"
#include "models/zoo.hpp"

namespace spillway::cost {
namespace {

using models::Network;
using models::NodeId;
using models::Operator;

double macs(const Work& work, ComputeKind kind) {
  return work.macs[static_cast<std::size_t>(kind)];
}
double bytes(const Work& work, MemoryKind kind) {
  return work.bytes[static_cast<std::size_t>(kind)];
}

/// An input of 8 channels of 10 x 10, as the first node.
Network with_input() {
  Network network("net");
  models::input(network, {8, 10, 10});
  return network;
}

TEST(Work, KindsOfConvolutions) {
  Network network = with_input();
  const auto kind_is = [&](ComputeKind kind, const models::Window& window, std::int64_t groups = 1) {
    const NodeId id = models::convolution(network, "conv" + std::to_string(network.nodes().size()), 0, 16, window,
                                          {.groups = groups});
    return macs(work_of(network, id), kind) == static_cast<double>(network.macs(id));
  };
  EXPECT_TRUE(kind_is(ComputeKind::winograd, models::square(3, 1, 1)));
  EXPECT_TRUE(kind_is(ComputeKind::convolution, models::square(3, 2, 1)));
  EXPECT_TRUE(kind_is(ComputeKind::convolution, models::square(3, 1, 1), 2));
  EXPECT_TRUE(kind_is(ComputeKind::convolution, models::square(5, 1, 2)));
  EXPECT_TRUE(kind_is(ComputeKind::pointwise, models::square(1)));
  EXPECT_TRUE(kind_is(ComputeKind::depthwise, models::square(3, 1, 1), 8));
}

TEST(Work, BytesAreInputsOutputsAndWeightsOnce) {
  Network network = with_input();
  const NodeId grouped = models::convolution(network, "grouped", 0, 16, models::square(3, 1, 1), {.groups = 2});
  EXPECT_EQ(bytes(work_of(network, grouped), MemoryKind::convolution), 4 * (800 + 1600 + 16 * 4 * 9));
  const NodeId pool = models::max_pool(network, "pool", grouped, models::square(2, 2));
  EXPECT_EQ(bytes(work_of(network, pool), MemoryKind::pooling), 4 * (1600 + 400));
  const NodeId dense = models::dense(network, "dense", pool, 10);
  EXPECT_EQ(bytes(work_of(network, dense), MemoryKind::dense), 4 * (400 + 10 + 4000));
  EXPECT_EQ(macs(work_of(network, dense), ComputeKind::dense), 4000);
  const NodeId sum = models::append(network, Operator::add, "sum", {grouped, grouped});
  EXPECT_EQ(bytes(work_of(network, sum), MemoryKind::elementwise), 4 * 3 * 1600);
  for (const Operator op : {Operator::dropout, Operator::flatten, Operator::identity})
    EXPECT_EQ(work_of(network, models::append(network, op, std::string(to_string(op)), {pool})), Work{});
  EXPECT_EQ(work_of(network, 0), Work{});
}

TEST(Work, DepthwiseWeightsAreTrueWhereSwapNnCountsThemAsDense) {
  EXPECT_EQ(work_of(*models::zoo("mobilenet")), work_of(*models::zoo("mobilenet-dense-depthwise")));
}

TEST(Work, FusesWhatNobodyElseReads) {
  Network network = with_input();
  const NodeId of_input = models::append(network, Operator::relu, "of_input", {0});
  EXPECT_FALSE(can_fuse(network, of_input));
  const NodeId last = models::convolution_normalized(network, "conv", of_input, 8, models::square(3, 1, 1));
  const NodeId relu = models::append(network, Operator::relu, "relu", {last});
  EXPECT_TRUE(can_fuse(network, last));
  EXPECT_TRUE(can_fuse(network, relu));
  EXPECT_FALSE(can_fuse(network, last - 1)) << "a convolution is a layer of its own";
  const NodeId sum = models::append(network, Operator::add, "sum", {relu, of_input});
  EXPECT_FALSE(can_fuse(network, sum));
  EXPECT_FALSE(can_fuse(network, models::append(network, Operator::relu, "behind_sum", {sum})));
  models::append(network, Operator::sigmoid, "second_reader", {last});
  EXPECT_FALSE(can_fuse(network, relu)) << "another layer reads the normalization";
  EXPECT_TRUE(can_fuse(network, last));
}

TEST(Work, NetworksKeepTheirMacs) {
  for (const std::string_view name : {"vgg16", "mobilenet", "googlenet", "densenet121", "tiny-residual"}) {
    const Network network = *models::zoo(name);
    const Work work = work_of(network);
    EXPECT_EQ(std::accumulate(work.macs.begin(), work.macs.end(), 0.0), static_cast<double>(network.total_macs()));
    EXPECT_GT(work.calls, 0);
    EXPECT_LT(work.calls, static_cast<double>(network.nodes().size()));
  }
}

}  // namespace
}  // namespace spillway::cost
