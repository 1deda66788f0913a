#include "sim/pipeline/program.hpp"

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "random_mapping.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/mpi/rank_plan.hpp"
#include "models/split/schedule.hpp"
#include "models/zoo.hpp"

namespace spillway::pipeline {
namespace {

using models::NodeId;
using split::Step;

/// A step of a rank in words, the same from both sides.
using Words = std::vector<std::string>;

/// The layers that a generated rank computes when a layer's turn comes: those of the call that stands there.
std::vector<std::vector<NodeId>> computed_at(const mpi::RankPlan& plan, const models::Network& network) {
  std::vector<std::vector<NodeId>> layers(network.nodes().size());
  for (NodeId id = 0; id < layers.size(); ++id)
    layers[id] = {id};
  for (std::size_t call = 0; call < plan.call_at.size(); ++call) {
    std::vector<NodeId> together = {*network.find(plan.program.steps[call].name)};
    for (const std::string& fused : plan.program.steps[call].fused)
      together.push_back(*network.find(fused));
    std::ranges::sort(together);
    for (const NodeId layer : together)
      layers[layer].clear();
    layers[plan.call_at[call]] = together;
  }
  return layers;
}

Words words_of(const std::vector<Step>& steps, const split::Split& split, const models::Network& network,
               Communication communication, const mpi::RankPlan& plan) {
  const std::vector<std::vector<NodeId>> computed = computed_at(plan, network);
  Words words;
  for (const Step& step : steps) {
    const auto buffer = [&] { return network.node(split.buffers[step.index].node).name; };
    switch (step.kind) {
      case Step::Kind::wait:
        words.push_back("wait " + buffer());
        break;
      case Step::Kind::reserve:
        words.push_back("reserve " + buffer());
        break;
      case Step::Kind::send:
        words.push_back("send " + buffer());
        for (const Rank destination : split.buffers[step.index].destinations)
          words.back() += " " + std::to_string(destination);
        break;
      case Step::Kind::compute:
        for (const NodeId layer : computed[step.index])
          words.push_back("compute " + network.node(layer).name);
        break;
      case Step::Kind::write:
        words.push_back("write " + network.node(step.index).name);
        break;
      case Step::Kind::finish:
        if (communication == Communication::paper) words.push_back("finish");
        break;
      default:
        break;
    }
  }
  return words;
}

Words words_of(const Program& program, Rank rank, const models::Network& network) {
  Words words;
  for (const Operation& operation : program.ranks[rank].operations) {
    const std::string& name = network.node(operation.node).name;
    switch (operation.kind) {
      case Operation::Kind::compute:
        words.push_back("compute " + name);
        break;
      case Operation::Kind::call:
        break;
      case Operation::Kind::wait:
        words.push_back("wait " + name);
        break;
      case Operation::Kind::reserve:
        words.push_back("reserve " + name);
        break;
      case Operation::Kind::send:
        words.push_back("send " + name);
        for (std::uint32_t message = operation.first; message < operation.last; ++message)
          words.back() += " " + std::to_string(program.messages[message].destination);
        break;
      case Operation::Kind::write:
        words.push_back("write " + name);
        break;
      case Operation::Kind::finish:
        words.push_back("finish");
        break;
    }
  }
  return words;
}

/// The mapping through models/split, as the generated program has it.
split::Split split_of(const models::Network& network, const RandomMapping& mapping) {
  split::Request request;
  for (std::size_t i = 0; i < mapping.placements.size(); ++i)
    request.keys.push_back("rank" + std::to_string(i));
  for (const Rank rank : mapping.rank_of_node)
    request.rank_of_node.push_back(rank == no_rank ? std::nullopt : std::optional(rank));
  return split::split(network, request);
}

TEST(PipelineProgram, IsTheScheduleOfTheGeneratedProgram) {
  std::mt19937 random(11);
  const Machine machine = test_machine(8);
  for (const char* name : {"squeezenet", "googlenet", "densenet121", "resnet18", "mobilenet"}) {
    const models::Network network = *models::zoo(name);
    const Workload workload(network);
    TestTimes times(network);
    for (LayerTimes* each : {&times.one_core, &times.six_cores, &times.gpu})
      each->behind = each->alone;
    ProgramMaker maker(workload, machine);
    for (int i = 0; i < 20; ++i) {
      const RandomMapping mapping =
          random_mapping(network, machine, times, i % 2 == 0 ? Shape::contiguous : Shape::scattered, random);
      const split::Split split = split_of(network, mapping);
      const split::Schedule schedule = split::make_schedule(network, split);
      std::vector<mpi::RankPlan> plans;
      for (Rank rank = 0; rank < split.ranks.size(); ++rank)
        plans.push_back(mpi::plan_rank(network, split, rank, {}));
      for (const Communication communication : {Communication::paper, Communication::overlap}) {
        const Program& program = maker.make(mapping.rank_of_node, mapping.placements, {communication, true});
        for (Rank rank = 0; rank < split.ranks.size(); ++rank)
          ASSERT_EQ(words_of(program, rank, network),
                    words_of(schedule[rank], split, network, communication, plans[rank]))
              << name << ", mapping " << i << ", rank " << rank;
      }
    }
  }
}

TEST(PipelineProgram, RunsOfLayersBecomeOneOperationOfTheSameTime) {
  std::mt19937 random(12);
  const Machine machine = test_machine(8);
  const models::Network network = *models::zoo("squeezenet");
  const Workload workload(network);
  const TestTimes times(network);
  ProgramMaker maker(workload, machine);
  RandomMapping mapping = random_mapping(network, machine, times, Shape::contiguous, random);
  while (mapping.placements.size() > 4)
    mapping = random_mapping(network, machine, times, Shape::contiguous, random);
  const auto total_ns = [](const Program& program) {
    std::uint64_t sum = 0;
    for (const RankProgram& rank : program.ranks)
      for (const Operation& operation : rank.operations)
        sum += operation.duration_ns;
    return sum;
  };
  const auto operations = [](const Program& program) {
    std::size_t sum = 0;
    for (const RankProgram& rank : program.ranks)
      sum += rank.operations.size();
    return sum;
  };
  const Program fine = maker.make(mapping.rank_of_node, mapping.placements, {Communication::overlap, true});
  const Program& coarse = maker.make(mapping.rank_of_node, mapping.placements, {Communication::overlap, false});
  EXPECT_EQ(total_ns(fine), total_ns(coarse));
  EXPECT_LT(operations(coarse), operations(fine));
}

TEST(PipelineProgram, ALayerBehindItsLeaderCostsLessOnlyOnTheSameRank) {
  const Machine machine = test_machine(2);
  models::Network network("pair");
  network.add(input_node("x", {3, 8, 8}));
  models::Node convolution = relu_node("c", 0);
  convolution.op = models::Operator::convolution;
  convolution.output.channels = 4;
  network.add(convolution);
  network.add(relu_node("r", 1));
  const Workload workload(network);
  const LayerTimes times{{0, 100, 10}, {0, 100, 0}, {0, 1, 1}};
  ProgramMaker maker(workload, machine);
  const std::vector<Placement> placements = {{0, false, 1, &times}, {1, false, 1, &times}};
  const auto computed = [](const Program& program, Rank rank) {
    std::uint64_t sum = 0;
    for (const Operation& operation : program.ranks[rank].operations)
      if (operation.kind == Operation::Kind::compute) sum += operation.duration_ns;
    return sum;
  };
  const std::vector<Rank> together = {no_rank, 0, 0}, apart = {no_rank, 0, 1};
  const Program one = maker.make(together, std::span(placements).first(1), {});
  EXPECT_EQ(computed(one, 0), 100);
  const Program& two = maker.make(apart, placements, {});
  EXPECT_EQ(computed(two, 0), 100);
  EXPECT_EQ(computed(two, 1), 10);
}

}  // namespace
}  // namespace spillway::pipeline
