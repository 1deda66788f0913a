#include "min_traffic_comparison.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "min_traffic_brute_force.hpp"
#include "min_traffic_networks.hpp"
#include "min_traffic_replay.hpp"
#include <gtest/gtest.h>

#include "sim/tiling/counts.hpp"
#include "sim/tiling/lower.hpp"

namespace spillway::least_traffic {
namespace {

using tiling::Request;
using tiling::Rule;
using tiling::SwapPlan;

std::optional<SwapPlan> plan_of(const models::Network& network, Request request, Rule rule) {
  request.rule = rule;
  try {
    return tiling::make_plan(network, request);
  } catch (const tiling::Infeasible&) {
    return {};
  }
}

/// The network's input as its readers see it: a vector where all of them are dense layers.
MapShape input_of(const models::Network& network, const std::vector<tiling::SwapLayer>& layers) {
  const models::Shape& shape = network.node(0).output;
  const bool vector = std::ranges::all_of(layers, [](const tiling::SwapLayer& layer) {
    return layer.flattened || std::ranges::none_of(layer.sources, [](const core::Part& part) {
             return part.producer == core::network_input;
           });
  });
  if (vector) return {static_cast<std::uint32_t>(shape.elements()), 1, 1};
  return {static_cast<std::uint32_t>(shape.channels), static_cast<std::uint32_t>(shape.height),
          static_cast<std::uint32_t>(shape.width)};
}

Cost cost_of(const SwapPlan& plan) {
  const core::Plan view = plan.view();
  return {tiling::traffic(view).bytes(), tiling::io_tasks(view)};
}

std::string to_text(const Cost& cost) {
  return std::to_string(cost.bytes) + " bytes in " + std::to_string(cost.tasks) + " IO tasks";
}

std::string to_text(const std::optional<Cost>& cost) {
  return cost ? to_text(*cost) : "no plan";
}

/// A case as a reader can build it again.
std::string to_text(const models::Network& network, const Request& request) {
  std::string text = std::to_string(request.sram_bytes / request.buffer_bytes) + " buffers of " +
                     std::to_string(request.buffer_bytes) + " bytes, " +
                     std::string(models::to_string(request.element));
  for (const models::Node& node : network.nodes()) {
    const models::Window& window = node.window;
    text += "\n  " + node.name + " " + std::string(models::to_string(node.op)) + " " + models::to_string(node.output);
    for (const models::NodeId from : node.inputs)
      text += " < " + network.node(from).name;
    text += " kernel " + std::to_string(window.span_height()) + "x" + std::to_string(window.span_width()) + " stride " +
            std::to_string(window.stride_height) + "x" + std::to_string(window.stride_width) + " pad " +
            std::to_string(window.pad_top) + "," + std::to_string(window.pad_left) + "," +
            std::to_string(window.pad_bottom) + "," + std::to_string(window.pad_right) + " groups " +
            std::to_string(node.groups) + " size " + std::to_string(node.normalization_size);
  }
  return text;
}

/// The choices of a plan.
std::string to_text(const SwapPlan& plan) {
  std::string text = "input in blocks of " + std::to_string(plan.input_plane_channels);
  for (const core::Layer& layer : plan.layers) {
    text += "\n  tile " + std::to_string(layer.tile_channels) + "x" + std::to_string(layer.tile_height) + "x" +
            std::to_string(layer.tile_width) + " of " + std::to_string(layer.channels) + "x" +
            std::to_string(layer.height) + "x" + std::to_string(layer.width) + " blocks of " +
            std::to_string(layer.plane_channels) + " chunks " + std::to_string(layer.chunks) + " of " +
            std::to_string(layer.chunk_filters) + " in " + std::to_string(layer.pieces) + " pieces of " +
            std::to_string(layer.piece_bytes) + " weight pins " + std::to_string(layer.weight_pins) + " output pins " +
            std::to_string(layer.output_pins) + " input buffers " + std::to_string(layer.input_buffers);
  }
  return text;
}

void note(const SwapPlan& plan, Reached& reached) {
  ++reached.plans;
  if (plan.layout != core::CardLayout::planes) return;
  ++reached.planes;
  for (const core::Layer& layer : plan.layers) {
    reached.weights_outside += layer.weight_pins > 1;
    reached.kept_outputs += layer.output_pins != 0;
    reached.cut_filters += layer.pieces > 1;
    reached.channel_groups += layer.groups > 1;
    reached.cut_columns += layer.columns > 1;
    reached.blocks += layer.plane_channels < layer.channels;
    reached.several_buffers += layer.input_buffers > 1;
    reached.several_parts += layer.parts > 1;
  }
}

Request random_request(tiling::Random& random) {
  Request request;
  request.buffer_bytes = 512u * static_cast<std::uint64_t>(random.between(1, 4));
  request.sram_bytes = request.buffer_bytes * static_cast<std::uint64_t>(random.between(4, 24));
  request.element = random.chance(50) ? models::ElementType::int8 : models::ElementType::float32;
  request.frames = static_cast<std::uint32_t>(random.between(1, 2));
  request.window = static_cast<std::uint32_t>(random.between(0, 1));
  return request;
}

}  // namespace

void expect_sound_replay(const models::Network& network, const SwapPlan& plan, tiling::Random& random) {
  const core::Plan view = plan.view();
  const Replay run = replay(view, input_of(network, tiling::lower(network)), random);
  ASSERT_EQ(run.fault, "");
  const tiling::Traffic traffic = tiling::traffic(view);
  EXPECT_EQ(run.input_bytes, view.frames * traffic.input_bytes);
  EXPECT_EQ(run.weight_bytes, view.frames * traffic.weight_bytes);
  EXPECT_EQ(run.output_bytes, view.frames * traffic.output_bytes);
  EXPECT_EQ(run.io_tasks, view.frames * tiling::io_tasks(view));
}

void expect_least(const models::Network& network, const Request& request, tiling::Random& random, Reached& reached) {
  SCOPED_TRACE(to_text(network, request));
  const std::vector<tiling::SwapLayer> layers = tiling::lower(network);
  const MapShape input = input_of(network, layers);
  const auto element_bytes = static_cast<std::uint32_t>(models::bytes_of(request.element));
  const std::optional<Cost> searched =
      least_cost(layers, input, {request.sram_bytes, request.buffer_bytes, element_bytes});
  const std::optional<SwapPlan> halo = plan_of(network, request, Rule::halo);
  const std::optional<SwapPlan> plan = plan_of(network, request, Rule::min_traffic);

  std::optional<Cost> least = searched;
  if (halo && (!searched || cost_of(*halo).bytes < searched->bytes)) least = cost_of(*halo);
  const std::optional<Cost> found = plan ? std::optional(cost_of(*plan)) : std::nullopt;
  ASSERT_EQ(found, least) << to_text(found) << ", the least is " << to_text(least) << "\n"
                          << (plan ? to_text(*plan) : "");
  const bool chain =
      std::ranges::all_of(layers, [&](const tiling::SwapLayer& layer) { return layer.sources.size() == 1; });
  ++(chain ? reached.chains : reached.branches);
  if (!plan) {
    ++reached.infeasible;
    return;
  }
  ASSERT_NO_FATAL_FAILURE(expect_sound_replay(network, *plan, random)) << to_text(*plan);
  note(*plan, reached);
}

Reached expect_least_on_random_networks(std::uint32_t seed, int count) {
  tiling::Random random(seed);
  Reached reached;
  for (int i = 0; i < count; ++i) {
    SCOPED_TRACE("case " + std::to_string(i) + " of seed " + std::to_string(seed));
    const models::Network network = small_network(random);
    const Request request = random_request(random);
    expect_least(network, request, random, reached);
    if (::testing::Test::HasFatalFailure()) break;
  }
  return reached;
}

}  // namespace spillway::least_traffic
