#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "random_network.hpp"
#include <gtest/gtest.h>

#include "sim/core/geometry.hpp"
#include "sim/core/scheduler.hpp"
#include "sim/tiling/counts.hpp"
#include "sim/tiling/swap_plan.hpp"

/// What every plan must hold, by counting element by element, on random networks.
namespace spillway::tiling {
namespace {

using core::Layer;
using core::LayerIndex;
using core::Part;
using core::Region;
using core::Task;
using core::TaskKind;

struct Case {
  models::Network network;
  SwapPlan plan;
};

Request random_request(Random& random, Rule rule) {
  Request request;
  request.rule = rule;
  request.buffer_bytes = 512u * static_cast<std::uint64_t>(random.between(1, random.chance(50) ? 3 : 12));
  request.sram_bytes = request.buffer_bytes * static_cast<std::uint64_t>(random.between(4, 24));
  request.element = random.chance(50) ? models::ElementType::int8 : models::ElementType::float32;
  request.frames = static_cast<std::uint32_t>(random.between(1, 3));
  request.window = static_cast<std::uint32_t>(random.between(0, 2));
  return request;
}

/// Calls `check` with random plans of a rule; requests that are refused are tried again with another network.
template <class Check>
void for_random_plans(Rule rule, std::uint32_t seed, int count, Check check) {
  Random random(seed);
  for (int made = 0, tried = 0; made < count; ++tried) {
    ASSERT_LT(tried, 20 * count);
    const models::Network network = random_network(random);
    const Request request = random_request(random, rule);
    try {
      const Case one{network, make_plan(network, request)};
      SCOPED_TRACE(std::string(to_string(rule)) + " plan " + std::to_string(made));
      check(one);
      if (::testing::Test::HasFatalFailure()) return;
      ++made;
    } catch (const Infeasible&) {
    } catch (const Unsupported&) {
    }
  }
}

std::span<const Part> parts_of(const SwapPlan& plan, const Layer& layer) {
  return std::span(plan.parts).subspan(layer.first_part, layer.parts);
}

std::uint64_t input_bytes(const SwapPlan& plan, const Layer& layer, std::uint32_t tile) {
  std::uint64_t bytes = 0;
  for (const Part& part : parts_of(plan, layer)) {
    bytes += core::input_region(layer, part, tile).elements() * layer.element_bytes;
  }
  return bytes;
}

/// Bytes of accumulators for each pixel of a layer whose filters are cut (rule halo).
std::uint64_t accumulator_bytes(const Layer& layer) {
  return layer.pieces > 1 && layer.element_bytes == 1 ? 4 : 0;
}

void expect_tiles_partition_output(const Layer& layer) {
  std::vector<int> times(std::size_t{layer.channels} * layer.height * layer.width);
  for (std::uint32_t tile = 0; tile < layer.tiles(); ++tile) {
    const Region box = core::output_region(layer, tile);
    ASSERT_GT(box.elements(), 0u);
    for (std::uint32_t c = box.channels.first; c < box.channels.last; ++c) {
      for (std::uint32_t y = box.rows.first; y < box.rows.last; ++y) {
        for (std::uint32_t x = box.columns.first; x < box.columns.last; ++x) {
          ++times.at((std::size_t{c} * layer.height + y) * layer.width + x);
        }
      }
    }
  }
  ASSERT_TRUE(std::all_of(times.begin(), times.end(), [](int n) { return n == 1; }));
}

void expect_buffers_suffice(const SwapPlan& plan, const Layer& layer) {
  const std::uint64_t buffer = plan.request.buffer_bytes;
  const core::Plan contiguous = [&] {
    core::Plan view = plan.view();
    view.layout = core::CardLayout::contiguous;
    return view;
  }();
  const auto row = static_cast<LayerIndex>(&layer - plan.layers.data());
  std::uint64_t largest = 0;
  for (std::uint32_t tile = 0; tile < layer.tiles(); ++tile) {
    largest = std::max(largest, input_bytes(plan, layer, tile));
    const Region box = core::output_region(layer, tile);
    const std::uint64_t pixels = std::uint64_t{box.rows.size()} * box.columns.size();
    const bool charged = plan.request.rule == Rule::halo;
    ASSERT_LE(box.elements() * layer.element_bytes + (charged ? pixels * accumulator_bytes(layer) : 0), buffer);
    for (std::uint32_t chunk = 0; chunk < core::chunks_of(layer, tile); ++chunk) {
      ASSERT_LE(core::bytes_of(contiguous, {0, tile, chunk, row, TaskKind::read_weights}), buffer);
    }
    if (plan.request.rule == Rule::paper_counts) continue;
    for (const Part& part : parts_of(plan, layer)) {
      ASSERT_LE(core::input_region(layer, part, tile).elements() * layer.element_bytes, buffer);
    }
  }
  if (plan.request.rule != Rule::paper_counts) {
    ASSERT_EQ(layer.input_buffers, (largest + buffer - 1) / buffer);
  }
  ASSERT_LE(layer.input_buffers, plan.pools.input);
}

/// The work of a tile's chunks is that of its elements, and that of a layer is what the network says.
void expect_work_adds_up(const Case& one, LayerIndex row) {
  const core::Plan view = one.plan.view();
  const Layer& layer = view.layers[row];
  std::uint64_t sum = 0;
  for (std::uint32_t tile = 0; tile < layer.tiles(); ++tile) {
    std::uint64_t of_tile = 0;
    for (std::uint32_t chunk = 0; chunk < core::chunks_of(layer, tile); ++chunk) {
      of_tile += core::work_of(view, {0, tile, chunk, row, TaskKind::compute});
    }
    ASSERT_EQ(of_tile, core::output_region(layer, tile).elements() * layer.filter_work);
    sum += of_tile;
  }
  const std::int64_t macs = one.network.macs(one.plan.layer_nodes[row]);
  ASSERT_TRUE(!layer.has_weights() || sum == static_cast<std::uint64_t>(macs)) << sum << " against " << macs;
}

/// Each frame reads all weights of a layer once for each position of the map.
void expect_weights_are_complete(const Case& one, LayerIndex row) {
  const Layer& layer = one.plan.layers[row];
  if (!layer.has_weights() || one.plan.request.rule != Rule::halo) return;
  core::Plan view = one.plan.view();
  view.layout = core::CardLayout::contiguous;
  const auto weights = static_cast<std::uint64_t>(one.network.weights(one.plan.layer_nodes[row]));
  if (one.network.node(one.plan.layer_nodes[row]).dense_weight_bytes) return;
  ASSERT_EQ(traffic(view, row).weight_bytes, weights * layer.element_bytes * layer.rows * layer.columns);
}

/// Every output element finds what it reads in the parts of its tile: each operand exactly once.
void expect_parts_cover_input(const SwapPlan& plan, const Layer& layer, std::uint32_t input_channels,
                              std::uint32_t operands) {
  std::vector<std::uint32_t> times(input_channels);
  for (const Part& part : parts_of(plan, layer)) {
    ASSERT_GT(part.channels, 0u);
    for (std::uint32_t c = 0; c < part.channels; ++c)
      ++times.at(part.first_channel + c);
  }
  for (const std::uint32_t n : times)
    ASSERT_EQ(n, operands);
  if (layer.flattened) return;
  for (std::uint32_t tile = 0; tile < layer.tiles(); ++tile) {
    const Region out = core::output_region(layer, tile);
    const Region in = core::input_region(layer, parts_of(plan, layer)[0], tile);
    for (std::uint32_t y = out.rows.first; y < out.rows.last; ++y) {
      for (std::int64_t k = 0; k < layer.kernel_height; ++k) {
        const std::int64_t at = std::int64_t{y} * layer.stride_height - layer.pad_top + k;
        if (at < 0 || at >= layer.input_height) continue;
        ASSERT_GE(at, in.rows.first);
        ASSERT_LT(at, in.rows.last);
      }
    }
    if (!layer.channelwise) continue;
    std::uint64_t channels = 0;
    for (const Part& part : parts_of(plan, layer))
      channels += core::input_region(layer, part, tile).channels.size();
    const std::uint32_t first = out.channels.first - std::min<std::uint32_t>(out.channels.first, layer.channel_halo);
    const std::uint32_t last = std::min(out.channels.last + layer.channel_halo, input_channels);
    ASSERT_EQ(channels, std::uint64_t{operands} * (last - first));
  }
}

/// A cut filter is cut where input parts end.
void expect_pieces_end_with_parts(const SwapPlan& plan, const Layer& layer, std::uint32_t filter_channels) {
  if (layer.pieces == 1) return;
  ASSERT_EQ(layer.chunk_filters, 1u);
  const std::uint32_t kernel = layer.filter_bytes / filter_channels;
  ASSERT_EQ(layer.piece_bytes % kernel, 0u);
  const std::uint32_t step = layer.piece_bytes / kernel;
  for (const Part& part : parts_of(plan, layer)) {
    const std::uint32_t last = part.first_channel + part.channels - 1;
    ASSERT_EQ(part.first_channel / filter_channels, last / filter_channels);
    ASSERT_EQ(part.first_channel % filter_channels / step, last % filter_channels / step);
  }
}

void expect_tables_agree(const SwapPlan& plan) {
  std::map<LayerIndex, std::vector<LayerIndex>> readers;
  for (LayerIndex row = 0; row < plan.layers.size(); ++row) {
    for (const Part& part : parts_of(plan, plan.layers[row])) {
      if (part.producer == core::network_input) continue;
      ASSERT_LT(part.producer, row);
      const Layer& producer = plan.layers[part.producer];
      const std::uint64_t scale = plan.layers[row].flattened ? std::uint64_t{producer.height} * producer.width : 1;
      if (plan.request.rule != Rule::paper_counts) {
        ASSERT_LE(std::uint64_t{part.producer_channel} + part.channels, producer.channels * scale);
      }
      std::vector<LayerIndex>& list = readers[part.producer];
      if (list.empty() || list.back() != row) list.push_back(row);
    }
  }
  for (LayerIndex row = 0; row < plan.layers.size(); ++row) {
    const Layer& layer = plan.layers[row];
    const auto listed = std::span(plan.consumers).subspan(layer.first_consumer, layer.consumers);
    ASSERT_EQ(std::vector<LayerIndex>(listed.begin(), listed.end()), readers[row]);
  }
}

void expect_counts_are_right(const SwapPlan& plan) {
  for (LayerIndex row = 0; row < plan.layers.size(); ++row) {
    const Layer& layer = plan.layers[row];
    TaskCounts counted;
    for (std::uint32_t tile = 0; tile < layer.tiles(); ++tile) {
      for (const Part& part : parts_of(plan, layer)) {
        counted.read_input += core::input_region(layer, part, tile).channels.empty() ? 0 : 1;
      }
      counted.compute += core::chunks_of(layer, tile);
      ++counted.write_output;
    }
    counted.read_weights = layer.has_weights() ? counted.compute : 0;
    ASSERT_EQ(count_tasks(plan.view(), row), counted);
  }
}

/// Runs a plan on the core, one task at a time, and counts what it starts.
void expect_runs_to_the_end(const SwapPlan& plan) {
  const core::Plan view = plan.view();
  std::vector<std::uint32_t> storage(core::Scheduler::storage_words(core::size_of(view)));
  core::Scheduler scheduler;
  ASSERT_EQ(scheduler.start(view, storage), core::Status::ok);
  TaskCounts started;
  while (!scheduler.done()) {
    std::optional<Task> task = scheduler.select_compute();
    if (!task) task = scheduler.select_io();
    ASSERT_TRUE(task.has_value());
    started.read_input += task->kind == TaskKind::read_input;
    started.read_weights += task->kind == TaskKind::read_weights;
    started.compute += task->kind == TaskKind::compute;
    started.write_output += task->kind == TaskKind::write_output;
    ASSERT_EQ(scheduler.finish(*task), core::Status::ok);
  }
  TaskCounts expected;
  for (std::uint32_t frame = 0; frame < view.frames; ++frame)
    expected += count_tasks(view);
  ASSERT_EQ(started, expected);
}

void expect_sound(const Case& one) {
  const SwapPlan& plan = one.plan;
  ASSERT_EQ(core::Scheduler::check(plan.view()), core::Status::ok);
  expect_tables_agree(plan);
  expect_counts_are_right(plan);
  for (LayerIndex row = 0; row < plan.layers.size(); ++row) {
    SCOPED_TRACE(plan.layer_names[row]);
    const Layer& layer = plan.layers[row];
    const models::Node& node = one.network.node(plan.layer_nodes[row]);
    const models::Shape input = one.network.input_shape(plan.layer_nodes[row]);
    const bool elementwise = layer.work_class == core::WorkClass::elementwise;
    ASSERT_NO_FATAL_FAILURE(expect_tiles_partition_output(layer));
    ASSERT_NO_FATAL_FAILURE(expect_buffers_suffice(plan, layer));
    ASSERT_NO_FATAL_FAILURE(expect_work_adds_up(one, row));
    ASSERT_NO_FATAL_FAILURE(expect_weights_are_complete(one, row));
    ASSERT_NO_FATAL_FAILURE(expect_parts_cover_input(
        plan, layer, static_cast<std::uint32_t>(layer.flattened ? input.elements() : input.channels),
        elementwise ? static_cast<std::uint32_t>(node.inputs.size()) : 1));
    if (plan.request.rule == Rule::halo && layer.has_weights()) {
      const std::int64_t filter = layer.flattened ? input.elements() : input.channels / node.groups;
      ASSERT_NO_FATAL_FAILURE(expect_pieces_end_with_parts(plan, layer, static_cast<std::uint32_t>(filter)));
    }
  }
}

TEST(Properties, Paper) {
  for_random_plans(Rule::paper, 1, 400, expect_sound);
}

TEST(Properties, PaperCounts) {
  for_random_plans(Rule::paper_counts, 2, 400, expect_sound);
}

TEST(Properties, Halo) {
  for_random_plans(Rule::halo, 3, 1000, expect_sound);
}

TEST(Properties, PlansRunToTheEnd) {
  const auto run = [](const Case& one) { expect_runs_to_the_end(one.plan); };
  for_random_plans(Rule::paper, 4, 200, run);
  for_random_plans(Rule::paper_counts, 5, 200, run);
  for_random_plans(Rule::halo, 6, 300, run);
}

/// The random plans reach what the rule halo is for.
TEST(Properties, HaloCasesAreReached) {
  int split_inputs = 0, cut_filters = 0, cut_grouped_filters = 0, channel_groups = 0, output_groups = 0, several = 0;
  for_random_plans(Rule::halo, 3, 1000, [&](const Case& one) {
    for (LayerIndex row = 0; row < one.plan.layers.size(); ++row) {
      const Layer& layer = one.plan.layers[row];
      split_inputs += layer.input_buffers > 1 && !layer.flattened;
      cut_filters += layer.pieces > 1;
      cut_grouped_filters += layer.pieces > 1 && one.network.node(one.plan.layer_nodes[row]).groups > 1;
      channel_groups += layer.groups > 1 && layer.channelwise;
      output_groups += layer.groups > 1 && !layer.channelwise;
      several += layer.parts > 1 && layer.pieces == 1 && layer.input_buffers == 1;
    }
  });
  EXPECT_GT(split_inputs, 20);
  EXPECT_GT(cut_filters, 20);
  EXPECT_GT(cut_grouped_filters, 5);
  EXPECT_GT(channel_groups, 20);
  EXPECT_GT(output_groups, 20);
  EXPECT_GT(several, 20);
}

/// No tile shape of the same kind needs fewer tiles.
TEST(Properties, HaloFindsTheFewestTiles) {
  for_random_plans(Rule::halo, 7, 200, [](const Case& one) {
    for (const Layer& layer : one.plan.layers) {
      const std::uint64_t buffer = one.plan.request.buffer_bytes;
      if (layer.flattened || layer.input_buffers > 1) continue;
      for (std::uint32_t height = 1; height <= layer.height; ++height) {
        for (std::uint32_t width = 1; width <= layer.width; ++width) {
          Layer other = layer;
          other.tile_height = height;
          other.tile_width = width;
          other.rows = (layer.height + height - 1) / height;
          other.columns = (layer.width + width - 1) / width;
          if (other.tiles() >= layer.tiles()) continue;
          std::uint64_t input = 0;
          for (std::uint32_t tile = 0; tile < other.tiles(); ++tile) {
            input = std::max(input, input_bytes(one.plan, other, tile));
          }
          const std::uint64_t output =
              std::uint64_t{height} * width * (layer.tile_channels * layer.element_bytes + accumulator_bytes(layer));
          ASSERT_TRUE(input > buffer || output > buffer) << height << " x " << width << " would do";
        }
      }
    }
  });
}

/// Exact halos are at most what `paper` charges, so they never need more tiles, but where accumulators take room.
TEST(Properties, HaloNeedsNoMoreTilesThanPaper) {
  int compared = 0;
  for_random_plans(Rule::paper, 8, 300, [&](const Case& one) {
    Request request = one.plan.request;
    request.rule = Rule::halo;
    request.element = models::ElementType::int8;
    const SwapPlan halo = make_plan(one.network, request);
    for (LayerIndex row = 0; row < halo.layers.size(); ++row) {
      if (halo.layers[row].pieces > 1) continue;
      ASSERT_LE(halo.layers[row].tiles(), one.plan.layers[row].tiles()) << halo.layer_names[row];
      ++compared;
    }
  });
  EXPECT_GT(compared, 500);
}

TEST(Properties, SameRequestSamePlan) {
  for_random_plans(Rule::halo, 9, 50, [](const Case& one) {
    const SwapPlan again = make_plan(one.network, one.plan.request);
    ASSERT_EQ(again.layer_names, one.plan.layer_names);
    ASSERT_EQ(again.parts, one.plan.parts);
    ASSERT_EQ(again.consumers, one.plan.consumers);
  });
}

}  // namespace
}  // namespace spillway::tiling
