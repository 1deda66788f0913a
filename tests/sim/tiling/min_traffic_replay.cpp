#include "min_traffic_replay.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "min_traffic_geometry.hpp"

#include "sim/core/geometry.hpp"
#include "sim/core/scheduler.hpp"

namespace spillway::least_traffic {
namespace {

using core::BufferIndex;
using core::Layer;
using core::LayerIndex;
using core::network_input;
using core::Part;
using core::Plan;
using core::Task;
using core::TaskKind;

struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void require(bool holds, const std::string& otherwise) {
  if (!holds) throw Fault(otherwise);
}

std::string to_text(const Task& task) {
  static const char* const kinds[] = {"read_input", "read_weights", "compute", "write_output"};
  return std::string(kinds[static_cast<int>(task.kind)]) + " frame " + std::to_string(task.frame) + " layer " +
         std::to_string(task.layer) + " tile " + std::to_string(task.tile) + " index " + std::to_string(task.index);
}

using TileKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  ///< frame, layer, tile

/// Frame, layer and chunk of what a weight buffer holds.
using LoadedChunk = std::tuple<std::uint32_t, std::uint32_t, Chunk>;

void require_free(const std::optional<TileKey>& holder, const std::string& kind) {
  if (!holder) return;
  const auto [frame, layer, tile] = *holder;
  throw Fault("an " + kind + " buffer is taken from frame " + std::to_string(frame) + " layer " +
              std::to_string(layer) + " tile " + std::to_string(tile));
}

/// What has happened to a tile.
struct TileState {
  std::vector<BufferIndex> inputs;
  std::set<std::uint32_t> parts_selected, parts_read, chunks_read, chunks_computed;
  BufferIndex output = core::no_buffer;
  bool computed = false, written = false;
};

class Book {
 public:
  Book(const Plan& plan, const core::Scheduler& scheduler, const MapShape& input)
      : plan_(plan),
        scheduler_(scheduler),
        input_buffers_(plan.pools.input),
        output_buffers_(plan.pools.output),
        weight_buffers_(plan.pools.weights) {
    for (const Layer& layer : plan.layers) {
      geometry_.push_back(geometry_of(layer));
      shapes_.push_back({layer.channels, layer.height, layer.width});
      maps_.push_back(plan.layout == core::CardLayout::planes
                          ? StoredMap::planes(shapes_.back(), layer.plane_channels, layer.element_bytes)
                          : StoredMap::tiles(shapes_.back(), geometry_.back().tiles, layer.element_bytes));
    }
    shapes_.push_back(input);
    const std::uint32_t element_bytes = plan.layers.front().element_bytes;
    maps_.push_back(plan.layout == core::CardLayout::planes
                        ? StoredMap::planes(input, plan.input_plane_channels, element_bytes)
                        : StoredMap::tiles(input, {input.all()}, element_bytes));
  }

  void selected(const Task& task) {
    const Layer& layer = plan_.layers[task.layer];
    require(task.tile < geometry_[task.layer].tiles.size(), "a tile that the layer does not have");
    switch (task.kind) {
      case TaskKind::read_input:
        return read_input_selected(task, layer);
      case TaskKind::read_weights:
        return read_weights_selected(task, layer);
      case TaskKind::compute:
        return compute_selected(task, layer);
      case TaskKind::write_output:
        return write_output_selected(task, layer);
    }
  }

  /// To be called before the core is told.
  void finished(const Task& task) {
    const Layer& layer = plan_.layers[task.layer];
    TileState& tile = state(task);
    switch (task.kind) {
      case TaskKind::read_input:
        require_inputs_held(task, tile);
        tile.parts_read.insert(task.index);
        return;
      case TaskKind::read_weights:
        weight_buffers_.at(scheduler_.grant(task).weights) = LoadedChunk(task.frame, task.layer, chunk_of(task));
        return;
      case TaskKind::compute:
        // What the kernel works on must have stayed there to its end.
        require_operands(task, layer, tile);
        computed(task, layer, tile);
        return;
      case TaskKind::write_output:
        written(task, tile);
        return;
    }
  }

  /// Every output of every frame has been written once, or kept and used.
  void require_complete() const {
    for (std::uint32_t frame = 0; frame < plan_.frames; ++frame) {
      for (std::uint32_t row = 0; row < plan_.layers.size(); ++row) {
        const Layer& layer = plan_.layers[row];
        for (std::uint32_t tile = 0; tile < geometry_[row].tiles.size(); ++tile) {
          const auto found = tiles_.find({frame, row, tile});
          require(found != tiles_.end() && found->second.computed, "a tile was never computed");
          require(found->second.written != (layer.output_pins != 0), "an output was neither written nor kept");
        }
      }
    }
  }

  Replay result;

 private:
  static TileKey key_of(const Task& task) { return {task.frame, task.layer, task.tile}; }
  TileState& state(const Task& task) { return tiles_[key_of(task)]; }
  const Box& box_of(const Task& task) const { return geometry_[task.layer].tiles[task.tile]; }

  Chunk chunk_of(const Task& task) const {
    const auto& chunks = geometry_[task.layer].chunks[geometry_[task.layer].group_of[task.tile]];
    require(task.index < chunks.size(), "a chunk that the tile does not have");
    return chunks[task.index];
  }

  std::size_t map_number(LayerIndex producer) const {
    return producer == network_input ? plan_.layers.size() : producer;
  }

  bool is_read(const Layer& layer, const Part& part, const Box& tile) const {
    return !part.resident && !needed(layer, part, tile).channels.empty();
  }

  /// Counts a task's bytes; the plan must charge the same.
  void count(const Task& task, std::uint64_t bytes, std::uint64_t& sum) {
    const std::uint64_t charged = core::bytes_of(plan_, task);
    require(charged == bytes, "charged " + std::to_string(charged) + " bytes, " + std::to_string(bytes) + " move");
    sum += bytes;
    ++result.io_tasks;
  }

  std::uint64_t part_bytes(const Layer& layer, const Part& part, const Box& tile) const {
    const Box need = needed(layer, part, tile);
    const StoredMap& map = maps_[map_number(part.producer)];
    return layer.flattened ? map.bytes_to_read(need.channels) : map.bytes_to_read(need);
  }

  void read_input_selected(const Task& task, const Layer& layer) {
    require(task.index < layer.parts, "a part that the layer does not have");
    const Part& part = plan_.parts[layer.first_part + task.index];
    const Box& tile_box = box_of(task);
    require(!part.resident, "a kept output is read from the card");
    require(is_read(layer, part, tile_box), "a part is read that has nothing to give to the tile");
    TileState& tile = state(task);
    require(tile.parts_selected.insert(task.index).second, "a part is read twice");
    require_on_card(task, layer, part, tile_box);
    if (tile.inputs.empty()) {
      take_inputs(task, layer, tile);
    } else {
      require_inputs_held(task, tile);
    }
    count(task, part_bytes(layer, part, tile_box), result.input_bytes);
  }

  void require_on_card(const Task& task, const Layer& layer, const Part& part, const Box& tile_box) {
    if (part.producer == network_input) return;
    const MapShape& shape = shapes_[part.producer];
    const std::vector<int>& written = card_[{task.frame, part.producer}];
    for_elements(layer, maps_[part.producer], shape, needed(layer, part, tile_box),
                 [&](std::uint32_t c, std::uint32_t y, std::uint32_t x) {
                   const std::size_t at = (std::size_t{c} * shape.height + y) * shape.width + x;
                   require(at < written.size() && written[at] == 1, "an input is read that has not been written");
                 });
  }

  void take_inputs(const Task& task, const Layer& layer, TileState& tile) {
    for (BufferIndex at = scheduler_.grant(task).input; at != core::no_buffer; at = scheduler_.next_buffer(at)) {
      std::optional<TileKey>& holder = input_buffers_.at(at);
      require_free(holder, "input");
      holder = key_of(task);
      tile.inputs.push_back(at);
      require(tile.inputs.size() <= input_buffers_.size(), "the chain of input buffers has no end");
    }
    require(tile.inputs.size() == layer.input_buffers, "another number of input buffers than the plan has");
    if (plan_.layout != core::CardLayout::planes) return;
    std::uint64_t moved = 0;
    for (const Part& part : plan_.parts.subspan(layer.first_part, layer.parts)) {
      if (is_read(layer, part, box_of(task))) moved += part_bytes(layer, part, box_of(task));
    }
    require(moved <= tile.inputs.size() * plan_.buffer_bytes, "the parts exceed the input buffers");
  }

  void require_inputs_held(const Task& task, const TileState& tile) const {
    for (const BufferIndex at : tile.inputs)
      require(input_buffers_.at(at) == key_of(task), "an input was lost");
  }

  void read_weights_selected(const Task& task, const Layer& layer) {
    require(layer.has_weights(), "weights of a layer without weights");
    const Chunk chunk = chunk_of(task);
    if (layer.weight_pins != 0) {
      const std::uint32_t group = geometry_[task.layer].group_of[task.tile];
      require(group_reads_.insert({task.frame, task.layer, group, task.index}).second, "a group's chunk is read twice");
    }
    require(state(task).chunks_read.insert(task.index).second, "a chunk is read twice for a tile");
    weight_buffers_.at(scheduler_.grant(task).weights).reset();
    const std::uint64_t bytes = std::uint64_t{chunk.filters.size()} * chunk.bytes.size();
    require(bytes <= plan_.buffer_bytes, "a chunk exceeds its buffer");
    std::uint64_t sectors = 0;
    for (std::uint64_t begin = 0; begin < bytes; begin += sector)
      ++sectors;
    count(task, sectors * sector, result.weight_bytes);
  }

  void compute_selected(const Task& task, const Layer& layer) {
    TileState& tile = state(task);
    require(tile.chunks_computed.size() == task.index, "chunks are computed out of order");
    if (task.index == 0) take_output(task, layer, tile);
    require_operands(task, layer, tile);
  }

  void take_output(const Task& task, const Layer& layer, TileState& tile) {
    tile.output = scheduler_.grant(task).output;
    std::optional<TileKey>& holder = output_buffers_.at(tile.output);
    require_free(holder, "output");
    holder = key_of(task);
    const Box& box = box_of(task);
    std::uint64_t bytes = box.elements() * layer.element_bytes;
    if (plan_.layout == core::CardLayout::planes) {
      if (layer.output_pins == 0) bytes = maps_[task.layer].bytes_to_write(box);
      if (layer.pieces > 1 && layer.element_bytes == 1)
        bytes += std::uint64_t{4} * box.rows.size() * box.columns.size();
    }
    require(bytes <= plan_.buffer_bytes, "an output exceeds its buffer");
  }

  void require_operands(const Task& task, const Layer& layer, const TileState& tile) const {
    const Box& box = box_of(task);
    for (std::uint32_t index = 0; index < layer.parts; ++index) {
      const Part& part = plan_.parts[layer.first_part + index];
      if (part.resident) {
        require_kept(task, layer, part, box);
      } else if (is_read(layer, part, box)) {
        require(tile.parts_read.contains(index), "a part was not read before its use");
      }
    }
    require_inputs_held(task, tile);
    require(output_buffers_.at(tile.output) == key_of(task), "an output was lost");
    require(scheduler_.grant(task).output == tile.output, "the output moved to another buffer");
    if (!layer.has_weights()) return;
    require(weight_buffers_.at(scheduler_.grant(task).weights) == LoadedChunk(task.frame, task.layer, chunk_of(task)),
            "the weights are not in the buffer");
  }

  /// The elements of a kept map that a tile needs stand in the buffers of the tiles that computed them.
  void require_kept(const Task& task, const Layer& layer, const Part& part, const Box& tile_box) const {
    require(plan_.layers[part.producer].output_pins != 0, "a resident part of an output that is not kept");
    const Box need = needed(layer, part, tile_box);
    const std::vector<Box>& made = geometry_[part.producer].tiles;
    for (std::uint32_t tile = 0; tile < made.size(); ++tile) {
      const bool uses = layer.flattened || !common(made[tile], need).empty();
      if (!uses) continue;
      const BufferIndex at = scheduler_.kept_buffer(tile);
      require(at < output_buffers_.size() && output_buffers_[at] == TileKey(task.frame, part.producer, tile),
              "a kept output was lost");
      const auto found = tiles_.find({task.frame, part.producer, tile});
      require(found != tiles_.end() && found->second.computed, "a kept output is used before it is complete");
    }
  }

  void computed(const Task& task, const Layer& layer, TileState& tile) {
    tile.chunks_computed.insert(task.index);
    const LayerGeometry& geometry = geometry_[task.layer];
    if (tile.chunks_computed.size() < geometry.chunks[geometry.group_of[task.tile]].size()) return;
    tile.computed = true;
    for (const BufferIndex at : tile.inputs)
      input_buffers_[at].reset();
    ++computed_[{task.frame, task.layer}];
    if (layer.output_pins != 0) free_kept(task.frame, task.layer);
    for (const Part& part : plan_.parts.subspan(layer.first_part, layer.parts)) {
      if (part.resident) free_kept(task.frame, part.producer);
    }
  }

  bool all_computed(std::uint32_t frame, std::uint32_t layer) const {
    const auto found = computed_.find({frame, layer});
    return found != computed_.end() && found->second == geometry_[layer].tiles.size();
  }

  /// A kept output goes when it and its reader, the next layer, have computed; a reader may need only some of it.
  void free_kept(std::uint32_t frame, std::uint32_t layer) {
    if (!all_computed(frame, layer) || !all_computed(frame, layer + 1)) return;
    for (std::optional<TileKey>& holder : output_buffers_) {
      if (holder && std::get<0>(*holder) == frame && std::get<1>(*holder) == layer) holder.reset();
    }
  }

  void write_output_selected(const Task& task, const Layer& layer) {
    const TileState& tile = state(task);
    require(layer.output_pins == 0, "a kept output is written to the card");
    require(tile.computed && !tile.written, "an output is written before it is complete, or twice");
    require(scheduler_.grant(task).output == tile.output && output_buffers_.at(tile.output) == key_of(task),
            "the output to write was lost");
    const std::vector<std::uint64_t> sectors = maps_[task.layer].sectors_to_write(box_of(task));
    for (const std::uint64_t one : sectors) {
      require(written_sectors_.insert({task.frame, task.layer, one}).second,
              "two tiles share a sector: writing one destroys the other");
    }
    count(task, sectors.size() * sector, result.output_bytes);
  }

  void written(const Task& task, TileState& tile) {
    const MapShape& shape = shapes_[task.layer];
    std::vector<int>& map = card_[{task.frame, task.layer}];
    map.resize(shape.all().elements());
    const Box& box = box_of(task);
    for (std::uint32_t c = box.channels.first; c < box.channels.last; ++c) {
      for (std::uint32_t y = box.rows.first; y < box.rows.last; ++y) {
        for (std::uint32_t x = box.columns.first; x < box.columns.last; ++x)
          ++map[(std::size_t{c} * shape.height + y) * shape.width + x];
      }
    }
    require(output_buffers_.at(tile.output) == key_of(task), "an output was lost while it was written");
    output_buffers_[tile.output].reset();
    tile.written = true;
  }

  const Plan& plan_;
  const core::Scheduler& scheduler_;
  std::vector<LayerGeometry> geometry_;
  std::vector<MapShape> shapes_;  ///< of each layer's output, then of the network's input
  std::vector<StoredMap> maps_;   ///< the same
  std::vector<std::optional<TileKey>> input_buffers_, output_buffers_;  ///< the tile that holds it
  std::vector<std::optional<LoadedChunk>> weight_buffers_;
  std::map<TileKey, TileState> tiles_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<int>>
      card_;  ///< times written, of each frame and layer
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>> written_sectors_;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>> group_reads_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> computed_;  ///< tiles, of each frame and layer
};

void run(const Plan& plan, core::Scheduler& scheduler, Book& book, tiling::Random& random) {
  const std::size_t most_io = random.chance(50) ? 1 : 3;
  std::vector<Task> active;
  std::size_t io = 0, compute = 0;
  while (!scheduler.done()) {
    const bool compute_first = random.chance(50);
    for (const bool take_compute : {compute_first, !compute_first}) {
      while (take_compute ? compute == 0 : io < most_io) {
        const std::optional<Task> task = take_compute ? scheduler.select_compute() : scheduler.select_io();
        if (!task) break;
        try {
          book.selected(*task);
        } catch (const Fault& fault) {
          throw Fault(to_text(*task) + ": " + fault.what());
        }
        active.push_back(*task);
        ++(take_compute ? compute : io);
      }
    }
    require(!active.empty(), "the run is stuck");
    const auto at = active.begin() + random.between(0, static_cast<std::int64_t>(active.size()) - 1);
    const Task task = *at;
    active.erase(at);
    --(task.kind == TaskKind::compute ? compute : io);
    try {
      book.finished(task);
    } catch (const Fault& fault) {
      throw Fault(to_text(task) + " at its end: " + fault.what());
    }
    require(scheduler.finish(task) == core::Status::ok, to_text(task) + ": the core does not know it");
  }
  require(active.empty(), "done with tasks in progress");
  require(scheduler.free_buffers(core::Pool::input) == plan.pools.input &&
              scheduler.free_buffers(core::Pool::weights) == plan.pools.weights &&
              scheduler.free_buffers(core::Pool::output) == plan.pools.output,
          "buffers are held at the end");
  book.require_complete();
}

}  // namespace

Replay replay(const core::Plan& plan, const MapShape& network_input, tiling::Random& random) {
  std::vector<std::uint32_t> storage(core::Scheduler::storage_words(core::size_of(plan)));
  core::Scheduler scheduler;
  Book book(plan, scheduler, network_input);
  try {
    require(scheduler.start(plan, storage) == core::Status::ok, "the core refuses the plan");
    run(plan, scheduler, book, random);
  } catch (const std::exception& fault) {
    book.result.fault = fault.what();
  }
  return book.result;
}

}  // namespace spillway::least_traffic
