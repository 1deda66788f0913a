#include "models/split/schedule.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/layers.hpp"
#include "tests/sim/tiling/random_network.hpp"

namespace spillway::split {
namespace {

using models::Network;
using models::NodeId;
using models::Operator;
using Kind = Step::Kind;

/// Carries a schedule out as the slowest MPI library may: a send is complete only when its receive is posted.
class Machine {
 public:
  Machine(const Network& network, const Split& split, const Schedule& schedule, Communication communication,
          long frames)
      : network_(network),
        split_(split),
        schedule_(schedule),
        paper_(communication == Communication::paper),
        ahead_(static_cast<long>(slots(communication))),
        frames_(frames),
        frame_(schedule.size(), 0),
        step_(schedule.size(), 0),
        sent_(split.buffers.size(), 0),
        posted_(schedule.size(), std::vector<long>(split.buffers.size(), 0)),
        known_(schedule.size()) {}

  bool done() const {
    return std::ranges::all_of(frame_, [this](long frame) { return frame == frames_; });
  }

  /// Whether the rank could take a step.
  bool advance(Rank rank) {
    if (frame_[rank] == frames_) return false;
    const Step& step = schedule_[rank][step_[rank]];
    if (!may(rank, step)) return false;
    carry_out(rank, step);
    if (++step_[rank] == schedule_[rank].size()) {
      step_[rank] = 0;
      ++frame_[rank];
      known_[rank].clear();
    }
    return true;
  }

 private:
  /// Frames of a buffer whose sends are complete.
  long complete(std::size_t buffer) const {
    long least = sent_[buffer];
    for (const Rank destination : split_.buffers[buffer].destinations)
      least = std::min(least, posted_[destination][buffer]);
    return least;
  }

  bool may(Rank rank, const Step& step) const {
    const long frame = frame_[rank];
    switch (step.kind) {
      case Kind::wait:
        return sent_[step.index] > frame;
      case Kind::reserve:
        return complete(step.index) > frame - ahead_;
      case Kind::finish:
        return !paper_ || std::ranges::all_of(split_.ranks[rank].sends,
                                              [&](std::size_t buffer) { return complete(buffer) > frame; });
      default:
        return true;
    }
  }

  void carry_out(Rank rank, const Step& step) {
    switch (step.kind) {
      case Kind::expect:
        // A copy that still holds a frame that is needed is never received into.
        posted_[rank][step.index] = std::min(frame_[rank] + ahead_, frames_);
        break;
      case Kind::wait:
        EXPECT_GT(posted_[rank][step.index], frame_[rank]);
        known_[rank].insert(split_.buffers[step.index].node);
        break;
      case Kind::read:
        known_[rank].insert(step.index);
        break;
      case Kind::compute:
        for (const NodeId operand : network_.node(step.index).inputs)
          EXPECT_TRUE(known_[rank].contains(operand)) << network_.node(step.index).name;
        known_[rank].insert(step.index);
        break;
      case Kind::send:
        EXPECT_TRUE(known_[rank].contains(split_.buffers[step.index].node));
        EXPECT_EQ(sent_[step.index], frame_[rank]);
        ++sent_[step.index];
        break;
      case Kind::write:
        EXPECT_TRUE(known_[rank].contains(step.index));
        break;
      case Kind::reserve:
      case Kind::finish:
        break;
    }
  }

  const Network& network_;
  const Split& split_;
  const Schedule& schedule_;
  const bool paper_;
  const long ahead_, frames_;
  std::vector<long> frame_;
  std::vector<std::size_t> step_;
  std::vector<long> sent_;                 ///< frames, by buffer
  std::vector<std::vector<long>> posted_;  ///< frames, by rank and buffer
  std::vector<std::set<NodeId>> known_;    ///< what a rank has of its frame
};

Split random_split(const Network& network, tiling::Random& random) {
  Request request;
  const std::int64_t ranks = random.between(1, 6);
  for (std::int64_t rank = 0; rank < ranks; ++rank)
    request.keys.push_back("rank" + std::to_string(rank));
  for (const models::Node& node : network.nodes()) {
    std::optional<Rank> rank;
    if (node.op != Operator::input) rank = static_cast<Rank>(random.between(0, ranks - 1));
    request.rank_of_node.push_back(rank);
  }
  return split(network, std::move(request));
}

TEST(Schedule, NoRandomMappingStopsAndEveryLayerFindsItsOperands) {
  tiling::Random random(11);
  for (int trial = 0; trial < 300; ++trial) {
    const Network network = tiling::random_network(random);
    const Split parts = random_split(network, random);
    const Schedule schedule = make_schedule(network, parts);
    for (const Communication communication : {Communication::paper, Communication::overlap}) {
      Machine machine(network, parts, schedule, communication, 5);
      while (!machine.done()) {
        // A burst of one rank, so that some run far ahead of others.
        const auto first = static_cast<Rank>(random.between(0, static_cast<std::int64_t>(parts.ranks.size()) - 1));
        bool moved = false;
        for (std::size_t i = 0; i < parts.ranks.size() && !moved; ++i)
          for (std::int64_t burst = random.between(1, 40); burst > 0; --burst)
            moved = machine.advance((first + i) % parts.ranks.size()) || moved;
        ASSERT_TRUE(moved) << "no rank can take a step: trial " << trial;
      }
    }
  }
}

TEST(Schedule, TheMachineStopsWhereAScheduleIsWrong) {
  tiling::Random random(1);
  Network network("pair");
  const NodeId in = models::input(network, {1, 2, 2});
  const NodeId a = models::append(network, Operator::relu, "a", {in});
  const NodeId b = models::append(network, Operator::relu, "b", {a});
  models::append(network, Operator::add, "c", {a, b});
  const Split parts = split(network, {{"x", "y"}, {std::nullopt, 0, 1, 0}, {}, {}});
  Schedule schedule = make_schedule(network, parts);
  std::erase_if(schedule[0], [](const Step& step) { return step.kind == Kind::send; });
  Machine machine(network, parts, schedule, Communication::overlap, 2);
  for (int i = 0; i < 1000; ++i) {
    machine.advance(0);
    machine.advance(1);
  }
  EXPECT_FALSE(machine.done());
}

TEST(Schedule, StepsOfAFrame) {
  Network network("pair");
  const NodeId in = models::input(network, {1, 2, 2});
  const NodeId a = models::append(network, Operator::relu, "a", {in});
  const NodeId b = models::append(network, Operator::relu, "b", {a});
  models::append(network, Operator::add, "c", {a, b});
  const Split parts = split(network, {{"x", "y"}, {std::nullopt, 0, 1, 0}, {}, {}});
  const Schedule schedule = make_schedule(network, parts);
  EXPECT_EQ(schedule[0], (std::vector<Step>{{Kind::expect, 1},
                                            {Kind::read, 0},
                                            {Kind::reserve, 0},
                                            {Kind::compute, 1},
                                            {Kind::send, 0},
                                            {Kind::wait, 1},
                                            {Kind::compute, 3},
                                            {Kind::write, 3},
                                            {Kind::finish, 0}}));
  EXPECT_EQ(schedule[1], (std::vector<Step>{{Kind::expect, 0},
                                            {Kind::wait, 0},
                                            {Kind::reserve, 1},
                                            {Kind::compute, 2},
                                            {Kind::send, 1},
                                            {Kind::finish, 0}}));
}

}  // namespace
}  // namespace spillway::split
