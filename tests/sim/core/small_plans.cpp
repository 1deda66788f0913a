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
