#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/stm32/errors.hpp"
#include "tests/hw/stm32/virtual_board.hpp"

/// What a card may do in the middle of its work. The self-test makes 8 transfers by itself, then those of its plan.
namespace spillway::stm32 {
namespace {

using tests::BoardRun;
using tests::run_on_board;

struct Fault {
  std::string name, property;
  std::uint32_t transfer;
  Error expected;
};

class CardFault : public testing::TestWithParam<Fault> {};

TEST_P(CardFault, EndsWithItsCode) {
  const tests::Folder folder;
  tests::make_card(folder / "card");
  const BoardRun run = run_on_board(tests::image("self_test"), folder / "card",
                                    {GetParam().property + "=" + std::to_string(GetParam().transfer)});
  EXPECT_TRUE(run.failed_with(GetParam().expected)) << run.description();
  EXPECT_EQ(run.complaints, "");
}

INSTANTIATE_TEST_SUITE_P(, CardFault,
                         testing::ValuesIn(std::vector<Fault>{
                             {"RemovedWhileWriting", "card-eject-at", 1, Error::data_timeout},
                             {"RemovedWhileReading", "card-eject-at", 2, Error::data_timeout},
                             {"RemovedWhileThePlanRuns", "card-eject-at", 30, Error::data_timeout},
                             {"AWriteIsDamaged", "card-crc-error-at", 3, Error::data_damaged},
                             {"AReadIsDamaged", "card-crc-error-at", 4, Error::data_damaged},
                             {"AReadIsDamagedWhileThePlanRuns", "card-crc-error-at", 25, Error::data_damaged},
                             {"HangsBeforeAWrite", "card-hang-at", 1, Error::data_timeout},
                             {"HangsBeforeARead", "card-hang-at", 2, Error::data_timeout},
                             {"HangsWhileThePlanRuns", "card-hang-at", 40, Error::data_timeout},
                         }),
                         [](const auto& tested) { return tested.param.name; });

/// Programming that takes longer than the deadline: only the firmware's own timer ends it.
TEST(CardFaults, ACardThatNeverEndsProgrammingMeetsTheDeadline) {
  const tests::Folder folder;
  tests::make_card(folder / "card");
  const BoardRun run = run_on_board(tests::image("self_test"), folder / "card", {"card-write-us=4000000"});
  EXPECT_TRUE(run.failed_with(Error::deadline)) << run.description();
  EXPECT_EQ(run.complaints, "");
}

TEST(CardFaults, APowerCutLeavesTheBytesBeforeIt) {
  const tests::Folder folder;
  tests::make_card(folder / "card");
  const BoardRun run = run_on_board(tests::image("self_test"), folder / "card", {"card-cut-after=700"});
  EXPECT_EQ(run.status, tests::power_cut);
  EXPECT_FALSE(run.trace.end.has_value()) << "nothing is said after it";

  const BoardRun next = run_on_board(tests::image("self_test"), folder / "card");
  EXPECT_EQ(next.status, 0) << next.description();
}

/// Every error has a code of its own, none that scripts/emulate or QEMU uses, and an explanation.
TEST(Errors, HaveCodesOfTheirOwn) {
  int known = 0;
  for (int code = 1; code < 256; ++code) {
    if (explanation(static_cast<Error>(code)).empty()) continue;
    ++known;
    EXPECT_GE(code, 10);
    EXPECT_LT(code, tests::power_cut);
  }
  EXPECT_GE(known, 30);
  EXPECT_EQ(explanation(Error::none), "done");
}

}  // namespace
}  // namespace spillway::stm32
