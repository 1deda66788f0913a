#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/traces/replay.hpp"
#include "platforms/board.hpp"
#include "platforms/card.hpp"
#include "sim/core/plan.hpp"

namespace spillway::traces {

/// A board and a card.
struct Figures {
  platforms::Board board;
  platforms::Card card;
};

/// Layers that are left out of a fit, to be judged by: of each class of work every third one, the second first. A class
/// of one layer keeps it.
std::vector<bool> usual_hold_out(const core::Plan& plan);

/// What a trace says about the board and the card that it was taken on: the figures that the simulators charge by
/// (sim/swap/service_times.hpp), each class of work that the trace has with its rate, by least squares without a
/// negative number (cost::nonnegative_least_squares) over the tasks of the layers that are not held out.
///
///     read or write:  service = overhead + bytes / bandwidth
///     compute:        service = overhead + work / rate(class) + contention x time under a transfer
///
/// The square of a task's error counts by one over its service time, so that short and long tasks matter by the time
/// that they take together. Figures that the trace says nothing about stay as they are; the others get `origin` as
/// their source. Values are rounded to four digits.
Figures fit_figures(const core::Plan& plan, const Replay& replay, const std::vector<bool>& held_out, Figures before,
                    const std::string& origin);

}  // namespace spillway::traces
