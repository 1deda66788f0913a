#include "experiments/tables.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/experiment_text.hpp"

namespace spillway::experiments {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* timeline =
    "timelines:\n"
    "  - title: A tile\n"
    "    where: {sram: 512 KiB, buffer: 64 KiB, mode: parallel}\n"
    "    layer: conv1\n"
    "    tile: 1\n"
    "    span: 100 ms\n";

TEST(Tables, LayersHaveALineEachForEveryPointWithAPlan) {
  const Experiment experiment = parse_experiment(small_experiment("tables: [layers]\n"), "e.yaml");
  const std::string csv = layers_csv(experiment);
  EXPECT_THAT(csv, StartsWith("point,network,layer,work_class,counted,work,"));
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 6 * 29);  // two of the eight points have two buffers only
}

TEST(Tables, EnduranceSetsRealCardsBesideThePapers) {
  const Experiment experiment = parse_experiment(small_experiment("tables: [endurance]\n"), "e.yaml");
  const std::string csv = endurance_csv(experiment, run_points(experiment.points, {}));
  EXPECT_THAT(csv, AllOf(HasSubstr("SwapNN"), HasSubstr("SanDisk"), HasSubstr("whole erase blocks")));
}

TEST(Tables, ATimelineIsCutOutOfTheRun) {
  const Experiment experiment = parse_experiment(small_experiment(timeline), "e.yaml");
  const std::string csv = timelines_csv(experiment);
  EXPECT_THAT(csv, AllOf(HasSubstr("1,A tile,mobilenet,0,0,conv1,1,read_input,0,"), HasSubstr(",compute,")));
}

TEST(Tables, ATimelineNeedsOnePointAndALayerThatItHas) {
  std::string several = timeline;
  several.replace(several.find(", mode: parallel"), 16, "");
  EXPECT_THAT(problems_of(small_experiment(several)), ElementsAre(HasSubstr("2 points have sram 512 KiB")));
  std::string unknown = timeline;
  unknown.replace(unknown.find("conv1"), 5, "conv9");
  const Experiment experiment = parse_experiment(small_experiment(unknown), "e.yaml");
  EXPECT_THROW(timelines_csv(experiment), std::runtime_error);
}

}  // namespace
}  // namespace spillway::experiments
