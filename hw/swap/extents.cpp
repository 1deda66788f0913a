#include "hw/swap/extents.hpp"

#include "sim/core/layout.hpp"

namespace spillway::execution {
namespace {

using core::Layer;
using core::Plan;
using core::Range;
using core::Region;
using core::sector_bytes;
using core::Task;
using core::TaskKind;

/// Bytes of the packed tile before a part.
std::uint32_t packed_before(const Plan& plan, const Layer& layer, const Task& task) {
  std::uint64_t elements = 0;
  for (std::uint32_t part = 0; part < task.index; ++part) {
    const core::Part& other = plan.parts[layer.first_part + part];
    if (core::part_exists(layer, other, task.tile)) elements += core::input_region(layer, other, task.tile).elements();
  }
  return static_cast<std::uint32_t>(elements * layer.element_bytes);
}

}  // namespace

ExtentWalk::ExtentWalk(const Plan& plan, const CardMap& map, const Task& task) {
  const Layer& layer = plan.layers[task.layer];
  switch (task.kind) {
    case TaskKind::read_input:
      begin_input(plan, map, task);
      break;
    case TaskKind::read_weights:
      begin_weights(map, layer, task);
      break;
    case TaskKind::compute:
      break;
    case TaskKind::write_output:
      begin_output(plan, map, task);
      break;
  }
}

void ExtentWalk::begin_input(const Plan& plan, const CardMap& map, const Task& task) {
  const Layer& layer = plan.layers[task.layer];
  const core::Part& part = plan.parts[layer.first_part + task.index];
  if (!core::part_exists(layer, part, task.tile)) return;
  const bool from_input = part.producer == core::network_input;
  stored_ = from_input ? input_as_layer(plan, layer.element_bytes) : plan.layers[part.producer];
  if (plan.layout == core::CardLayout::contiguous) {
    stored_.tile_channels = stored_.channels;
    stored_.tile_height = stored_.height;
    stored_.tile_width = stored_.width;
    stored_.groups = stored_.rows = stored_.columns = 1;
  }
  begin_ = std::uint64_t{sector_bytes} *
           (from_input ? map.input_of(task.frame) : map.map_of(plan, part.producer, task.frame));
  need_ = core::input_region(layer, part, task.tile);
  packed_begin_ = packed_before(plan, layer, task);
  packed_end_ = packed_begin_ + static_cast<std::uint32_t>(need_.elements() * layer.element_bytes);
  core::shift(need_.channels, part.producer_channel - part.first_channel);
  if (plan.layout == core::CardLayout::planes) {
    over_ = layer.flattened ? Over::plane_vector : Over::planes;
    by_rows_ = true;
    at_[0] = layer.flattened ? 0 : need_.channels.first / stored_.plane_channels;
    return;
  }
  over_ = layer.flattened ? Over::tile_vector : Over::tiles;
  if (layer.flattened) return;
  at_[0] = need_.channels.first / stored_.tile_channels;
  at_[1] = need_.rows.first / stored_.tile_height;
  at_[2] = need_.columns.first / stored_.tile_width;
}

void ExtentWalk::begin_weights(const CardMap& map, const Layer& layer, const Task& task) {
  if (!core::reads_weights(layer, task.tile)) return;
  const std::uint32_t bytes =
      core::filters_of(layer, task.tile, task.index) * piece_bytes_of(layer, task.index % layer.pieces);
  const std::uint64_t sector = map.layers[task.layer].weights + chunk_offset(layer, task.tile, task.index);
  set_run(sector * sector_bytes, bytes, 0, bytes, 0);
  packed_end_ = bytes;
}

void ExtentWalk::begin_output(const Plan& plan, const CardMap& map, const Task& task) {
  stored_ = plan.layers[task.layer];
  if (stored_.keeps_output()) return;
  begin_ = std::uint64_t{sector_bytes} * map.map_of(plan, task.layer, task.frame);
  need_ = core::output_region(stored_, task.tile);
  packed_end_ = static_cast<std::uint32_t>(need_.elements() * stored_.element_bytes);
  if (plan.layout == core::CardLayout::planes) {
    over_ = Over::planes;
    by_rows_ = true;
    at_[0] = need_.channels.first / stored_.plane_channels;
    return;
  }
  const std::uint64_t first =
      plan.layout == core::CardLayout::tile_major
          ? std::uint64_t{tile_offset(stored_, task.tile)} * sector_bytes
          : std::uint64_t{need_.rows.first} * stored_.width * stored_.channels * stored_.element_bytes;
  set_run(begin_ + first, packed_end_, 0, packed_end_, 0);
}

bool ExtentWalk::next(Extent& extent) {
  while (grid_row_ == grid_.rows) {
    if (!next_grid()) return false;
    grid_row_ = grid_column_ = 0;
    if (grid_.columns == 0) grid_row_ = grid_.rows;
  }
  const std::uint64_t begin =
      grid_.begin + std::uint64_t{grid_row_} * grid_.row_step + std::uint64_t{grid_column_} * grid_.column_step;
  const std::uint64_t first = begin / sector_bytes;
  extent = grid_.wanted;
  extent.sector = static_cast<std::uint32_t>(first);
  extent.sectors = static_cast<std::uint32_t>((begin + grid_.length + sector_bytes - 1) / sector_bytes - first);
  extent.skip += static_cast<std::uint32_t>(begin - first * sector_bytes);
  extent.packed += grid_row_ * grid_.packed_row_step + grid_column_ * grid_.packed_column_step;
  if (++grid_column_ == grid_.columns) {
    grid_column_ = 0;
    ++grid_row_;
  }
  return true;
}

bool ExtentWalk::next_grid() {
  switch (over_) {
    case Over::nothing:
      return false;
    case Over::tiles:
      return next_tile();
    case Over::planes:
      return next_plane();
    case Over::tile_vector:
      return next_of_tile_vector();
    case Over::plane_vector:
      return next_of_plane_vector();
  }
  return false;
}

/// One extent with one wanted run.
void ExtentWalk::set_run(std::uint64_t begin, std::uint64_t length, std::uint32_t skip, std::uint32_t run,
                         std::uint32_t packed) {
  grid_ = {};
  grid_.rows = grid_.columns = 1;
  grid_.begin = begin;
  grid_.length = length;
  grid_.wanted.skip = skip;
  grid_.wanted.rows = grid_.wanted.columns = 1;
  grid_.wanted.run = run;
  grid_.wanted.packed = packed;
}

/// The extents that read a box of stored rows: one for all, or one for each row, or one for each element.
void ExtentWalk::set_grid(const Stored& stored, const Region& box, bool by_rows, bool by_elements) {
  const std::uint32_t bytes = stored_.element_bytes;
  const std::uint32_t element = stored.box.channels.size() * bytes;
  const std::uint32_t run = box.channels.size() * bytes;
  const std::uint32_t packed_element = need_.channels.size() * bytes;
  const std::uint32_t packed_row = need_.columns.size() * packed_element;
  const std::uint64_t first_row = stored.begin + std::uint64_t{box.rows.first - stored.box.rows.first} * stored.row;
  const std::uint32_t column = (box.columns.first - stored.box.columns.first) * element;
  const std::uint32_t channel = (box.channels.first - stored.box.channels.first) * bytes;

  grid_ = {};
  Extent& wanted = grid_.wanted;
  wanted.rows = box.rows.size();
  wanted.columns = box.columns.size();
  wanted.run = run;
  wanted.row_step = stored.row;
  wanted.column_step = element;
  wanted.packed = packed_begin_ + (box.rows.first - need_.rows.first) * packed_row +
                  (box.columns.first - need_.columns.first) * packed_element +
                  (box.channels.first - need_.channels.first) * bytes;
  wanted.packed_row_step = packed_row;
  wanted.packed_column_step = packed_element;

  grid_.rows = grid_.columns = 1;
  grid_.row_step = stored.row;
  grid_.column_step = element;
  grid_.packed_row_step = packed_row;
  grid_.packed_column_step = packed_element;
  if (by_elements) {
    grid_.rows = wanted.rows;
    grid_.columns = wanted.columns;
    grid_.begin = first_row + column + channel;
    grid_.length = run;
    wanted.rows = wanted.columns = 1;
  } else if (by_rows) {
    grid_.begin = first_row + column;
    grid_.length = std::uint64_t{wanted.columns} * element;
    wanted.skip = channel;
    grid_.rows = wanted.rows;
    wanted.rows = 1;
    // Rows that fill their sectors to the last one lie beside each other: one extent for all moves the same bytes.
    const std::uint64_t sectors =
        (grid_.begin + grid_.length + sector_bytes - 1) / sector_bytes - grid_.begin / sector_bytes;
    if (grid_.rows > 1 && sectors * sector_bytes == stored.row && stored.row % sector_bytes == 0) {
      wanted.rows = grid_.rows;
      grid_.length += std::uint64_t{grid_.rows - 1} * stored.row;
      grid_.rows = 1;
    }
  } else {
    grid_.begin = first_row;
    grid_.length = std::uint64_t{wanted.rows} * stored.row;
    wanted.skip = column + channel;
  }
  if (wanted.run == wanted.column_step && wanted.run == wanted.packed_column_step) {
    wanted.run *= wanted.columns;
    wanted.columns = 1;
  }
  if (wanted.columns == 1 && wanted.run == wanted.row_step && wanted.run == wanted.packed_row_step) {
    wanted.run *= wanted.rows;
    wanted.rows = 1;
  }
}

/// The next stored tile that holds any of what is needed.
bool ExtentWalk::next_tile() {
  for (;;) {
    if (at_[0] * stored_.tile_channels >= need_.channels.last) return false;
    if (at_[1] * stored_.tile_height >= need_.rows.last) {
      at_[1] = need_.rows.first / stored_.tile_height;
      ++at_[0];
    } else if (at_[2] * stored_.tile_width >= need_.columns.last) {
      at_[2] = need_.columns.first / stored_.tile_width;
      ++at_[1];
    } else {
      break;
    }
    if (need_.rows.empty() || need_.columns.empty()) return false;
  }
  const std::uint32_t tile = (at_[0] * stored_.rows + at_[1]) * stored_.columns + at_[2];
  ++at_[2];
  const Region box = core::output_region(stored_, tile);
  const Region part{core::common(need_.channels, box.channels), core::common(need_.rows, box.rows),
                    core::common(need_.columns, box.columns)};
  const Stored stored{begin_ + std::uint64_t{tile_offset(stored_, tile)} * sector_bytes, box,
                      box.columns.size() * box.channels.size() * stored_.element_bytes};
  const core::ReadBy by = core::cheapest_read(box, part, stored_.element_bytes).by;
  set_grid(stored, part, by == core::ReadBy::box_rows, by == core::ReadBy::elements);
  return true;
}

/// The next block of channels that holds any of what is needed.
bool ExtentWalk::next_plane() {
  const std::uint32_t first = at_[0] * stored_.plane_channels;
  if (first >= need_.channels.last || need_.columns.empty()) return false;
  const Range channels = core::common({first, first + stored_.plane_channels}, {0, stored_.channels});
  const std::uint64_t before = std::uint64_t{at_[0]} * stored_.height * plane_row_sectors(stored_, 0);
  const Stored stored{begin_ + before * sector_bytes,
                      {channels, {0, stored_.height}, {0, stored_.width}},
                      plane_row_sectors(stored_, at_[0]) * sector_bytes};
  ++at_[0];
  set_grid(stored, {core::common(need_.channels, channels), need_.rows, need_.columns}, by_rows_, false);
  return true;
}

/// The next tile of which elements are needed, as one extent.
bool ExtentWalk::next_of_tile_vector() {
  const std::uint32_t bytes = stored_.element_bytes;
  for (; element_ < need_.channels.last; ++at_[0]) {
    const auto elements = static_cast<std::uint32_t>(core::output_region(stored_, at_[0]).elements());
    const auto first = static_cast<std::uint32_t>(element_);
    const Range part = core::common(need_.channels, {first, first + elements});
    element_ += elements;
    if (part.empty()) continue;
    const std::uint64_t begin =
        begin_ + std::uint64_t{tile_offset(stored_, at_[0])} * sector_bytes + std::uint64_t{part.first - first} * bytes;
    set_run(begin, std::uint64_t{part.size()} * bytes, 0, part.size() * bytes,
            packed_begin_ + (part.first - need_.channels.first) * bytes);
    ++at_[0];
    return true;
  }
  return false;
}

/// The next row of a block of which elements are needed, whole.
bool ExtentWalk::next_of_plane_vector() {
  const std::uint32_t bytes = stored_.element_bytes;
  while (element_ < need_.channels.last) {
    const std::uint32_t block = at_[0];
    const std::uint32_t sectors = plane_row_sectors(stored_, block);
    const std::uint32_t channels =
        core::common({block * stored_.plane_channels, (block + 1) * stored_.plane_channels}, {0, stored_.channels})
            .size();
    const auto first = static_cast<std::uint32_t>(element_);
    const std::uint32_t elements = channels * stored_.width;
    const Range part = core::common(need_.channels, {first, first + elements});
    const std::uint64_t begin = begin_ + sector_ * sector_bytes;
    element_ += elements;
    sector_ += sectors;
    if (++at_[1] == stored_.height) {
      at_[1] = 0;
      ++at_[0];
    }
    if (part.empty()) continue;
    set_run(begin, std::uint64_t{elements} * bytes, (part.first - first) * bytes, part.size() * bytes,
            packed_begin_ + (part.first - need_.channels.first) * bytes);
    return true;
  }
  return false;
}

}  // namespace spillway::execution
