#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/configuration.hpp"
#include "experiments/pipeline_run.hpp"
#include "tests/experiments/experiment_text.hpp"
#include "tests/paths/paths.hpp"

namespace spillway::experiments {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// `more` goes behind the sweep's cluster.
std::string pipeline_experiment(const std::string& more) {
  return "name: small\n"
         "title: A small sweep\n"
         "question: Does it run?\n"
         "kind: pipeline\n"
         "sweep:\n"
         "  network: squeezenet\n"
         "  cluster: jetson-xavier-nx8\n" +
         more;
}

TEST(PipelineFile, PointsHaveTheirDefaults) {
  const Experiment experiment = parse_experiment(pipeline_experiment("  devices: [1, 2]\n"), "e.yaml");
  ASSERT_EQ(experiment.points.size(), 2U);
  const Point& point = experiment.points[1];
  EXPECT_EQ(point.count(PipelineParameter::devices), 2U);
  EXPECT_EQ(point.count(PipelineParameter::search_devices), 2U) << "as many as are used";
  EXPECT_EQ(point.name(PipelineParameter::comm), "overlap");
  EXPECT_EQ(point.count(PipelineParameter::individuals), 100U);
  EXPECT_EQ(point.count(PipelineParameter::generations), 400U);
}

TEST(PipelineFile, UnknownNamesAndKeysComeWithTheNearest) {
  EXPECT_THAT(
      problems_of(pipeline_experiment("  devices: 2\n"
                                      "  comm: papper\n"
                                      "  generation: 3\n")),
      ElementsAre(AllOf(StartsWith("e.yaml:9:9: sweep.comm: "), HasSubstr("did you mean \"paper\"?")),
                  AllOf(StartsWith("e.yaml:10:3: sweep.generation: "), HasSubstr("did you mean \"generations\"?"))));
  EXPECT_THAT(problems_of("name: small\ntitle: A\nquestion: B?\nkind: pipelin\n"),
              Contains(AllOf(StartsWith("e.yaml:4:7: kind: "), HasSubstr("did you mean \"pipeline\"?"))));
}

TEST(PipelineFile, KeysOfSwapRunsAreUnknown) {
  EXPECT_THAT(problems_of(pipeline_experiment("  devices: 2\n  board: swapnn-paper\n")),
              ElementsAre(StartsWith("e.yaml:9:3: sweep.board: ")));
  EXPECT_THAT(problems_of(pipeline_experiment("  devices: 2\ntables: [layers]\n")),
              ElementsAre(AllOf(StartsWith("e.yaml:9:10: tables[0]: "), HasSubstr("searches"))));
  EXPECT_THAT(problems_of(small_experiment("tables: [searches]\n")), ElementsAre(HasSubstr("tables[0]: ")));
}

TEST(PipelineFile, ValuesThatDoNotGoTogetherAreRefused) {
  EXPECT_THAT(problems_of(pipeline_experiment("  devices: [1, 2]\n  resources: gpu\n  how: alone\n")),
              ElementsAre(AllOf(StartsWith("e.yaml:8:12: sweep.devices: "), HasSubstr("one device"))));
  EXPECT_THAT(problems_of(pipeline_experiment("  devices: 1\n  how: alone\n")),
              ElementsAre(AllOf(HasSubstr("sweep.resources: "), HasSubstr("gpu, all-cores or one-core"))));
  EXPECT_THAT(problems_of(pipeline_experiment("  devices: 2\n  resources: gpu\n  comm: paper\n  how: exact-chain\n")),
              ElementsAre(AllOf(StartsWith("e.yaml:10:9: sweep.comm: "), HasSubstr("overlap"))));
  EXPECT_THAT(problems_of(pipeline_experiment("  devices: 4\n  search_devices: 2\n")),
              ElementsAre(AllOf(StartsWith("e.yaml:9:19: sweep.search_devices: "), HasSubstr("2"))));
  EXPECT_THAT(problems_of(pipeline_experiment("  devices: 4\n  individuals: 10\n")),
              ElementsAre(AllOf(StartsWith("e.yaml:9:16: sweep.individuals: "), HasSubstr("10"))));
}

TEST(PipelineFile, APublishedValueNeedsAMetricAndAPointOfThisKind) {
  const std::string published =
      "  devices: 2\n"
      "published:\n"
      "  - {id: a, metric: throughput, where: {devices: 2}, value: 2, tolerance: 1 %, kind: "
      "given, source: S}\n";
  EXPECT_THAT(problems_of(pipeline_experiment(published)),
              ElementsAre(AllOf(StartsWith("e.yaml:10:21: published[0].metric: "), HasSubstr("throughput_fps"))));
  const std::string nowhere =
      "  devices: 2\n"
      "published:\n"
      "  - {id: a, metric: throughput_fps, where: {devices: 3}, value: 2 Hz, tolerance: 1 %, "
      "kind: given, source: S}\n";
  EXPECT_THAT(problems_of(pipeline_experiment(nowhere)), ElementsAre(HasSubstr("no point of the sweep has devices 3")));
}

TEST(PipelineFile, ItsConfigurationIsTheSameExperiment) {
  for (const std::string& name : experiment_names()) {
    const Experiment experiment = load_experiment(name);
    if (experiment.kind != &pipeline_runs()) continue;
    const std::string config = config_yaml(experiment);
    const Experiment again = parse_experiment(config, "config.yaml");
    EXPECT_EQ(again.points, experiment.points) << name;
    EXPECT_EQ(config_yaml(again), config) << name;
  }
}

TEST(PipelineFile, ThePageNamesEveryColumnAndParameter) {
  std::ifstream stream(paths::source("experiments/mappings/README.md"));
  const std::string page(std::istreambuf_iterator<char>(stream), {});
  for (const Metric& metric : pipeline_runs().metrics)
    EXPECT_NE(page.find(metric.name), std::string::npos) << metric.name;
  for (const ParameterInfo& parameter : pipeline_runs().parameters)
    EXPECT_NE(page.find(parameter.key), std::string::npos) << parameter.key;
}

}  // namespace
}  // namespace spillway::experiments
