#include "sim/tiling/row_search.hpp"

#include <algorithm>

#include "sim/core/layout.hpp"
#include "sim/tiling/window.hpp"

namespace spillway::tiling {
namespace {

using core::whole_sectors;

/// One producer's map, as far as the row reads it.
struct Source {
  core::Part part;
  std::uint32_t channels = 0, plane = 0;  ///< of the map
  std::uint32_t height = 1, width = 1;
};

/// Bytes of one row of a block that columns [columns) move.
std::uint64_t row_bytes(const core::Range& columns, std::uint64_t element) {
  if (columns.empty()) return 0;
  return whole_sectors(columns.last * element) - columns.first * element / core::sector_bytes * core::sector_bytes;
}

/// How a group's weights are read.
struct Weights {
  std::uint64_t bytes = 0;       ///< of all groups, each once
  std::uint64_t operations = 0;  ///< the same
  std::uint32_t chunk_filters = 1, pieces = 1, step = 0;
  bool possible = false;
};

class Search {
 public:
  explicit Search(const RowProblem& problem) : problem_(problem), layer_(problem.layer()) {
    for (const core::Part& part : layer_.sources) {
      if (resident(part)) continue;
      sources_.push_back(source_of(part));
    }
    weights_.resize(layer_.channels + 1);
    if (layer_.has_weights()) cut_filters();
  }

  std::optional<RowChoice> run() {
    const std::uint64_t kept = std::uint64_t{layer_.channels} * layer_.height * layer_.width * problem_.element_bytes;
    if (keeps() && kept > most_kept() * problem_.buffer_bytes) return {};
    rows_.resize(layer_.height + 1);
    for (std::uint32_t height = 1; height <= layer_.height; ++height)
      rows_[height] = tiles_along(row_axis(layer_), height);
    for (std::uint32_t width = 1; width <= layer_.width; ++width) {
      if (!writes_whole_sectors(width)) continue;
      columns_ = tiles_along(column_axis(layer_), width);
      width_ = width;
      for (std::uint32_t channels = channel_step(); channels <= layer_.channels; channels += channel_step())
        try_channels(channels);
    }
    return best_;
  }

 private:
  bool keeps() const { return problem_.passing == Passing::keeps_output; }
  std::uint32_t most_kept() const { return problem_.pools.output - 1U; }
  std::uint64_t element() const { return problem_.element_bytes; }
  std::uint32_t plane() const { return problem_.planes->outputs[problem_.row]; }

  bool resident(const core::Part& part) const {
    return problem_.passing == Passing::reads_kept && part.producer + 1U == problem_.row &&
           part.producer != core::network_input;
  }

  Source source_of(const core::Part& part) const {
    if (part.producer == core::network_input) {
      const Planes& planes = *problem_.planes;
      return {part, planes.input_channels, planes.input_plane, planes.input_height, planes.input_width};
    }
    const SwapLayer& producer = (*problem_.layers)[part.producer];
    return {part, producer.channels, problem_.planes->outputs[part.producer], producer.height, producer.width};
  }

  /// Tiles that go to the card must not share a sector.
  bool writes_whole_sectors(std::uint32_t width) const {
    return keeps() || width == layer_.width || width * plane() * element() % core::sector_bytes == 0;
  }
  std::uint32_t channel_step() const { return keeps() ? 1 : plane(); }

  // Weights.

  std::uint64_t kernel_bytes() const { return layer_.kernel_elements * element(); }
  std::uint64_t filter_bytes() const { return layer_.filter_channels * kernel_bytes(); }

  /// A filter longer than a buffer: for each number of pieces the cut with the fewest bytes.
  void cut_filters() {
    if (filter_bytes() <= problem_.buffer_bytes) return;
    const auto most = static_cast<std::uint32_t>(problem_.buffer_bytes / kernel_bytes());
    for (std::uint32_t step = most; step > 0; --step) {
      const auto pieces = static_cast<std::uint32_t>(ceil_divide(layer_.filter_channels, step));
      const std::uint64_t bytes = (pieces - 1) * whole_sectors(step * kernel_bytes()) +
                                  whole_sectors(filter_bytes() - (pieces - 1) * step * kernel_bytes());
      if (pieces_.empty() || bytes < pieces_.back().bytes) pieces_.push_back({bytes, pieces, 1, pieces, step, true});
    }
  }

  bool in_pieces() const { return !pieces_.empty(); }

  /// The least that reading the weights of all groups once moves; `most_chunks` for a group.
  Weights read_weights(std::uint32_t channels, std::uint64_t most_chunks) const {
    Weights best;
    const std::uint32_t full = layer_.channels / channels, rest = layer_.channels % channels;
    const auto consider = [&](const Weights& weights) {
      if (best.possible && std::pair(weights.bytes, weights.operations) >= std::pair(best.bytes, best.operations))
        return;
      best = weights;
    };
    if (in_pieces()) {
      for (const Weights& cut : pieces_) {
        if (std::uint64_t{channels} * cut.pieces > most_chunks) continue;
        consider(
            {layer_.channels * cut.bytes, std::uint64_t{layer_.channels} * cut.pieces, 1, cut.pieces, cut.step, true});
      }
      return best;
    }
    const std::uint64_t filter = filter_bytes();
    const auto most = static_cast<std::uint32_t>(std::min<std::uint64_t>(channels, problem_.buffer_bytes / filter));
    for (std::uint32_t filters = most; filters > 0 && ceil_divide(channels, filters) <= most_chunks; --filters) {
      const auto group_bytes = [&](std::uint32_t count) {
        return count / filters * whole_sectors(filters * filter) + whole_sectors(count % filters * filter);
      };
      consider({full * group_bytes(channels) + group_bytes(rest),
                full * ceil_divide(channels, filters) + ceil_divide(rest, filters), filters, 1, layer_.filter_channels,
                true});
    }
    return best;
  }

  struct Orders {
    Weights streamed, resident;
    bool known = false;
  };
  const Orders& weights_of(std::uint32_t channels) {
    Orders& orders = weights_[channels];
    if (orders.known) return orders;
    orders.known = true;
    orders.streamed = read_weights(channels, ~std::uint64_t{0});
    if (problem_.pins && problem_.passing != Passing::reads_kept && problem_.pools.weights > 2)
      orders.resident = read_weights(channels, problem_.pools.weights - 2U);
    return orders;
  }

  // Input.

  /// Input of all groups for one row of the map: bytes, the largest tile's, operations of a tile column each.
  struct Input {
    std::uint64_t bytes = 0, largest = 0, operations = 0;
  };

  /// Blocks of a source that the tiles of a group read.
  std::uint32_t blocks(const Source& source, std::uint32_t group, std::uint32_t channels) const {
    core::Range need{source.part.first_channel, source.part.first_channel + source.part.channels};
    if (layer_.channelwise) {
      const std::uint32_t first = group * channels, last = std::min(first + channels, layer_.channels);
      const std::uint32_t halo = layer_.channel_halo;
      need = core::common(need, {first > halo ? first - halo : 0, last + halo});
    }
    if (need.empty()) return 0;
    core::shift(need, source.part.producer_channel - source.part.first_channel);
    return (need.last - 1) / source.plane - need.first / source.plane + 1;
  }

  Input input_of(std::uint32_t channels) const {
    Input input;
    if (layer_.flattened) {
      for (const Source& source : sources_)
        input.bytes += flattened_bytes(source);
      const auto groups = ceil_divide(layer_.channels, channels);
      return {groups * input.bytes, input.bytes, groups * sources_.size()};
    }
    const std::uint32_t groups = static_cast<std::uint32_t>(ceil_divide(layer_.channels, channels));
    const std::uint32_t different = layer_.channelwise ? groups : 1;
    std::vector<std::uint32_t> counts(sources_.size());
    for (std::uint32_t group = 0; group < different; ++group) {
      for (std::size_t i = 0; i < sources_.size(); ++i) {
        counts[i] = blocks(sources_[i], group, channels);
        input.operations += counts[i] != 0 ? columns_.tiles.size() : 0;
      }
      for (const core::Range& columns : columns_.tiles) {
        std::uint64_t bytes = 0;
        for (std::size_t i = 0; i < sources_.size(); ++i)
          bytes += counts[i] * row_bytes(columns, sources_[i].plane * element());
        input.bytes += bytes;
        input.largest = std::max(input.largest, bytes);
      }
    }
    if (!layer_.channelwise) {
      input.bytes *= groups;
      input.operations *= groups;
    }
    return input;
  }

  std::uint64_t flattened_bytes(const Source& source) const {
    const core::Range range{source.part.producer_channel, source.part.producer_channel + source.part.channels};
    return core::vector_bytes_in_planes(
        {source.channels, source.height, source.width, source.plane, problem_.element_bytes}, range);
  }

  // Tiles.

  void try_channels(std::uint32_t channels) {
    const std::uint64_t groups = ceil_divide(layer_.channels, channels);
    const std::uint64_t map_columns = columns_.tiles.size();
    if (keeps() && groups * map_columns > most_kept()) return;
    if (output_bytes(channels, 1) > problem_.buffer_bytes) return;
    const Input input = input_of(channels);
    const std::uint64_t pool = std::uint64_t{problem_.pools.input} * problem_.buffer_bytes;
    if (input.largest > pool) return;
    static constexpr Orders no_weights{};
    const Orders& orders = layer_.has_weights() ? weights_of(channels) : no_weights;
    for (std::uint32_t height = 1; height <= layer_.height; ++height) {
      const TilesAlong& rows = rows_[height];
      if (output_bytes(channels, height) > problem_.buffer_bytes) break;
      // Not the end: with other tiles at the edges of the map a higher one can read fewer rows.
      if (input.largest * rows.largest > pool) continue;
      const std::uint64_t map_tiles = map_columns * rows.tiles.size(), tiles = groups * map_tiles;
      if (keeps() && tiles > most_kept()) continue;
      RowCost cost{input.bytes * rows.total + (keeps() ? 0 : written_bytes()),
                   input.operations * rows.tiles.size() + (keeps() ? 0 : tiles), keeps()};
      const std::uint64_t buffers = ceil_divide(input.largest * rows.largest, problem_.buffer_bytes);
      if (!layer_.has_weights()) {
        consider(cost, channels, height, buffers, {}, false);
        continue;
      }
      if (orders.streamed.possible) {
        RowCost streamed = cost;
        streamed.bytes += orders.streamed.bytes * map_tiles;
        streamed.operations += orders.streamed.operations * map_tiles;
        consider(streamed, channels, height, buffers, orders.streamed, false);
      }
      if (orders.resident.possible) {
        cost.bytes += orders.resident.bytes;
        cost.operations += orders.resident.operations;
        cost.pins = true;
        consider(cost, channels, height, buffers, orders.resident, true);
      }
    }
  }

  /// What a tile takes of its output buffer.
  std::uint64_t output_bytes(std::uint32_t channels, std::uint32_t height) const {
    // A float32 sum is kept in its output element; an int8 output needs an int32 beside it until its filter is done.
    const std::uint64_t accumulators = in_pieces() && element() == 1 ? 4 * std::uint64_t{height} * width_ : 0;
    if (keeps()) return std::uint64_t{channels} * height * width_ * element() + accumulators;
    return channels / plane() * height * whole_sectors(width_ * plane() * element()) + accumulators;
  }

  std::uint64_t written_bytes() const {
    std::uint64_t row = 0;
    for (std::uint32_t first = 0; first < layer_.width; first += width_)
      row += row_bytes({first, std::min(first + width_, layer_.width)}, plane() * element());
    return layer_.channels / plane() * layer_.height * row;
  }

  void consider(const RowCost& cost, std::uint32_t channels, std::uint32_t height, std::uint64_t buffers,
                const Weights& weights, bool weights_outside) {
    if (best_ && !(cost < best_->cost)) return;
    Cut cut;
    cut.tile_channels = channels;
    cut.tile_height = height;
    cut.tile_width = width_;
    cut.element_bytes = problem_.element_bytes;
    cut.input_buffers = buffers;
    cut.chunk_filters = layer_.has_weights() ? weights.chunk_filters : channels;
    cut.pieces = weights.pieces;
    if (layer_.has_weights()) {
      cut.filter_bytes = filter_bytes();
      cut.piece_bytes = weights.step * kernel_bytes();
    }
    cut.parts = layer_.sources;
    for (core::Part& part : cut.parts)
      part.resident = resident(part);
    cut.plane_channels = plane();
    const std::uint64_t chunks = ceil_divide(channels, cut.chunk_filters) * cut.pieces;
    cut.weight_pins = weights_outside ? static_cast<std::uint16_t>(chunks) : std::uint16_t{0};
    if (keeps()) {
      cut.output_pins = static_cast<std::uint16_t>(ceil_divide(layer_.channels, channels) * rows_[height].tiles.size() *
                                                   columns_.tiles.size());
    }
    best_ = {cost, std::move(cut)};
  }

  const RowProblem& problem_;
  const SwapLayer& layer_;
  std::vector<Source> sources_;
  std::vector<Weights> pieces_;
  std::vector<Orders> weights_;
  std::vector<TilesAlong> rows_;
  TilesAlong columns_;
  std::uint32_t width_ = 1;
  std::optional<RowChoice> best_;
};

}  // namespace

std::optional<RowChoice> cheapest(const RowProblem& problem) {
  return Search(problem).run();
}

}  // namespace spillway::tiling
