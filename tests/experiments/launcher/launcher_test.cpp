#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/launcher/launched.hpp"
#include "tests/paths/paths.hpp"

/// spillway-mpi as users run it, on this machine.
namespace spillway::launcher_test {
namespace {

using cli_test::Call;
using cli_test::lines;
using cli_test::spillway;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

TEST_F(Launched, SweepsOfSwapRunsHaveTheBytesOfOneProcess) {
  const std::string experiment = file("spread.yaml",
                                      "name: spread\n"
                                      "title: A sweep over MPI\n"
                                      "question: Does it come to the same end?\n"
                                      "sweep:\n"
                                      "  network: [mobilenet, alexnet]\n"
                                      "  board: swapnn-paper\n"
                                      "  card: swapnn-paper\n"
                                      "  sram: [64 KiB, 256 KiB, 1 MiB]\n"
                                      "  buffer: [32 KiB, 64 KiB, 128 KiB]\n"
                                      "  pools: [separate, shared]\n"
                                      "  driver: [virtual-clock, simgrid]\n"
                                      "  frames: [1, 3]\n");
  const Call one = spillway(sweep(experiment, "one"));
  for (const int ranks : {2, 3}) {
    const std::string output = "of-" + std::to_string(ranks);
    Job job(ranks, sweep(experiment, output));
    const Call call = job.wait();
    EXPECT_EQ(call.exit_code, one.exit_code) << call.err;
    EXPECT_THAT(call.out, AllOf(HasSubstr(" infeasible, "), HasSubstr(" stalled\n")));
    EXPECT_THAT(call.err, Not(HasSubstr("has ended")));
    expect_same(output, "one", "run.json");
  }
}

TEST_F(Launched, SweepsOfPipelinesHaveTheBytesOfOneProcess) {
  const std::string experiment = file("searches.yaml",
                                      "name: searches\n"
                                      "title: Searches over MPI\n"
                                      "question: Do they come to the same end?\n"
                                      "kind: pipeline\n"
                                      "sweep:\n"
                                      "  network: [squeezenet, resnet18]\n"
                                      "  cluster: jetson-xavier-nx8\n"
                                      "  devices: [1, 2, 3]\n"
                                      "  resources: all\n"
                                      "  how: search\n"
                                      "  individuals: 12\n"
                                      "  generations: 6\n"
                                      "tables: [searches]\n");
  ASSERT_EQ(spillway(sweep(experiment, "one")).exit_code, 0);
  Job job(2, sweep(experiment, "two"));
  const Call call = job.wait();
  EXPECT_EQ(call.exit_code, 0) << call.err;
  expect_same("two", "one", "run.json");
}

TEST_F(Launched, SearchesHaveTheBytesOfOneProcess) {
  ASSERT_EQ(spillway(explore("one", {"--generations", "6"})).exit_code, 0);
  for (const int ranks : {2, 3}) {
    const std::string output = "of-" + std::to_string(ranks);
    Job job(ranks, explore(output, {"--generations", "6"}));
    const Call call = job.wait();
    EXPECT_EQ(call.exit_code, 0) << call.err;
    EXPECT_THAT(call.out, HasSubstr("members of the front, hypervolume "));
    expect_same(output, "one", "explore.json");
  }
}

TEST_F(Launched, ADeadWorkersPointsGoToTheOthers) {
  const std::string experiment = file("slow.yaml", slow_sweep);
  ASSERT_EQ(spillway(sweep(experiment, "one")).exit_code, 0);
  Job job(2, sweep(experiment, "out"));
  ASSERT_TRUE(wait_for_lines(job, "out", "points.journal", 4));
  const std::vector<pid_t> workers = job.workers();
  ASSERT_EQ(workers.size(), 2U);
  ASSERT_EQ(::kill(workers[1], SIGKILL), 0);
  const Call call = job.wait();
  EXPECT_EQ(call.exit_code, 0) << call.err;
  EXPECT_THAT(call.err, HasSubstr("has ended: signal 9; its work goes to the others"));
  expect_same("out", "one", "run.json");
}

TEST_F(Launched, ARequestThatIsWrongIsRefusedOnceAndInFull) {
  const std::string output = folder / "out";
  Job job(2, {"sweep", "fig66", "--jobs", "2", "--output", output});
  const Call call = job.wait();
  EXPECT_EQ(call.exit_code, 2) << call.err;
  EXPECT_THAT(call.out, IsEmpty());
  std::vector<std::string> ours;
  std::ranges::copy_if(lines(call.err), std::back_inserter(ours),
                       [](const std::string& line) { return line.starts_with("spillway"); });
  EXPECT_THAT(ours,
              UnorderedElementsAre("spillway sweep: --jobs: is not for spillway-mpi, which has a worker for each rank",
                                   AllOf(HasSubstr("fig66"), HasSubstr("fig6"))));
  EXPECT_FALSE(std::filesystem::exists(output));
}

TEST_F(Launched, OtherVerbsAreRefused) {
  for (const auto& [arguments, message] :
       {std::pair("", "a verb is missing; expected sweep or explore"),
        std::pair("swap vgg16", "unknown verb \"swap\"; expected sweep or explore")}) {
    const std::string command = paths::program() + "-mpi " + arguments + " 2> " + (folder / "err");
    EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 2);
    EXPECT_EQ(cli_test::contents(folder / "err"), std::string("spillway-mpi: ") + message + "\n");
  }
}

TEST_F(Launched, ExplainsItself) {
  Job job(2, {"--help"});
  const Call call = job.wait();
  EXPECT_EQ(call.exit_code, 0);
  EXPECT_THAT(call.out, AllOf(HasSubstr("Usage: mpirun -n N"), HasSubstr("--resume"), HasSubstr("Exit codes")));
  EXPECT_EQ(call.out.find("Usage"), call.out.rfind("Usage"));
  EXPECT_THAT(call.err, IsEmpty());
}

}  // namespace
}  // namespace spillway::launcher_test
