#include "small_plans.hpp"

namespace spillway::oracle {
namespace {

constexpr core::LayerIndex image = core::network_input;

/// A layer over a column of `height` rows in tiles of one row: kernel 1, no weights.
core::Layer column(std::uint32_t channels, std::uint32_t height) {
  core::Layer layer;
  layer.channels = layer.tile_channels = channels;
  layer.height = layer.input_height = height;
  layer.width = layer.input_width = layer.tile_width = 1;
  layer.tile_height = 1;
  layer.chunk_filters = channels;
  layer.filter_work = 1;
  return layer;
}

/// A 3 x 1 convolution with pad 1, one chunk for each filter.
core::Layer convolution(std::uint32_t filters, std::uint32_t height) {
  core::Layer layer = column(filters, height);
  layer.kernel_height = 3;
  layer.pad_top = 1;
  layer.chunk_filters = 1;
  layer.filter_bytes = 9;
  return layer;
}

core::Layer dense(std::uint32_t filters) {
  core::Layer layer = convolution(filters, 1);
  layer.kernel_height = 1;
  layer.pad_top = 0;
  layer.flattened = true;
  return layer;
}

core::Layer sum(std::uint32_t channels, std::uint32_t height) {
  core::Layer layer = column(channels, height);
  layer.channelwise = true;
  return layer;
}

SmallPlan finished(std::string name, PlanTables tables, core::Pools pools, std::uint32_t frames = 1,
                   std::uint32_t window = 1) {
  tables.link();
  tables.settings.pools = pools;
  tables.settings.frames = frames;
  tables.settings.window = window;
  tables.settings.buffer_bytes = 1024;
  return {std::move(name), std::move(tables)};
}

PlanTables chain(std::uint32_t height, std::uint32_t filters) {
  PlanTables tables;
  tables.add(convolution(filters, height), {{0, 1, 0, image}});
  tables.add(convolution(filters, height), {{0, filters, 0, 0}});
  return tables;
}

/// The sum needs both operands in two buffers; its skip, layer 0, is ready long before the branch.
PlanTables residual(std::uint32_t height) {
  PlanTables tables;
  tables.add(convolution(1, height), {{0, 1, 0, image}});
  tables.add(convolution(1, height), {{0, 1, 0, 0}});
  tables.add(convolution(1, height), {{0, 1, 0, 1}});
  core::Layer last = sum(1, height);
  last.input_buffers = 2;
  tables.add(last, {{0, 1, 0, 0}, {0, 1, 0, 2}});
  return tables;
}

PlanTables several_parts() {
  PlanTables tables;
  tables.add(convolution(2, 2), {{0, 1, 0, image}});
  core::Layer classifier = dense(2);
  classifier.tile_channels = classifier.chunk_filters = 1;
  classifier.input_buffers = 2;
  tables.add(classifier, {{0, 2, 0, 0}, {2, 1, 2, 0}, {3, 1, 3, 0}});
  return tables;
}

/// Channelwise tiles of one channel over two producers: each tile has one of the two parts.
PlanTables concatenation() {
  PlanTables tables;
  tables.add(convolution(1, 1), {{0, 1, 0, image}});
  tables.add(column(1, 1), {{0, 1, 0, image}});
  core::Layer pool = sum(2, 1);
  pool.tile_channels = pool.chunk_filters = 1;
  tables.add(pool, {{0, 1, 0, 0}, {1, 1, 0, 1}});
  core::Layer mix = column(1, 1);
  mix.input_buffers = 2;
  tables.add(mix, {{0, 1, 0, 0}, {1, 1, 0, 1}});
  return tables;
}

/// The layer with the weights of a group held in SRAM while its tiles use them.
core::Layer weights_outside(core::Layer layer) {
  layer.weight_pins = static_cast<std::uint16_t>((layer.tile_channels + layer.chunk_filters - 1) / layer.chunk_filters);
  layer.waits_for_all = true;
  return layer;
}

/// The layer of one group with its output held in SRAM for the next row.
core::Layer kept(core::Layer layer) {
  layer.output_pins = static_cast<std::uint16_t>((layer.height + layer.tile_height - 1) / layer.tile_height);
  layer.waits_for_all = true;
  return layer;
}

core::Layer without_input(core::Layer layer) {
  layer.input_buffers = 0;
  return layer;
}

/// All of a map of `channels` that row `producer` keeps.
core::Part resident(std::uint32_t channels, core::LayerIndex producer) {
  return {0, channels, 0, producer, true};
}

/// Tiles of two chunks, whose weights stay, before tiles that read their own.
PlanTables chain_with_weights_outside(std::uint32_t height) {
  PlanTables tables;
  tables.add(weights_outside(convolution(2, height)), {{0, 1, 0, image}});
  tables.add(convolution(1, height), {{0, 2, 0, 0}});
  return tables;
}

/// Two groups, one after the other; the second layer waits for the first one's pins.
PlanTables chain_in_groups(std::uint32_t height) {
  core::Layer groups = convolution(2, height);
  groups.tile_channels = 1;
  PlanTables tables;
  tables.add(weights_outside(groups), {{0, 1, 0, image}});
  tables.add(weights_outside(convolution(1, height)), {{0, 2, 0, 0}});
  return tables;
}

/// The reader of a kept output reads nothing else; its tiles begin by themselves.
PlanTables chain_with_kept_output(std::uint32_t height, std::uint32_t filters) {
  PlanTables tables;
  tables.add(weights_outside(kept(convolution(1, height))), {{0, 1, 0, image}});
  tables.add(without_input(convolution(filters, height)), {resident(1, 0)});
  return tables;
}

/// A tile of two chunks before each of the two kinds of row: what a later frame has begun must not keep the reader of
/// an earlier one from its weights.
PlanTables kept_output_behind_a_layer() {
  PlanTables tables;
  tables.add(convolution(2, 1), {{0, 1, 0, image}});
  tables.add(kept(column(2, 1)), {{0, 2, 0, 0}});
  tables.add(without_input(convolution(2, 1)), {resident(2, 1)});
  return tables;
}

/// The sum reads its skip from the card beside a kept output.
PlanTables residual_with_pins(std::uint32_t height) {
  PlanTables tables;
  tables.add(convolution(1, height), {{0, 1, 0, image}});
  tables.add(weights_outside(convolution(1, height)), {{0, 1, 0, 0}});
  tables.add(kept(weights_outside(convolution(1, height))), {{0, 1, 0, 1}});
  tables.add(sum(1, height), {{0, 1, 0, 0}, resident(1, 2)});
  return tables;
}

/// Both branches have pins, and the kept one is ready first. `waits`: it waits for the other, by a part without
/// channels.
PlanTables branches_with_pins(std::uint32_t height, bool waits) {
  PlanTables tables;
  tables.add(convolution(1, height), {{0, 1, 0, image}});
  tables.add(weights_outside(convolution(1, height)), {{0, 1, 0, 0}});
  std::vector<core::Part> parts{{0, 1, 0, image}};
  if (waits) parts.push_back({.producer = 1});
  tables.add(kept(column(1, height)), parts);
  tables.add(sum(1, height), {{0, 1, 0, 1}, resident(1, 2)});
  return tables;
}

}  // namespace

std::vector<SmallPlan> small_plans() {
  const core::Pools four = core::Pools::quarters(4);
  const core::Pools five{2, 1, 2, false};
  const core::Pools six{2, 2, 2, false};
  return {
      finished("chain, 4 buffers", chain(3, 2), four),
      finished("chain, 5 buffers", chain(2, 2), five),
      finished("chain, 6 buffers", chain(2, 2), six),
      finished("residual block, 5 buffers", residual(2), five),
      finished("residual block, 6 buffers", residual(2), six),
      finished("several parts, 5 buffers", several_parts(), five),
      finished("several parts, 6 buffers", several_parts(), six),
      finished("two frames in flight, 4 buffers", chain(2, 1), four, 2, 2),
      finished("two frames in flight, 6 buffers", chain(1, 1), six, 2, 2),
      finished("three frames, window 2, 5 buffers", chain(1, 1), five, 3, 2),
      finished("concatenation, 5 buffers", concatenation(), five),
      finished("concatenation, 6 buffers", concatenation(), six),
  };
}

std::vector<SmallPlan> small_plans_with_pins() {
  return {
      finished("weights outside, 6 buffers", chain_with_weights_outside(2), {1, 4, 1, false}),
      finished("weights outside, 8 buffers", chain_with_weights_outside(2), {2, 4, 2, false}),
      finished("weights outside in groups, 7 buffers", chain_in_groups(2), {2, 3, 2, false}),
      finished("kept output, 7 buffers", chain_with_kept_output(2, 2), {1, 3, 3, false}),
      finished("kept output, 9 buffers", chain_with_kept_output(2, 1), {2, 3, 4, false}),
      finished("kept output of two frames, 6 buffers", kept_output_behind_a_layer(), {2, 2, 2, false}, 2, 2),
      finished("weights outside of two frames, 7 buffers", chain_in_groups(1), {2, 3, 2, false}, 2, 2),
      finished("kept output and weights outside of two frames, 6 buffers", chain_with_kept_output(1, 1),
               {1, 3, 2, false}, 2, 2),
      finished("residual block with pins, 8 buffers", residual_with_pins(2), {2, 3, 3, false}),
      finished("residual block with pins of two frames, 7 buffers", residual_with_pins(1), {2, 3, 2, false}, 2, 2),
      finished("branches with pins, 7 buffers", branches_with_pins(2, true), {1, 3, 3, false}),
      finished("branches with pins of two frames, 7 buffers", branches_with_pins(1, true), {2, 3, 2, false}, 2, 2),
  };
}

std::vector<SmallPlan> larger_plans_with_pins() {
  return {
      finished("weights outside of three frames, 8 buffers", chain_with_weights_outside(1), {2, 4, 2, false}, 3, 2),
      finished("weights outside in groups of two frames, 6 buffers", chain_in_groups(2), {1, 3, 2, false}, 2, 2),
      finished("kept output of two frames, 8 buffers", chain_with_kept_output(2, 1), {2, 3, 3, false}, 2, 2),
      finished("kept output of two frames, 7 buffers", kept_output_behind_a_layer(), {2, 2, 3, false}, 2, 2),
  };
}

std::vector<SmallPlan> largest_plans_with_pins() {
  return {
      finished("residual block with pins of two frames, 8 buffers", residual_with_pins(2), {2, 3, 3, false}, 2, 2),
      finished("branches with pins of two frames, 8 buffers", branches_with_pins(2, true), {2, 3, 3, false}, 2, 2),
  };
}

SmallPlan plan_that_needs_tickets() {
  return finished("kept output of two frames, 6 buffers", kept_output_behind_a_layer(), {2, 2, 2, false}, 2, 2);
}

SmallPlan kept_output_that_waits_for_nobody() {
  return finished("branches with pins, neither waits", branches_with_pins(1, false), {2, 3, 2, false});
}

std::vector<SmallPlan> larger_plans() {
  const core::Pools five{2, 1, 2, false};
  const core::Pools six{2, 2, 2, false};
  const core::Pools eight = core::Pools::quarters(8);
  return {
      finished("chain, 8 buffers", chain(2, 1), eight),
      finished("residual block, 7 buffers", residual(2), {2, 3, 2, false}),
      finished("several parts, 8 buffers", several_parts(), eight),
      finished("two frames in flight of two chunks, 6 buffers", chain(1, 2), six, 2, 2),
      finished("two frames of a residual block, 5 buffers", residual(1), five, 2, 2),
  };
}

}  // namespace spillway::oracle
