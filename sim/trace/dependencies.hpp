#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "sim/core/plan.hpp"
#include "sim/trace/record.hpp"

namespace spillway::trace {

/// Where a finished task stands in the trace.
struct Slice {
  std::uint64_t start_ns = 0, end_ns = 0;
  std::uint32_t track = 0;
};

/// Why a task could start only after another.
enum class Dependency : std::uint8_t {
  input,    ///< last read_input of a tile -> its first compute
  weights,  ///< read_weights -> compute of that chunk; with weights outside of every tile of the group
  result,   ///< last compute of a tile -> its write_output
  release,  ///< last write_output among the tiles that cover a tile's input -> its first read_input; where outputs are
            ///< kept in SRAM, their last compute -> the reader's first task
};

/// Finds the predecessors of each executed task while a run streams by. It holds what is in flight, and finished tiles
/// of a layer and frame only until every layer that reads them has written its last tile of that frame.
class Dependencies {
 public:
  struct Arrow {
    Dependency kind = Dependency::input;
    Slice from;
  };

  /// The tables of `plan` must outlive this object.
  explicit Dependencies(const core::Plan& plan);

  /// Takes the next finished task, whose place in the trace is `slice`, and returns the arrows that lead to it. They
  /// are valid until the next call. The predecessor of a compute on its own track, the compute before it, has none.
  std::span<const Arrow> finished(const core::Task& task, const Slice& slice);

  /// Slices held now.
  std::size_t held() const;

 private:
  struct Tile {
    Slice last_read, last_compute;
    bool read = false, computed = false;
    bool released = false;  ///< a task of the tile has been seen: the first one has the arrow from the producers
  };
  struct Chunk {
    std::uint64_t tile;
    std::uint32_t index;

    friend bool operator==(const Chunk&, const Chunk&) = default;
  };
  struct Hash {
    std::size_t operator()(std::uint64_t key) const;
    std::size_t operator()(const Chunk& chunk) const;
  };
  /// The written tiles of one layer in one frame.
  struct Written {
    std::vector<Slice> tiles;
    std::vector<bool> present;
    std::uint32_t unwritten = 0;   ///< tiles of this layer
    std::uint32_t unfinished = 0;  ///< layers that read them
  };
  static constexpr std::size_t most_arrows = 3;

  std::uint64_t tile_key(const core::Task& task) const;
  std::uint64_t group_key(const core::Task& task) const;
  Written& written(std::uint32_t frame, core::LayerIndex layer);
  void forget_resident_weights(const core::Task& task);
  void forget_if_unneeded(std::uint32_t frame, core::LayerIndex layer);
  void add(Dependency kind, const Slice& from) { arrows_[arrow_count_++] = {kind, from}; }

  void read_input(const core::Task& task, const Slice& slice);
  void read_weights(const core::Task& task, const Slice& slice);
  void compute(const core::Task& task, const Slice& slice);
  void write_output(const core::Task& task, const Slice& slice);
  void done(const core::Task& task, const Slice& slice);
  void add_release(const core::Task& task);

  core::Plan plan_;
  std::vector<std::uint64_t> first_tile_;                 ///< of each layer, counted over all layers; then their sum
  std::vector<std::vector<core::LayerIndex>> producers_;  ///< of each layer, each once
  std::vector<std::uint32_t> readers_;                    ///< of each layer
  std::unordered_map<std::uint64_t, Tile, Hash> tiles_;   ///< read, not yet written
  std::unordered_map<Chunk, Slice, Hash> weights_;        ///< read, not yet used; with weights outside: of the layer
  std::unordered_map<std::uint64_t, Written, Hash> written_;
  std::array<Arrow, most_arrows> arrows_;
  std::size_t arrow_count_ = 0;
};

}  // namespace spillway::trace
