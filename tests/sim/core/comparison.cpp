#include "comparison.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "ledger.hpp"
#include "random_plan.hpp"

#include "sim/core/scheduler.hpp"

namespace spillway::oracle {

using core::Pool;
using core::Status;
using core::Task;

std::string to_string(const Task& task) {
  constexpr std::array names{"read_input", "read_weights", "compute", "write_output"};
  return std::string(names.at(static_cast<std::size_t>(task.kind))) + " frame " + std::to_string(task.frame) +
         " layer " + std::to_string(task.layer) + " tile " + std::to_string(task.tile) + " index " +
         std::to_string(task.index);
}

namespace {

std::string to_string(const std::optional<Task>& task) {
  return task ? oracle::to_string(*task) : "nothing";
}

std::string to_string(const std::optional<core::Waiting>& waiting) {
  if (!waiting) return "nothing";
  return oracle::to_string(waiting->task) + " for " + std::to_string(waiting->needed) + " buffers of " +
         std::to_string(waiting->free) + " free in pool " + std::to_string(static_cast<int>(waiting->pool));
}

/// Core and oracle side by side. Every step leaves the first difference in `result.difference`.
class Run {
 public:
  Run(const PlanTables& tables, std::uint64_t seed, const Limits& limits)
      : plan_(tables.view()),
        random_(seed),
        limits_(limits),
        paper_(plan_),
        ledger_(plan_),
        storage_(core::Scheduler::storage_words(core::size_of(plan_))) {
    result_.tasks = paper_.graph().nodes.size();
  }

  Comparison run() {
    const Status status = core_.start(plan_, storage_);
    if (status != Status::ok) {
      differ("start", "status " + std::to_string(static_cast<int>(status)), "ok");
      return result_;
    }
    while (result_.difference.empty() && !paper_.done() && step()) {
    }
    if (result_.difference.empty()) compare_end();
    result_.encounters = paper_.encounters();
    return result_;
  }

 private:
  void differ(const std::string& what, const std::string& core, const std::string& paper) {
    if (!result_.difference.empty()) return;
    result_.difference = "after " + std::to_string(result_.selections) + " selections, " + what + ": the core says " +
                         core + ", the paper " + paper;
  }

  void expect_equal(const std::string& what, std::uint64_t core, std::uint64_t paper) {
    if (core != paper) differ(what, std::to_string(core), std::to_string(paper));
  }

  /// One random step of a driver; false when none is left.
  bool step() {
    const bool may_io = !io_exhausted_ && count(true) < limits_.io;
    const bool may_compute = !compute_exhausted_ && count(false) < limits_.compute;
    const std::uint32_t choices = may_io + may_compute + !outstanding_.empty();
    if (choices == 0) return false;
    const std::uint32_t choice = random_.between(1, choices);
    if (may_io && choice == 1) {
      io_exhausted_ = !select(true);
    } else if (may_compute && choice == 1U + may_io) {
      compute_exhausted_ = !select(false);
    } else {
      finish_one();
    }
    if (random_.chance(5)) finish_any();
    compare_state();
    return true;
  }

  std::uint32_t count(bool io) const {
    return static_cast<std::uint32_t>(
        std::ranges::count_if(outstanding_, [io](const Task& task) { return is_io(task.kind) == io; }));
  }

  bool select(bool io) {
    const std::optional<Task> paper = io ? paper_.select_io() : paper_.select_compute();
    const std::optional<Task> core = io ? core_.select_io() : core_.select_compute();
    if (core != paper) {
      differ(io ? "select_io" : "select_compute", to_string(core), to_string(paper));
      return false;
    }
    if (!paper) return false;
    ++result_.selections;
    outstanding_.push_back(*paper);
    const std::string fault = ledger_.selected(paper_.graph(), core_, *paper);
    if (!fault.empty()) differ("grant of " + oracle::to_string(*paper), fault, "a buffer of its own");
    return true;
  }

  void finish_one() {
    const auto position = random_.between(0, static_cast<std::uint32_t>(outstanding_.size() - 1));
    const Task task = outstanding_[position];
    outstanding_.erase(outstanding_.begin() + position);
    ledger_.finished(paper_.graph(), task);
    finish(task);
    io_exhausted_ = compute_exhausted_ = false;
  }

  void finish(const Task& task) {
    const Status paper = paper_.finish(task);
    expect_equal("finish of " + oracle::to_string(task), static_cast<std::uint64_t>(core_.finish(task)),
                 static_cast<std::uint64_t>(paper));
  }

  /// A wrong completion: of a task that is not under way, or of one that the plan may not have.
  void finish_any() {
    const std::vector<Node>& nodes = paper_.graph().nodes;
    Task task = nodes[random_.between(0, static_cast<std::uint32_t>(nodes.size() - 1))].task;
    switch (random_.between(0, 5)) {
      case 0:
        task.index += random_.between(1, 3);
        break;
      case 1:
        task.tile += random_.between(1, 3);
        break;
      case 2:
        task.layer = static_cast<std::uint16_t>(task.layer + random_.between(1, 3));
        break;
      case 3:
        task.frame += random_.between(1, 3);
        break;
      case 4:
        task.kind = static_cast<core::TaskKind>(random_.between(0, 3));
        break;
      default:
        break;
    }
    if (std::ranges::find(outstanding_, task) == outstanding_.end()) finish(task);
  }

  void compare_state() {
    expect_equal("done", core_.done(), paper_.done());
    expect_equal("frames done", core_.frames_done(), paper_.frames_done());
    for (const Pool pool : {Pool::input, Pool::weights, Pool::output}) {
      const std::string what = "free buffers of pool " + std::to_string(static_cast<int>(pool));
      expect_equal(what, core_.free_buffers(pool), paper_.free_buffers(pool));
      expect_equal(what + " by the grants", ledger_.free_buffers(pool), paper_.free_buffers(pool));
    }
    if (outstanding_.empty()) expect_equal("stalled", core_.stalled(), paper_.stalled());
  }

  void compare_end() {
    result_.stalled = paper_.stalled();
    compare_state();
    if (result_.stalled) {
      compare_waiting();
      return;
    }
    expect_equal("done at the end", paper_.done(), true);
    expect_equal("all buffers free at the end", ledger_.all_free(), true);
  }

  void compare_waiting() {
    std::array<core::Waiting, 3> waiting;
    const std::uint32_t listed = core_.waiting(waiting);
    std::uint32_t expected = 0;
    for (const Pool pool : {Pool::input, Pool::weights, Pool::output}) {
      const std::optional<core::Waiting> paper = paper_.first_waiting(pool);
      expected += paper.has_value();
      std::optional<core::Waiting> core;
      for (std::uint32_t at = 0; at < listed; ++at) {
        if (waiting[at].pool == pool) core = waiting[at];
      }
      if (to_string(core) != to_string(paper)) differ("waiting", to_string(core), to_string(paper));
    }
    expect_equal("number of waiting tasks", listed, expected);
  }

  core::Plan plan_;
  Random random_;
  Limits limits_;
  Scheduler paper_;
  Ledger ledger_;
  core::Scheduler core_;
  std::vector<std::uint32_t> storage_;
  std::vector<Task> outstanding_;
  bool io_exhausted_ = false, compute_exhausted_ = false;  ///< nothing could start since the last completion
  Comparison result_;
};

/// The core's arithmetic beside the elements.
class GeometryCheck {
 public:
  explicit GeometryCheck(const PlanTables& tables) : plan_(tables.view()), elements_(plan_) {}

  std::string run() {
    for (core::LayerIndex layer = 0; layer < plan_.layers.size(); ++layer) {
      expect("tiles", plan_.layers[layer].tiles(), elements_.tiles(layer), {layer, 0});
      for (std::uint32_t tile = 0; tile < elements_.tiles(layer); ++tile) {
        check_output({layer, tile});
        check_parts({layer, tile});
        check_chunks({layer, tile});
      }
    }
    return difference_;
  }

 private:
  void expect(const std::string& what, std::uint64_t core, std::uint64_t elements, const TileName& name) {
    if (core == elements || !difference_.empty()) return;
    difference_ = what + " of layer " + std::to_string(name.layer) + " tile " + std::to_string(name.tile) +
                  ": the core says " + std::to_string(core) + ", the elements " + std::to_string(elements);
  }

  void expect(const std::string& what, const core::Region& core, const core::Region& elements, const TileName& name) {
    const auto axis = [&](const std::string& axis_name, const core::Range& one, const core::Range& other) {
      expect("first " + axis_name + " of the " + what, one.first, other.first, name);
      expect("last " + axis_name + " of the " + what, one.last, other.last, name);
    };
    axis("channel", core.channels, elements.channels);
    axis("row", core.rows, elements.rows);
    axis("column", core.columns, elements.columns);
  }

  Task task(const TileName& name, core::TaskKind kind, std::uint32_t index) const {
    return {.frame = plan_.frames - 1, .tile = name.tile, .index = index, .layer = name.layer, .kind = kind};
  }

  void check_output(const TileName& name) {
    const core::Layer& layer = plan_.layers[name.layer];
    const std::uint64_t bytes = elements_.output_elements(name) * layer.element_bytes;
    expect("output region", core::output_region(layer, name.tile), elements_.output(name), name);
    const core::TilePosition position = core::position_of(layer, name.tile);
    expect("group", position.group, elements_.output(name).channels.first / layer.tile_channels, name);
    expect("row", position.row, elements_.output(name).rows.first / layer.tile_height, name);
    expect("column", position.column, elements_.output(name).columns.first / layer.tile_width, name);
    const Task write = task(name, core::TaskKind::write_output, 0);
    expect("bytes written", core::bytes_of(plan_, write), layer.output_pins == 0 ? bytes : 0, name);
    expect("work of write_output", core::work_of(plan_, write), 0, name);
  }

  void check_parts(const TileName& name) {
    const core::Layer& layer = plan_.layers[name.layer];
    const std::vector<std::uint32_t> existing = elements_.parts(name);
    const std::vector<std::uint32_t> read_parts = elements_.reads(name);
    for (std::uint32_t number = 0; number < layer.parts; ++number) {
      const core::Part& part = plan_.parts[layer.first_part + number];
      const core::Region region = core::input_region(layer, part, name.tile);
      const bool is_read = std::ranges::find(read_parts, number) != read_parts.end();
      expect("reading of part " + std::to_string(number), core::part_exists(layer, part, name.tile), is_read, name);
      const bool exists = std::ranges::find(existing, number) != existing.end();
      expect("existence of part " + std::to_string(number), !region.channels.empty(), exists, name);
      if (!exists) continue;
      const core::Region box = elements_.input(name, number);
      expect("input region of part " + std::to_string(number), region, box, name);
      const Task read = task(name, core::TaskKind::read_input, number);
      expect("bytes of part " + std::to_string(number), core::bytes_of(plan_, read),
             is_read ? box.elements() * layer.element_bytes : 0, name);
      expect("work of read_input", core::work_of(plan_, read), 0, name);
    }
  }

  void check_chunks(const TileName& name) {
    const core::Layer& layer = plan_.layers[name.layer];
    const std::vector<Chunk> chunks = elements_.chunks(name);
    const core::Region output = elements_.output(name);
    expect("chunks", core::chunks_of(layer, name.tile), chunks.size(), name);
    std::uint64_t work_of_tile = 0;
    for (std::uint32_t number = 0; number < chunks.size(); ++number) {
      const Chunk& chunk = chunks[number];
      const std::string of_chunk = " of chunk " + std::to_string(number);
      expect("filters" + of_chunk, core::filters_of(layer, name.tile, number), chunk.filters, name);
      const Task compute = task(name, core::TaskKind::compute, number);
      expect("bytes of compute" + of_chunk, core::bytes_of(plan_, compute), 0, name);
      const std::uint64_t work = core::work_of(plan_, compute);
      work_of_tile += work;
      const std::uint64_t outputs = std::uint64_t{chunk.filters} * output.rows.size() * output.columns.size();
      if (layer.pieces == 1) expect("work" + of_chunk, work, outputs * layer.filter_work, name);
      if (layer.filter_bytes == 0) continue;
      const Task read = task(name, core::TaskKind::read_weights, number);
      const bool is_read = elements_.reader_of_weights(name) == name;
      const std::uint64_t bytes = is_read ? std::uint64_t{chunk.filters} * chunk.filter_bytes : 0;
      expect("reading" + of_chunk, core::reads_weights(layer, name.tile), is_read, name);
      expect("bytes" + of_chunk, core::bytes_of(plan_, read), bytes, name);
      expect("work of read_weights", core::work_of(plan_, read), 0, name);
      // A piece has the share of the work that it has of the filter's bytes, to one unit for each output element.
      const std::uint64_t share = outputs * layer.filter_work * chunk.filter_bytes;
      const std::uint64_t scaled = work * layer.filter_bytes;
      const bool near = std::max(share, scaled) - std::min(share, scaled) <= outputs * layer.filter_bytes;
      expect("fair share of the work" + of_chunk, near, true, name);
    }
    expect("work", work_of_tile, elements_.output_elements(name) * layer.filter_work, name);
  }

  core::Plan plan_;
  Elements elements_;
  std::string difference_;
};

}  // namespace

std::string compare_geometry(const PlanTables& tables) {
  return GeometryCheck(tables).run();
}

Comparison compare_schedules(const PlanTables& tables, std::uint64_t seed, const Limits& limits) {
  return Run(tables, seed, limits).run();
}

}  // namespace spillway::oracle
