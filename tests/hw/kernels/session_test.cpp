// Whole networks: the answers are those of the definition in plain loops, whatever is fused, planned or shared.
#include "hw/kernels/session/session.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "evaluate.hpp"
#include "random_network.hpp"
#include <gtest/gtest.h>

#include "hw/kernels/session/storage.hpp"
#include "models/layers.hpp"
#include "models/seeded_weights.hpp"
#include "models/zoo.hpp"

// Every allocation of this program is counted: a frame must make none. Sanitizers bring a malloc of their own.
namespace {
std::atomic<std::size_t> allocations = 0;
}
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SPILLWAY_COUNTS_ALLOCATIONS
extern "C" void* __libc_malloc(std::size_t bytes);
extern "C" void* malloc(std::size_t bytes) {
  ++allocations;
  return __libc_malloc(bytes);
}
#endif

namespace spillway::kernels {
namespace {

std::vector<float> frame_of(const Program& program, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> frame(static_cast<std::size_t>(program.values[program.inputs.front()].elements()));
  for (float& number : frame)
    number = static_cast<float>(static_cast<std::int32_t>(random() % 4001) - 2000) / 1000;
  return frame;
}

std::vector<std::vector<float>> outputs_of(Session& session, const std::vector<float>& frame) {
  std::ranges::copy(frame, session.input(0).begin());
  session.run();
  std::vector<std::vector<float>> outputs;
  for (std::size_t output = 0; output < session.program().outputs.size(); ++output)
    outputs.emplace_back(session.output(output).begin(), session.output(output).end());
  return outputs;
}

void expect_near(const std::vector<float>& computed, const std::vector<float>& expected, float tolerance,
                 const std::string& what) {
  ASSERT_EQ(computed.size(), expected.size()) << what;
  float largest = 0, farthest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    farthest = std::max(farthest, std::abs(expected[i] - computed[i]));
  }
  EXPECT_LE(farthest, tolerance * largest) << what;
}

/// One network with every back-end, fused and not, with one thread and with three.
void check(const models::Network& network, std::uint32_t seed) {
  const models::Weights weights = models::SeededWeights(network, seed).all();
  const Program plain = lower(network, weights);
  Program fused = plain;
  fuse(fused);
  const std::vector<float> frame = frame_of(plain, seed);
  const std::vector<std::vector<float>> maps = models::evaluate(network, weights, frame);

  Session first(fused, {.threads = 1, .backend = Backend::eigen});
  const std::vector<std::vector<float>> bits = outputs_of(first, frame);
  for (std::size_t output = 0; output < bits.size(); ++output) {
    const std::string& name = plain.values[plain.outputs[output]].name;
    // The definition sums in another order, and what it sums may cancel.
    expect_near(bits[output], maps[*network.find(name)], 1e-4F, network.name() + " " + name);
  }
  Session shared(fused, {.threads = 3, .backend = Backend::eigen});
  EXPECT_EQ(outputs_of(shared, frame), bits) << network.name() << ": threads change bits";
  Session apart(plain, {.threads = 2, .backend = Backend::eigen});
  EXPECT_EQ(outputs_of(apart, frame), bits) << network.name() << ": fusion changes bits";
  for (const Backend backend : backends()) {
    Session other(fused, {.threads = 2, .backend = backend});
    const std::vector<std::vector<float>> answers = outputs_of(other, frame);
    for (std::size_t output = 0; output < bits.size(); ++output)
      expect_near(answers[output], bits[output], 1e-5F, network.name() + " with " + std::string(to_string(backend)));
  }
  // A second frame finds nothing of the first.
  EXPECT_NE(outputs_of(first, frame_of(plain, seed + 1)), bits) << network.name();
  EXPECT_EQ(outputs_of(first, frame), bits) << network.name() << ": an earlier frame left something";
}

TEST(Session, ComputesTheSmallNetworksOfTheZoo) {
  for (const char* name : {"tiny-chain", "tiny-depthwise", "tiny-inception", "tiny-residual"})
    check(*models::zoo(name), 1);
}

TEST(Session, ComputesRandomNetworks) {
  tiling::Random random(7);
  for (int round = 0; round < 60; ++round)
    check(tiling::random_network(random), static_cast<std::uint32_t>(round));
}

#ifdef SPILLWAY_COUNTS_ALLOCATIONS
TEST(Session, AllocatesNothingForAFrame) {
  for (const char* name : {"tiny-residual", "tiny-inception", "tiny-depthwise", "squeezenet"}) {
    const models::Network network = *models::zoo(name);
    Program program = lower(network, models::SeededWeights(network).all());
    fuse(program);
    Session session(std::move(program), {.threads = 1, .backend = Backend::eigen});
    const std::size_t before = allocations;
    session.run();
    EXPECT_EQ(allocations, before) << name;
  }
  EXPECT_GT(allocations.load(), 1000U);  // they are counted
}
#endif

TEST(Session, PlansLittleMoreThanTheLargestLiveSet) {
  for (const std::string_view name : models::zoo_names()) {
    Program program = lower(*models::zoo(name), {});
    fuse(program);
    const StoragePlan plan = plan_storage(program);
    EXPECT_LE(plan.memory.bytes, plan.memory.largest_live * 13 / 10) << name;
  }
}

TEST(Session, RefusesAProgramWithoutItsNumbers) {
  EXPECT_THROW(Session(lower(*models::zoo("tiny-chain"), {})), std::invalid_argument);
  const models::Network network = *models::zoo("tiny-chain");
  models::Weights weights = models::SeededWeights(network).all();
  weights.erase(weights.begin());
  EXPECT_THROW(lower(network, weights), std::invalid_argument);
  EXPECT_THROW(lower(network, {}, {"nothing"}), std::invalid_argument);
}

}  // namespace
}  // namespace spillway::kernels
