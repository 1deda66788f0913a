#include "sim/core/scheduler.hpp"

// Who waits for what. Apart from the scheduler, because a plan that keeps to the pools' rules never stalls: firmware
// need not link this.

namespace spillway::core {

bool Scheduler::stalled() const {
  return selected_count_ == 0 && !done() && choose_io() == Source::nothing && choose_compute() == none;
}

std::uint32_t Scheduler::waiting(std::span<Waiting, 3> out) const {
  if (done()) return 0;
  std::uint32_t count = 0;
  for (const Pool pool : {Pool::input, Pool::weights, Pool::output}) {
    // A pool's queue and the kind of its tasks have the pool's number.
    const auto number = static_cast<std::uint32_t>(pool);
    const Tile& tile = tile_at(head_[number]);
    const TileId& id = pool == Pool::input ? first_ : tile.id;
    if (id.frame == no_frame) continue;
    std::uint32_t index = pool == Pool::weights ? tile.next_read : 0;
    std::uint16_t needed = 1;
    if (pool == Pool::input) {
      index = existing_part(id.layer, id.tile, 0);
      needed = plan_.layers[id.layer].input_buffers;
    }
    const std::uint16_t free = free_buffers(pool);
    if (free < needed) out[count++] = {task_of(id, static_cast<TaskKind>(number), index), pool, needed, free};
  }
  return count;
}

}  // namespace spillway::core
