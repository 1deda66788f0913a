#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

/// Feature maps on a card of 512-byte sectors, laid out element by element: what moves is counted in sectors that are
/// touched, with none of the product's arithmetic.
namespace spillway::least_traffic {

inline constexpr std::uint64_t sector = 512;

/// Half-open range of elements along one axis.
struct Span {
  std::uint32_t first = 0, last = 0;

  std::uint32_t size() const { return last > first ? last - first : 0; }
  bool empty() const { return last <= first; }
  friend auto operator<=>(const Span&, const Span&) = default;
};

Span common(Span a, Span b);

struct Box {
  Span channels, rows, columns;

  bool empty() const { return channels.empty() || rows.empty() || columns.empty(); }
  std::uint64_t elements() const { return std::uint64_t{channels.size()} * rows.size() * columns.size(); }
  friend auto operator<=>(const Box&, const Box&) = default;
};

Box common(const Box& a, const Box& b);

struct MapShape {
  std::uint32_t channels = 0, height = 0, width = 0;

  Box all() const { return {{0, channels}, {0, height}, {0, width}}; }
};

/// Inputs along one axis that outputs [first, last) read: the window is moved from output to output; its elements
/// outside the map do not count. Empty where nothing else is left.
Span inputs_of(Span outputs, std::uint32_t stride, std::uint32_t pad, std::uint32_t kernel, std::uint32_t inputs);

/// One map on the card.
class StoredMap {
 public:
  /// Blocks of `block` channels; a block is its rows, each from the boundary of a sector; a row is its columns, a
  /// column the block's channels.
  static StoredMap planes(const MapShape& shape, std::uint32_t block, std::uint32_t element_bytes);

  /// Tiles one after the other, each from the boundary of a sector, in it row, column, channel.
  static StoredMap tiles(const MapShape& shape, std::vector<Box> boxes, std::uint32_t element_bytes);

  /// Bytes of the sectors that reading a box moves. Planes: the box's columns of all channels of the blocks that it
  /// touches. Tiles: for each tile the least of whole rows, the box's columns of each row, the box's channels of each
  /// column.
  std::uint64_t bytes_to_read(const Box& box) const;

  /// Elements [range) in the order of the storage: planes: whole rows; tiles: one extent of each tile.
  std::uint64_t bytes_to_read(Span range) const;

  /// Sectors that writing a box moves, which is a stored tile under tiles.
  std::vector<std::uint64_t> sectors_to_write(const Box& box) const;
  std::uint64_t bytes_to_write(const Box& box) const;

  /// Position of an element in the order of the storage.
  std::uint32_t position(std::uint32_t channel, std::uint32_t row, std::uint32_t column) const;

 private:
  StoredMap(const MapShape& shape, std::vector<Box> pieces, std::uint32_t element_bytes, bool rows_apart);

  std::size_t index(std::uint32_t channel, std::uint32_t row, std::uint32_t column) const;
  std::uint64_t sector_of(std::uint32_t channel, std::uint32_t row, std::uint32_t column) const;
  std::uint64_t extent(const Box& from, const Box& to) const;
  std::uint64_t read_tile(const Box& tile, const Box& box) const;
  std::vector<std::uint64_t> sectors_of(const Box& box) const;

  MapShape shape_;
  std::vector<Box> pieces_;
  std::uint32_t element_bytes_;
  bool planes_;
  std::vector<std::uint64_t> address_;         ///< of each element, by channel, row, column
  std::vector<std::uint32_t> position_;        ///< the same
  mutable std::map<Box, std::uint64_t> read_;  ///< what has been asked before
};

}  // namespace spillway::least_traffic
