#include "hw/linux/runtime.hpp"

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "card_on_disk.hpp"
#include "random_case.hpp"
#include "temporary_folder.hpp"
#include <gtest/gtest.h>

#include "sim/core/geometry.hpp"
#include "sim/tiling/counts.hpp"

namespace spillway::execution {
namespace {

class Recorder final : public trace::Sink {
 public:
  void record(const trace::Record& record) override { records.push_back(record); }
  void pools(const trace::PoolLevels& levels) override { changes.push_back(levels); }

  std::vector<trace::Record> records;
  std::vector<trace::PoolLevels> changes;
};

/// Calls `take(network, plan)` for so many random cases that can be run.
template <class Take>
void for_random_cases(std::uint32_t seed, int count, const Take& take) {
  tiling::Random random(seed);
  while (count > 0 && !testing::Test::HasFailure()) {
    const models::Network network = tiling::random_network(random);
    const tiling::Rule rule = random.chance(50) ? tiling::Rule::halo : tiling::Rule::min_traffic;
    const std::optional<tiling::SwapPlan> plan = random_plan(network, rule, random);
    if (!plan || !is_executable(network, *plan)) continue;
    SCOPED_TRACE(to_text(network, *plan));
    take(network, *plan, random);
    --count;
  }
}

TEST(Runtime, ComputesWhatTheUntiledNetworkDoes) {
  const mpi::TemporaryFolder folder;
  for_random_cases(1, 25, [&](const models::Network& network, const tiling::SwapPlan& made, tiling::Random& random) {
    const CardOnDisk card(network, made, folder.path() / "card", random);
    Recorder recorder;
    RunOptions options;
    options.sink = &recorder;
    options.landing_bytes = random.chance(50) ? 512 : 64 << 10;
    const RunResult result = card.run(options);
    card.expect_results();

    const tiling::Traffic traffic = tiling::traffic(card.plan());
    EXPECT_EQ(result.bytes[0], card.plan().frames * traffic.input_bytes);
    EXPECT_EQ(result.bytes[1], card.plan().frames * traffic.weight_bytes);
    EXPECT_EQ(result.bytes[2], 0U);
    EXPECT_EQ(result.bytes[3], card.plan().frames * traffic.output_bytes);
    EXPECT_EQ(recorder.records.size(), result.tasks[0] + result.tasks[1] + result.tasks[2] + result.tasks[3]);
    std::uint64_t last = 0;
    for (const trace::Record& record : recorder.records) {
      EXPECT_LE(record.start_ns, record.end_ns);
      EXPECT_LE(last, record.end_ns);
      last = record.end_ns;
    }
    EXPECT_LE(last, result.makespan_ns);
    ASSERT_FALSE(recorder.changes.empty());
    EXPECT_EQ(recorder.changes.back().input + recorder.changes.back().weights + recorder.changes.back().output, 0);
  });
}

TEST(Runtime, MakesTheSameDecisionsInEveryRunInLockstep) {
  const mpi::TemporaryFolder folder;
  for_random_cases(2, 10, [&](const models::Network& network, const tiling::SwapPlan& made, tiling::Random& random) {
    const CardOnDisk card(network, made, folder.path() / "card", random);
    std::vector<core::Task> decisions[2];
    for (std::vector<core::Task>& run : decisions) {
      FixedTimes times([&](const core::Task& task) {
        return 1000 + core::bytes_of(card.plan(), task) + core::work_of(card.plan(), task) / 4;
      });
      RunOptions options;
      options.lockstep = &times;
      options.selected = [&run](const core::Task& task) { run.push_back(task); };
      card.run(options);
      card.expect_results();
    }
    EXPECT_EQ(decisions[0], decisions[1]);
  });
}

TEST(Runtime, ATruncatedCardEndsInAnErrorThatSaysWhere) {
  const mpi::TemporaryFolder folder;
  for_random_cases(3, 3, [&](const models::Network& network, const tiling::SwapPlan& made, tiling::Random& random) {
    const CardOnDisk card(network, made, folder.path() / "card", random);
    std::filesystem::resize_file(folder.path() / "card", 1024);
    try {
      card.run({});
      ADD_FAILURE() << "it ran";
    } catch (const CardError& error) {
      EXPECT_NE(std::string(error.what()).find("the card ends before"), std::string::npos) << error.what();
    }
  });
}

TEST(CardFile, SaysWhatIsWrong) {
  const mpi::TemporaryFolder folder;
  try {
    CardFile(folder.path() / "none", Access::direct);
    ADD_FAILURE() << "it opened";
  } catch (const CardError& error) {
    EXPECT_EQ(error.what(), "card " + (folder.path() / "none").string() + ": No such file or directory");
  }
}

}  // namespace
}  // namespace spillway::execution
