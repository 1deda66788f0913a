#include "min_traffic_card.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace spillway::least_traffic {

Span common(Span a, Span b) {
  return {std::max(a.first, b.first), std::min(a.last, b.last)};
}

Box common(const Box& a, const Box& b) {
  return {common(a.channels, b.channels), common(a.rows, b.rows), common(a.columns, b.columns)};
}

Span inputs_of(Span outputs, std::uint32_t stride, std::uint32_t pad, std::uint32_t kernel, std::uint32_t inputs) {
  Span read{inputs, 0};
  for (std::uint32_t output = outputs.first; output < outputs.last; ++output) {
    for (std::uint32_t i = 0; i < kernel; ++i) {
      const std::int64_t input = std::int64_t{output} * stride - pad + i;
      if (input < 0 || input >= inputs) continue;
      read.first = std::min(read.first, static_cast<std::uint32_t>(input));
      read.last = std::max(read.last, static_cast<std::uint32_t>(input) + 1);
    }
  }
  return read;
}

StoredMap::StoredMap(const MapShape& shape, std::vector<Box> pieces, std::uint32_t element_bytes, bool rows_apart)
    : shape_(shape), pieces_(std::move(pieces)), element_bytes_(element_bytes), planes_(rows_apart) {
  address_.resize(shape.all().elements());
  position_.resize(address_.size());
  const auto next_sector = [](std::uint64_t& at) {
    while (at % sector != 0)
      ++at;
  };
  std::uint64_t at = 0;
  std::uint32_t position = 0;
  for (const Box& piece : pieces_) {
    next_sector(at);
    for (std::uint32_t y = piece.rows.first; y < piece.rows.last; ++y) {
      if (rows_apart) next_sector(at);
      for (std::uint32_t x = piece.columns.first; x < piece.columns.last; ++x) {
        for (std::uint32_t c = piece.channels.first; c < piece.channels.last; ++c, at += element_bytes) {
          address_.at(index(c, y, x)) = at;
          position_.at(index(c, y, x)) = position++;
        }
      }
    }
  }
}

StoredMap StoredMap::planes(const MapShape& shape, std::uint32_t block, std::uint32_t element_bytes) {
  std::vector<Box> blocks;
  for (std::uint32_t first = 0; first < shape.channels; first += block) {
    Box box = shape.all();
    box.channels = {first, std::min(first + block, shape.channels)};
    blocks.push_back(box);
  }
  return {shape, blocks, element_bytes, true};
}

StoredMap StoredMap::tiles(const MapShape& shape, std::vector<Box> boxes, std::uint32_t element_bytes) {
  return {shape, std::move(boxes), element_bytes, false};
}

std::size_t StoredMap::index(std::uint32_t channel, std::uint32_t row, std::uint32_t column) const {
  return (std::size_t{channel} * shape_.height + row) * shape_.width + column;
}

std::uint64_t StoredMap::sector_of(std::uint32_t channel, std::uint32_t row, std::uint32_t column) const {
  return address_.at(index(channel, row, column)) / sector;
}

std::uint32_t StoredMap::position(std::uint32_t channel, std::uint32_t row, std::uint32_t column) const {
  return position_.at(index(channel, row, column));
}

std::vector<std::uint64_t> StoredMap::sectors_of(const Box& box) const {
  std::set<std::uint64_t> touched;
  for (std::uint32_t c = box.channels.first; c < box.channels.last; ++c) {
    for (std::uint32_t y = box.rows.first; y < box.rows.last; ++y) {
      for (std::uint32_t x = box.columns.first; x < box.columns.last; ++x)
        touched.insert(sector_of(c, y, x));
    }
  }
  return {touched.begin(), touched.end()};
}

std::vector<std::uint64_t> StoredMap::sectors_to_write(const Box& box) const {
  if (!planes_) return sectors_of(box);
  Box blocks = box;
  for (const Box& piece : pieces_) {
    if (common(piece.channels, box.channels).empty()) continue;
    blocks.channels.first = std::min(blocks.channels.first, piece.channels.first);
    blocks.channels.last = std::max(blocks.channels.last, piece.channels.last);
  }
  return sectors_of(blocks);
}

/// In planes reading and writing are the same.
std::uint64_t StoredMap::bytes_to_write(const Box& box) const {
  return planes_ ? bytes_to_read(box) : sectors_of(box).size() * sector;
}

std::uint64_t StoredMap::bytes_to_read(const Box& box) const {
  if (box.empty()) return 0;
  const auto known = read_.find(box);
  if (known != read_.end()) return known->second;
  std::uint64_t bytes = 0;
  if (planes_) {
    bytes = sectors_to_write(box).size() * sector;
  } else {
    for (const Box& tile : pieces_) {
      const Box part = common(tile, box);
      if (!part.empty()) bytes += read_tile(tile, part);
    }
  }
  read_.emplace(box, bytes);
  return bytes;
}

/// One transfer from the first element of a box to the last one of another.
std::uint64_t StoredMap::extent(const Box& from, const Box& to) const {
  const std::uint64_t first = sector_of(from.channels.first, from.rows.first, from.columns.first);
  const std::uint64_t last = sector_of(to.channels.last - 1, to.rows.last - 1, to.columns.last - 1);
  return (last - first + 1) * sector;
}

std::uint64_t StoredMap::read_tile(const Box& tile, const Box& box) const {
  Box rows = tile;
  rows.rows = box.rows;
  const std::uint64_t whole = extent(rows, rows);
  std::uint64_t by_row = 0, by_column = 0;
  for (std::uint32_t y = box.rows.first; y < box.rows.last; ++y) {
    const Box row{tile.channels, {y, y + 1}, box.columns};
    by_row += extent(row, row);
    for (std::uint32_t x = box.columns.first; x < box.columns.last; ++x) {
      const Box column{box.channels, {y, y + 1}, {x, x + 1}};
      by_column += extent(column, column);
    }
  }
  return std::min({whole, by_row, by_column});
}

std::uint64_t StoredMap::bytes_to_read(Span range) const {
  std::uint64_t bytes = 0;
  for (const Box& piece : pieces_) {
    std::set<std::uint64_t> touched;
    for (std::uint32_t y = piece.rows.first; y < piece.rows.last; ++y) {
      bool row_touched = false;
      for (std::uint32_t x = piece.columns.first; x < piece.columns.last; ++x) {
        for (std::uint32_t c = piece.channels.first; c < piece.channels.last; ++c) {
          const std::uint32_t at = position(c, y, x);
          if (at < range.first || at >= range.last) continue;
          row_touched = true;
          touched.insert(sector_of(c, y, x));
        }
      }
      if (planes_ && row_touched) {
        const Box row{piece.channels, {y, y + 1}, piece.columns};
        for (const std::uint64_t one : sectors_of(row))
          touched.insert(one);
      }
    }
    bytes += touched.size() * sector;
  }
  return bytes;
}

}  // namespace spillway::least_traffic
