#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/zoo.hpp"
#include "sim/tiling/counts.hpp"
#include "sim/tiling/swap_plan.hpp"
#include "tests/paths/paths.hpp"

/// Task counts, tile shapes and bytes of the paper's rules against tables made by an independent program (data/*.csv).
/// That program did not model Add layers and counted one input read for a tile of a concatenated input.
namespace spillway::tiling {
namespace {

constexpr std::uint64_t kib = 1024;

using Row = std::vector<std::string>;

std::vector<Row> read_table(const std::string& name) {
  std::ifstream file(paths::source("tests/sim/tiling/data/" + name));
  std::vector<Row> rows;
  std::string line, cell;
  std::getline(file, line);
  while (std::getline(file, line)) {
    Row row;
    for (std::istringstream cells(line); std::getline(cells, cell, ',');)
      row.push_back(cell);
    rows.push_back(row);
  }
  return rows;
}

SwapPlan plan_of(const std::string& rule, const std::string& network, const std::string& buffer_kib) {
  Request request;
  request.rule = rule == to_string(Rule::paper) ? Rule::paper : Rule::paper_counts;
  request.buffer_bytes = std::stoull(buffer_kib) * kib;
  request.sram_bytes = 8192 * kib;
  return make_plan(*models::zoo(network), request);
}

std::uint64_t number(const std::string& cell) {
  return std::stoull(cell);
}

/// Reads of a tile's input beyond the one that the reference counts (dense: one for each buffer).
std::uint64_t extra_reads(const SwapPlan& plan, core::LayerIndex row) {
  const core::Layer& layer = plan.layers[row];
  const std::uint64_t elements = std::uint64_t{plan.parts[layer.first_part + layer.parts - 1u].first_channel} +
                                 plan.parts[layer.first_part + layer.parts - 1u].channels;
  const std::uint64_t counted =
      layer.flattened ? (elements + plan.request.buffer_bytes - 1) / plan.request.buffer_bytes : 1;
  const TaskCounts counts = count_tasks(plan.view(), row);
  return counts.read_input - counts.write_output * counted;
}

TEST(Reference, TotalsOfOneFrame) {
  const std::vector<Row> rows = read_table("totals.csv");
  ASSERT_EQ(rows.size(), 78u);
  for (const Row& row : rows) {
    SCOPED_TRACE(row[0] + " " + row[1] + " " + row[2] + " KiB");
    const SwapPlan plan = plan_of(row[0], row[1], row[2]);
    std::uint64_t io = io_tasks(plan.view()), compute = compute_tasks(plan.view()),
                  bytes = traffic(plan.view()).bytes();
    for (core::LayerIndex layer = 0; layer < plan.layers.size(); ++layer) {
      if (plan.layers[layer].work_class == core::WorkClass::elementwise) {
        io -= count_tasks(plan.view(), layer).io();
        compute -= count_tasks(plan.view(), layer).compute;
        bytes -= traffic(plan.view(), layer).bytes();
      } else {
        io -= extra_reads(plan, layer);
      }
    }
    EXPECT_EQ(io, number(row[3]));
    EXPECT_EQ(compute, number(row[4]));
    EXPECT_EQ(std::lround(static_cast<double>(bytes) / 1e5), std::lround(std::stod(row[5]) * 10));
  }
}

TEST(Reference, TilesOfEachLayer) {
  const std::vector<Row> rows = read_table("layers.csv");
  ASSERT_EQ(rows.size(), 230u);
  std::string of_plan;
  SwapPlan plan;
  core::LayerIndex layer = 0;
  for (const Row& row : rows) {
    if (const std::string key = row[0] + " " + row[1] + " " + row[2] + " KiB"; key != of_plan) {
      if (!of_plan.empty()) {
        EXPECT_EQ(layer, plan.layers.size()) << of_plan;
      }
      of_plan = key;
      plan = plan_of(row[0], row[1], row[2]);
      layer = 0;
    }
    SCOPED_TRACE(of_plan + " " + row[3]);
    ASSERT_LT(layer, plan.layers.size());
    const core::Layer& cut = plan.layers[layer];
    EXPECT_EQ(cut.tile_height, number(row[4]));
    EXPECT_EQ(cut.tile_width, number(row[5]));
    EXPECT_EQ(cut.tiles(), number(row[6]));
    EXPECT_EQ(cut.has_weights() ? cut.chunks : 0, number(row[7]));
    EXPECT_EQ(count_tasks(plan.view(), layer).io(), number(row[8]));
    ++layer;
  }
}

/// The counts that README and figures quote.
TEST(Reference, PublishedCounts) {
  const auto io = [](const char* rule, const char* network, const char* buffer) {
    return io_tasks(plan_of(rule, network, buffer).view());
  };
  EXPECT_EQ(io("paper", "vgg16", "16"), 85'871u);                      // published: 85,024
  EXPECT_EQ(io("paper", "vgg16", "128"), 2'214u);                      // published: 2,248
  EXPECT_EQ(io("paper", "mobilenet-dense-depthwise", "16"), 54'531u);  // published: 55,877
  EXPECT_EQ(io("paper-counts", "vgg16", "16"), 85'105u);
  EXPECT_EQ(io("paper-counts", "vgg16", "128"), 2'253u);
  EXPECT_EQ(io("paper-counts", "mobilenet-dense-depthwise", "16"), 55'954u);
  EXPECT_EQ(io("paper-counts", "mobilenet-dense-depthwise", "128"), 703u);
  EXPECT_EQ(io("paper-counts", "alexnet-ungrouped", "16"), 8'687u);
  EXPECT_EQ(io("paper-counts", "alexnet-ungrouped", "128"), 575u);
}

}  // namespace
}  // namespace spillway::tiling
