#include <utility>

#include "oracle.hpp"

namespace spillway::oracle {

using core::Task;
using core::TaskKind;

Priority priority_of(const Task& task) {
  const std::uint32_t step = task.kind == TaskKind::read_input ? 0 : task.kind == TaskKind::write_output ? 2 : 1;
  return {task.frame, task.layer, task.tile, step, task.index};
}

std::optional<std::size_t> Graph::find(const Task& task) const {
  const auto found = by_task.find({task.kind, priority_of(task)});
  if (found == by_task.end()) return std::nullopt;
  return found->second;
}

namespace {

/// Builds the graph tile by tile, in topological order of the layers.
class Builder {
 public:
  explicit Builder(const core::Plan& plan) : plan_(plan), elements_(plan) {}

  Graph build() {
    for (std::uint32_t frame = 0; frame < plan_.frames; ++frame) {
      done_.clear();
      computed_.clear();
      weights_.clear();
      for (core::LayerIndex layer = 0; layer < plan_.layers.size(); ++layer) {
        for (std::uint32_t tile = 0; tile < elements_.tiles(layer); ++tile)
          add_tile(frame, {layer, tile});
      }
      done_of_frame_.push_back(done_);
    }
    return std::move(graph_);
  }

 private:
  /// What has to finish before a tile begins: its input, the frame that leaves the window, the group before its own.
  std::vector<std::size_t> before_beginning(std::uint32_t frame, const TileName& name) const {
    std::vector<std::size_t> before;
    for (const TileName& source : elements_.sources(name))
      before.push_back(done_.at(source));
    if (frame >= plan_.window) {
      for (const auto& [tile, task] : done_of_frame_[frame - plan_.window])
        before.push_back(task);
    }
    const std::uint32_t first_channel = elements_.output(name).channels.first;
    if (plan_.layers[name.layer].weight_pins != 0 && first_channel != 0) {
      for (const std::uint32_t tile : elements_.tiles_of_channel(name.layer, first_channel - 1))
        before.push_back(computed_.at({name.layer, tile}));
    }
    return before;
  }

  void add_tile(std::uint32_t frame, const TileName& name) {
    const core::Layer& layer = plan_.layers[name.layer];
    const std::vector<Chunk> chunks = elements_.chunks(name);
    const std::size_t tile = graph_.tiles.size();
    graph_.tiles.push_back(
        {.name = name, .frame = frame, .chunks = static_cast<std::uint32_t>(chunks.size()), .first = {}});

    const std::vector<std::size_t> beginning = before_beginning(frame, name);
    std::vector<std::size_t> reads;
    for (const std::uint32_t part : elements_.reads(name)) {
      reads.push_back(add(frame, name, TaskKind::read_input, part));
      precede(beginning, reads.back());
    }
    const bool by_itself = reads.empty();
    if (by_itself) {
      graph_.tiles[tile].reads = false;
      graph_.tiles[tile].in_degree = static_cast<std::uint32_t>(beginning.size());
      for (const std::size_t task : beginning)
        graph_.nodes[task].tiles_after.push_back(tile);
    }
    const auto follow_input = [&](std::size_t task) {
      precede(by_itself ? beginning : reads, task);
      if (!by_itself) return;
      graph_.tiles[tile].first.push_back(task);
      ++graph_.nodes[task].in_degree;
    };

    const TileName reader = elements_.reader_of_weights(name);
    std::optional<std::size_t> previous;
    for (std::uint32_t chunk = 0; chunk < chunks.size(); ++chunk) {
      if (layer.filter_bytes != 0 && reader == name) {
        weights_[{name, chunk}] = add(frame, name, TaskKind::read_weights, chunk);
        follow_input(weights_[{name, chunk}]);
      }
      const std::size_t compute = add(frame, name, TaskKind::compute, chunk);
      if (layer.filter_bytes != 0) precede(weights_.at({reader, chunk}), compute);
      if (layer.filter_bytes == 0 || reader != name) follow_input(compute);
      if (previous) precede(*previous, compute);
      previous = compute;
    }

    computed_[name] = previous.value();
    done_[name] = previous.value();
    if (layer.output_pins == 0) {
      done_[name] = add(frame, name, TaskKind::write_output, 0);
      precede(*previous, done_[name]);
    }
    graph_.nodes[done_[name]].finishes_tile = true;
  }

  std::size_t add(std::uint32_t frame, const TileName& name, TaskKind kind, std::uint32_t index) {
    const std::size_t node = graph_.nodes.size();
    const Task task{.frame = frame, .tile = name.tile, .index = index, .layer = name.layer, .kind = kind};
    graph_.nodes.push_back({.task = task, .successors = {}, .tiles_after = {}, .tile = graph_.tiles.size() - 1});
    graph_.by_task[{kind, priority_of(task)}] = node;
    return node;
  }

  void precede(const std::vector<std::size_t>& before, std::size_t after) {
    for (const std::size_t task : before)
      precede(task, after);
  }

  void precede(std::size_t before, std::size_t after) {
    graph_.nodes[before].successors.push_back(after);
    ++graph_.nodes[after].in_degree;
  }

  const core::Plan& plan_;
  Elements elements_;
  Graph graph_;
  // Of the frame being built: the task after which a tile's output is there for its readers (WriteOutput, or the last
  // Compute where the output is kept), its last Compute, and the ReadWeights of each chunk.
  std::map<TileName, std::size_t> done_, computed_;
  std::map<std::pair<TileName, std::uint32_t>, std::size_t> weights_;
  std::vector<std::map<TileName, std::size_t>> done_of_frame_;
};

}  // namespace

Graph build_graph(const core::Plan& plan) {
  return Builder(plan).build();
}

}  // namespace spillway::oracle
