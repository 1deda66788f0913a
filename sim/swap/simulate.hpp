#pragma once

#include "platforms/board.hpp"
#include "platforms/card.hpp"
#include "sim/swap/result.hpp"
#include "sim/tiling/swap_plan.hpp"
#include "sim/trace/sink.hpp"

namespace spillway::swap {

struct Options {
  Mode mode = Mode::parallel;
  Driver driver = Driver::virtual_clock;
  trace::Sink* sink = nullptr;  ///< told of every task and pool level; null: no trace
  Crypto crypto = Crypto::none;
};

/// Runs a plan on a board with a card. Throws std::invalid_argument for a plan that the core refuses, and for
/// crypto whose cost the board does not state.
Result simulate(const tiling::SwapPlan& plan, const platforms::Board& board, const platforms::Card& card,
                const Options& options = {});

}  // namespace spillway::swap
