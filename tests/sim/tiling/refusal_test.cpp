#include <string>

#include <gtest/gtest.h>

#include "models/layers.hpp"
#include "models/zoo.hpp"
#include "sim/tiling/swap_plan.hpp"

/// What cannot be planned, and what the user is told.
namespace spillway::tiling {
namespace {

constexpr std::uint64_t kib = 1024;

Request request_of(Rule rule, std::uint64_t sram_bytes, std::uint64_t buffer_bytes) {
  Request request;
  request.rule = rule;
  request.sram_bytes = sram_bytes;
  request.buffer_bytes = buffer_bytes;
  return request;
}

Infeasible refusal_of(const models::Network& network, const Request& request) {
  try {
    make_plan(network, request);
  } catch (const Infeasible& refusal) {
    return refusal;
  }
  return {"", 0, 0, "a plan was made"};
}

std::string error_of(const Request& request) {
  try {
    make_plan(*models::zoo("tiny-chain"), request);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Refusal, FewerThanFourBuffers) {
  const Infeasible refusal = refusal_of(*models::zoo("vgg16"), request_of(Rule::paper, 48 * kib, 16 * kib));
  EXPECT_STREQ(refusal.what(),
               "SRAM of 48 KiB with buffers of 16 KiB gives 3 buffers, at least 4 are needed: buffer at most 12 KiB or "
               "SRAM at least 64 KiB");
  EXPECT_EQ(refusal.layer, "");
  EXPECT_EQ(refusal.demand_bytes, 64 * kib);
  EXPECT_EQ(refusal.bound_bytes, 48 * kib);
}

TEST(Refusal, FourBuffersAreEnough) {
  EXPECT_EQ(make_plan(*models::zoo("mobilenet"), request_of(Rule::paper, 512 * kib, 128 * kib)).pools.total(), 4u);
}

TEST(Refusal, MoreBuffersThanCanBeCounted) {
  EXPECT_STREQ(
      refusal_of(*models::zoo("vgg16"), request_of(Rule::paper, 1024 * 1024 * kib, 512)).what(),
      "SRAM of 1048576 KiB with buffers of 512 bytes gives 2097152 buffers, at most 65535 are possible: buffer "
      "at least 16385 bytes");
}

/// The published deadlock of a small board: the first dense layer of VGG needs two input buffers, the pool has one.
TEST(Refusal, InputPoolTooSmall) {
  for (const Rule rule : {Rule::paper, Rule::paper_counts, Rule::halo}) {
    const Infeasible refusal = refusal_of(*models::zoo("vgg16"), request_of(rule, 64 * kib, 16 * kib));
    EXPECT_STREQ(
        refusal.what(),
        "layer `fc6`: the smallest tile reads its input into 2 buffers of 16 KiB, the input pool has 1; it needs "
        "SRAM of at least 128 KiB with this buffer; no buffer size works with SRAM of 64 KiB");
    EXPECT_EQ(refusal.layer, "fc6");
    EXPECT_EQ(refusal.demand_bytes, 32 * kib);
    EXPECT_EQ(refusal.bound_bytes, 16 * kib);
    EXPECT_NO_THROW(make_plan(*models::zoo("vgg16"), request_of(rule, 128 * kib, 16 * kib)));
  }
}

TEST(Refusal, PixelLargerThanABuffer) {
  const Infeasible refusal = refusal_of(*models::zoo("vgg16"), request_of(Rule::paper, 512 * kib, 4 * kib));
  EXPECT_STREQ(
      refusal.what(),
      "layer `conv4_2`: the input of one output pixel takes 4608 bytes, a buffer has 4 KiB; the smallest buffer "
      "that works with SRAM of 512 KiB is 4608 bytes");
  EXPECT_EQ(refusal.demand_bytes, 4608u);
  EXPECT_EQ(refusal.bound_bytes, 4 * kib);
}

/// "Smaller than a buffer" is not "at most": the dense layers' 4096 outputs fill a buffer of 4 KiB exactly.
TEST(Refusal, PaperCountsIsStrict) {
  EXPECT_STREQ(
      refusal_of(*models::zoo("alexnet"), request_of(Rule::paper_counts, 512 * kib, 4 * kib)).what(),
      "layer `fc6`: a tile of one pixel, which must be smaller than a buffer, takes 4 KiB, a buffer has 4 KiB; "
      "the smallest buffer that works with SRAM of 512 KiB is 4608 bytes");
  EXPECT_NO_THROW(make_plan(*models::zoo("alexnet"), request_of(Rule::paper, 512 * kib, 4 * kib)));
}

TEST(Refusal, WindowOfOneChannelLargerThanABuffer) {
  Request request = request_of(Rule::halo, 64 * kib, 512);
  request.element = models::ElementType::float32;
  EXPECT_STREQ(refusal_of(*models::zoo("squeezenet"), request).what(),
               "layer `avgpool`: the input window of one channel takes 676 bytes, a buffer has 512 bytes; the smallest "
               "buffer that works with SRAM of 64 KiB is 1 KiB");
  models::Network network("net");
  models::convolution(network, "conv", models::input(network, {1, 2, 2}), 1, models::square(12, 1, 6));
  EXPECT_STREQ(
      refusal_of(network, request).what(),
      "layer `conv`: the kernel of one channel takes 576 bytes, a buffer has 512 bytes; the smallest buffer that "
      "works with SRAM of 64 KiB is 1 KiB");
}

/// Plans are made with the smallest buffer and with none below it.
TEST(Refusal, SmallestBufferIsTheSmallest) {
  for (const Rule rule : {Rule::paper, Rule::paper_counts, Rule::halo}) {
    for (const char* name : {"vgg16", "alexnet", "mobilenet", "resnet18", "googlenet", "densenet121", "squeezenet"}) {
      SCOPED_TRACE(std::string(to_string(rule)) + " " + name);
      const models::Network network = *models::zoo(name);
      Request request = request_of(rule, 512 * kib, 0);
      const std::uint64_t smallest = smallest_buffer(network, request);
      ASSERT_GT(smallest, 0u);
      request.buffer_bytes = smallest;
      EXPECT_NO_THROW(make_plan(network, request));
      for (request.buffer_bytes = 512; request.buffer_bytes < smallest; request.buffer_bytes += 512) {
        EXPECT_THROW(make_plan(network, request), Infeasible) << request.buffer_bytes;
      }
    }
  }
  EXPECT_EQ(smallest_buffer(*models::zoo("vgg16"), request_of(Rule::paper, 64 * kib, 0)), 0u);
}

TEST(Refusal, RequestsThatMeanNothing) {
  EXPECT_EQ(error_of(request_of(Rule::paper, 64 * kib, 0)), "a buffer of 0 bytes: expected at least 1 byte");
  EXPECT_EQ(error_of(request_of(Rule::paper, 64 * kib, 4096 * 1024 * kib)),
            "a buffer of 4194304 KiB: expected less than 4 GiB");
  EXPECT_EQ(error_of(request_of(Rule::halo, 64 * kib, 1000)),
            "a buffer of 1000 bytes: rule halo moves whole sectors, expected a multiple of 512 bytes");
  Request request = request_of(Rule::paper, 64 * kib, kib);
  request.frames = 0;
  EXPECT_EQ(error_of(request), "0 frames: expected at least 1");
}

}  // namespace
}  // namespace spillway::tiling
