#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "hw/stm32/board.hpp"
#include "hw/stm32/card_test.hpp"
#include "hw/stm32/report.hpp"
#include "hw/stm32/swap_loop.hpp"
#include "hw/stm32/tile_buffers.hpp"
#include "sim/core/plan.hpp"

/// Does the board work, and its driver? Writes and reads the last sectors of the card, in several sizes; then runs a
/// small plan whose computes are loops that wait, so that transfers and computing overlap. What was on those sectors is
/// lost.
namespace {

using namespace spillway;
using namespace spillway::stm32;

constexpr std::uint32_t scratch_sectors = 512;

/// A convolution in four stripes with two weight chunks, a pooling in two, and an addition of the pooling to itself.
constexpr std::array layers = [] {
  core::Layer convolution;
  convolution.channels = convolution.tile_channels = 4;
  convolution.height = convolution.width = convolution.tile_width = 8;
  convolution.rows = 4;
  convolution.tile_height = 2;
  convolution.input_height = convolution.input_width = 8;
  convolution.kernel_height = convolution.kernel_width = 3;
  convolution.pad_top = convolution.pad_left = 1;
  convolution.chunks = 2;
  convolution.chunk_filters = 2;
  convolution.filter_bytes = convolution.piece_bytes = 27;
  convolution.filter_work = 27;
  convolution.parts = 1;
  convolution.consumers = 1;

  core::Layer pooling = convolution;
  pooling.height = pooling.width = pooling.tile_width = 4;
  pooling.rows = 2;
  pooling.kernel_height = pooling.kernel_width = pooling.stride_height = pooling.stride_width = 2;
  pooling.pad_top = pooling.pad_left = 0;
  pooling.chunks = 1;
  pooling.chunk_filters = 4;
  pooling.filter_bytes = pooling.piece_bytes = 0;
  pooling.channelwise = true;
  pooling.first_part = 1;
  pooling.first_consumer = 1;

  core::Layer addition = pooling;
  addition.input_height = addition.input_width = 4;
  addition.kernel_height = addition.kernel_width = addition.stride_height = addition.stride_width = 1;
  addition.first_part = 2;
  addition.parts = 2;
  addition.first_consumer = 2;
  addition.consumers = 0;
  addition.input_buffers = 2;
  return std::array{convolution, pooling, addition};
}();
constexpr std::array<core::Part, 4> parts{{{0, 3, 0, core::network_input}, {0, 4, 0, 0}, {0, 4, 0, 1}, {0, 4, 0, 1}}};
constexpr std::array<core::LayerIndex, 2> consumers{1, 2};
constexpr std::uint32_t buffer_bytes = 4096;

core::Plan small_plan() {
  core::Plan plan;
  plan.layers = layers;
  plan.parts = parts;
  plan.consumers = consumers;
  plan.pools = core::Pools::quarters(8);
  plan.buffer_bytes = buffer_bytes;
  plan.frames = 3;
  plan.window = 2;
  return plan;
}

/// Moves a whole buffer for each IO task; every output goes to sectors of its own, where it is looked for at the end.
class Loops {
 public:
  explicit Loops(core::Scheduler& scheduler, std::uint32_t first_sector)
      : scheduler_(scheduler), first_sector_(first_sector) {}

  void begin_io(const core::Task& task) {
    const core::Grant grant = scheduler_.grant(task);
    const core::Pools pools = core::Pools::quarters(8);
    switch (task.kind) {
      case core::TaskKind::read_input:
        next_ = {Direction::to_memory, first_sector_ + task.layer * sectors, sectors, buffer(grant.input)};
        break;
      case core::TaskKind::read_weights:
        next_ = {Direction::to_memory, first_sector_ + (8 + task.index) * sectors, sectors,
                 buffer(pools.input + grant.weights)};
        break;
      default: {
        auto* words = static_cast<std::uint32_t*>(buffer(pools.input + pools.weights + grant.output));
        std::fill(words, words + buffer_bytes / 4, mark(task));
        next_ = {Direction::to_card, place(task), sectors, words};
      }
    }
  }

  std::optional<Transfer> next_transfer() { return std::exchange(next_, std::nullopt); }

  std::optional<Transfer> note() { return std::nullopt; }

  void compute(const core::Task& task) {
    const std::uint32_t begin = cycles();
    while (cycles() - begin < 40'000u * (1 + task.layer)) {
    }
  }

  /// Every output has arrived where it belongs.
  Failure verify(const core::Plan& plan) {
    auto* words = static_cast<std::uint32_t*>(buffer(0));
    core::Task task;
    for (task.frame = 0; task.frame < plan.frames; ++task.frame) {
      for (task.layer = 0; task.layer < plan.layers.size(); ++task.layer) {
        for (task.tile = 0; task.tile < plan.layers[task.layer].tiles(); ++task.tile) {
          if (const Failure failure = card().start(Direction::to_memory, place(task), sectors, words)) return failure;
          if (const Failure failure = wait_for_card()) return failure;
          if (std::any_of(words, words + buffer_bytes / 4, [&](std::uint32_t word) { return word != mark(task); }))
            return {Error::verification, place(task)};
        }
      }
    }
    return {};
  }

 private:
  static constexpr std::uint32_t sectors = buffer_bytes / sector_bytes;

  static void* buffer(std::uint32_t number) { return tile_buffers().data() + number * buffer_bytes; }
  static std::uint32_t mark(const core::Task& task) {
    return 0x5A000000 | task.frame << 16 | std::uint32_t{task.layer} << 8 | task.tile;
  }
  std::uint32_t place(const core::Task& task) const {
    return first_sector_ + (16 + (task.frame * 3 + task.layer) * 4 + task.tile) * sectors;
  }

  core::Scheduler& scheduler_;
  std::uint32_t first_sector_;
  std::optional<Transfer> next_;
};

core::Scheduler scheduler;
std::array<std::uint32_t, 512> storage;
SwapLoop<Loops>* loop = nullptr;

Failure test_transfers(std::uint32_t first_sector) {
  for (const std::uint32_t sectors : {1u, 2u, 8u, 64u}) {
    const std::span memory(reinterpret_cast<std::uint32_t*>(tile_buffers().data()), sectors * sector_bytes / 4);
    if (const Failure failure = write_read_verify(card(), first_sector, memory, sectors, wait_for_card)) return failure;
  }
  return {};
}

}  // namespace

extern "C" void pend_sv_interrupt() {
  if (loop != nullptr) loop->io();
}

extern "C" void image_main() {
  start_board("self-test");
  end_if(start_card());
  report("card_sectors", card().sectors());
  if (card().sectors() < scratch_sectors) end({Error::image_truncated, scratch_sectors});
  const std::uint32_t first_sector = card().sectors() - scratch_sectors;
  end_if(test_transfers(first_sector));

  const core::Plan plan = small_plan();
  const core::Status status = scheduler.start(plan, storage);
  if (status != core::Status::ok) end({Error::plan_refused, static_cast<std::uint32_t>(status)});
  Loops loops(scheduler, first_sector);
  SwapLoop<Loops> swap_loop(scheduler, loops);
  loop = &swap_loop;
  swap_loop.run();
  loop = nullptr;
  report("frames_done", scheduler.frames_done());
  end_if(loops.verify(plan));
  end({});
}
