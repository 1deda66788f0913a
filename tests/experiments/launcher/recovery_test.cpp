#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/launcher/launched.hpp"

namespace spillway::launcher_test {
namespace {

using cli_test::Call;
using testing::HasSubstr;

/// Open MPI's own way to go on without a rank. Whether it has gone is known after thirty seconds of silence.
TEST_F(Launched, WithRecoveryTheOthersGoOnWithoutADeadRank) {
  const std::string experiment = file("slow.yaml", slow_sweep);
  ASSERT_EQ(cli_test::spillway(sweep(experiment, "one")).exit_code, 0);
  for (const std::string transport : {"vader", "tcp"}) {
    Job job(2, sweep(experiment, transport), {"--enable-recovery", "--mca", "btl", "self," + transport});
    ASSERT_TRUE(wait_for_lines(job, transport, "points.journal", 4));
    ASSERT_EQ(::kill(job.ranks().at(1), SIGKILL), 0);
    const Call call = job.wait();
    EXPECT_EQ(call.exit_code, 0) << call.err;
    EXPECT_THAT(call.err, HasSubstr("worker 1 of 2 has ended: nothing was heard of its rank for 30 s"));
    expect_same(transport, "one", "run.json");
  }
}

}  // namespace
}  // namespace spillway::launcher_test
