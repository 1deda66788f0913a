#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "oracle.hpp"

#include "sim/core/scheduler.hpp"

namespace spillway::oracle {

/// Who holds which buffer, kept from the core's own grants: finds a buffer that is granted twice, lost or swapped.
///
/// Pins are taken all at once, but which buffers they are shows only in the grants of the tasks that use them: until
/// then they are counted.
class Ledger {
 public:
  explicit Ledger(const core::Plan& plan);

  /// Notes the grant of a task that was SELECTED just now. Returns what is wrong with it, or an empty text.
  std::string selected(const Graph& graph, const core::Scheduler& scheduler, const core::Task& task);

  /// Notes that a task finished: the buffers of its last use are free.
  void finished(const Graph& graph, const core::Task& task);

  /// True when nobody holds a buffer.
  bool all_free() const;

  /// Buffers of a pool that nobody holds.
  std::uint16_t free_buffers(core::Pool pool) const;

 private:
  /// A holder: 0 for nobody, else one more than the number of a node (weights) or tile (input, output) and its kind.
  using Holder = std::uint32_t;

  std::vector<Holder>& slots(core::Pool pool) { return held_[plan_.pools.shared ? 0 : static_cast<std::size_t>(pool)]; }
  static Holder holder(core::Pool kind, std::size_t number) {
    return static_cast<Holder>(number * 3 + static_cast<std::size_t>(kind) + 1);
  }
  std::string take(core::Pool pool, core::BufferIndex buffer, Holder holder);
  std::string holds(core::Pool pool, core::BufferIndex buffer, Holder holder);
  std::string inputs(const core::Scheduler& scheduler, core::BufferIndex first, Holder holder, std::uint16_t buffers,
                     bool may_take);
  void give_back(core::Pool pool, Holder holder);

  /// The layer of a frame that holds pins.
  struct Pins {
    std::uint32_t frame = 0;
    core::LayerIndex layer = 0;
    std::uint32_t tiles_left = 0;  ///< tiles that have not computed, those of the reader of a kept output included
    std::uint32_t group_left = 0;  ///< of them the tiles of the group in progress
    std::uint32_t unseen_weights = 0, unseen_outputs = 0;
    std::vector<core::BufferIndex> chunks;   ///< of each chunk of the group in progress, in the order of their reads
    std::vector<core::BufferIndex> outputs;  ///< of each tile, in the order of their first Compute: ascending
  };

  static constexpr Holder pin = 0xFFFFFFFF;

  bool is_holder(const core::Task& task) const {
    return pins_.tiles_left != 0 && pins_.frame == task.frame && pins_.layer == task.layer;
  }
  std::string granted(const Graph& graph, const core::Scheduler& scheduler, const core::Task& task);
  std::string take_pins(const core::Task& task);
  std::string pinned_weights(const core::Task& task, core::BufferIndex buffer);
  std::string kept_output(const core::Task& task, core::BufferIndex buffer);
  std::string kept_outputs(const core::Scheduler& scheduler) const;
  void computed(const core::Task& task);

  core::Plan plan_;
  std::array<std::vector<Holder>, 3> held_;  ///< of each pool; only the first with one shared pool
  Pins pins_;
};

}  // namespace spillway::oracle
