#include "expect_no_stall.hpp"
#include <gtest/gtest.h>

namespace spillway::oracle {
namespace {

TEST(ExplorationFull, OneIoOutstanding) {
  expect_no_stall(larger_plans(), {.io = 1, .compute = 1});
}

TEST(ExplorationFull, WithPins) {
  for (const std::uint32_t io : {1U, 3U})
    expect_no_stall(larger_plans_with_pins(), {.io = io, .compute = 1});
  expect_no_stall(largest_plans_with_pins(), {.io = 1, .compute = 1});
}

TEST(ExplorationFull, ThreeIoOutstanding) {
  expect_no_stall(larger_plans(), {.io = 3, .compute = 1});
}

}  // namespace
}  // namespace spillway::oracle
