#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "hw/linux/card_file.hpp"
#include "hw/linux/lockstep_clock.hpp"
#include "hw/swap/card_map.hpp"
#include "hw/swap/layer_operator.hpp"
#include "hw/swap/tile_job.hpp"
#include "sim/core/plan.hpp"
#include "sim/trace/sink.hpp"

namespace spillway::execution {

/// A plan with what executing it needs.
struct Program {
  core::Plan plan;
  CardMap map;
  std::span<const LayerOperator> operators;     ///< one for each row
  std::function<void(const TileJob&)> compute;  ///< called by one thread
};

/// Kernels of an int8 plan. The tables must outlive the function.
std::function<void(const TileJob&)> int8_kernels(const core::Plan& plan, std::span<const LayerOperator> operators,
                                                 std::span<const QuantizedLayer> layers);

struct RunOptions {
  /// Not null: completions are delivered in the order of this clock.
  LockstepClock* lockstep = nullptr;
  trace::Sink* sink = nullptr;  ///< told of every task and pool level when the run has ended; null: no trace
  /// Told of every task in the order in which the scheduler gives it out; may be empty.
  std::function<void(const core::Task&)> selected;
  std::uint32_t landing_bytes = 64 << 10;  ///< a multiple of 512
};

/// What a run did. Times are real ones, from its start.
struct RunResult {
  std::uint64_t makespan_ns = 0;
  std::array<std::uint64_t, 4> tasks{}, bytes{}, busy_ns{};  ///< by core::TaskKind
  std::uint64_t transfers = 0;                               ///< reads and writes of the file
  std::vector<std::uint64_t> frame_done_ns;
};

/// Runs a program on a card: one thread moves tiles, another one computes, both around one scheduler. The card holds
/// what hw/swap/image writes. Throws CardError; std::invalid_argument for a plan that the scheduler refuses, a plan of
/// one shared pool among them.
RunResult run(const Program& program, const CardFile& card, const RunOptions& options = {});

}  // namespace spillway::execution
