#include "experiments/configuration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/experiment.hpp"
#include "tests/experiments/experiment_text.hpp"

namespace spillway::experiments {
namespace {

void expect_equal(const Timeline& one, const Timeline& other) {
  EXPECT_EQ(one.title, other.title);
  EXPECT_EQ(one.point, other.point);
  EXPECT_EQ(one.frame, other.frame);
  EXPECT_EQ(one.tile, other.tile);
  EXPECT_EQ(one.layer, other.layer);
  EXPECT_EQ(one.span_s, other.span_s);
}

void expect_equal(const Target& one, const Target& other) {
  SCOPED_TRACE(one.id);
  EXPECT_EQ(one.id, other.id);
  EXPECT_EQ(one.metric, other.metric);
  EXPECT_EQ(one.value, other.value);
  EXPECT_EQ(one.tolerance, other.tolerance);
  EXPECT_EQ(one.low, other.low);
  EXPECT_EQ(one.high, other.high);
  EXPECT_EQ(one.total_of_frames, other.total_of_frames);
  EXPECT_EQ(one.kind, other.kind);
  EXPECT_EQ(one.source, other.source);
  EXPECT_EQ(one.fitted, other.fitted);
  EXPECT_EQ(one.expect_hit, other.expect_hit);
  EXPECT_EQ(one.reason, other.reason);
  EXPECT_EQ(one.points, other.points);
  EXPECT_EQ(one.references, other.references);
}

TEST(Configuration, IsTheWholeExperiment) {
  std::size_t timelines = 0, tables = 0, targets = 0;
  for (const std::string& name : experiment_names()) {
    SCOPED_TRACE(name);
    const Experiment one = load_experiment(name);
    const Experiment other = parse_experiment(config_yaml(one), "config.yaml");
    EXPECT_EQ(one.name, other.name);
    EXPECT_EQ(one.title, other.title);
    EXPECT_EQ(one.paper, other.paper);
    EXPECT_EQ(one.question, other.question);
    EXPECT_EQ(one.notes, other.notes);
    EXPECT_EQ(one.points, other.points);
    EXPECT_EQ(one.tables, other.tables);
    ASSERT_EQ(one.timelines.size(), other.timelines.size());
    for (std::size_t i = 0; i < one.timelines.size(); ++i)
      expect_equal(one.timelines[i], other.timelines[i]);
    ASSERT_EQ(one.published.size(), other.published.size());
    for (std::size_t i = 0; i < one.published.size(); ++i)
      expect_equal(one.published[i], other.published[i]);
    timelines += one.timelines.size();
    tables += one.tables.size();
    targets += one.published.size();
  }
  EXPECT_GT(timelines, 0U);
  EXPECT_GT(tables, 0U);
  EXPECT_GT(targets, 100U);
}

TEST(Configuration, KeepsPathsThatHoldSignsOfYaml) {
  Experiment experiment = parse_experiment(small_experiment(), "e.yaml");
  const Value path = std::string("parts, old/a #1: {\"x\"}.yaml");
  experiment.blocks.front()[static_cast<std::size_t>(Parameter::card)] = {path};
  for (Point& point : experiment.points)
    point[Parameter::card] = path;
  EXPECT_EQ(parse_experiment(config_yaml(experiment), "config.yaml").points, experiment.points);
}

}  // namespace
}  // namespace spillway::experiments
