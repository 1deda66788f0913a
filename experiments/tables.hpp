#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "experiments/experiment.hpp"
#include "experiments/runner.hpp"

namespace spillway::experiments {

/// Every layer of every point that has a plan: what it computes, what it moves when each tensor is moved once (W, Q, N
/// and its class, also over the published range), and the IO time as it was cut.
std::string layers_csv(const Experiment& experiment);

/// For every point with results, the years until each card of the table of endurance, as large as the point's card,
/// has reached what it endures: as the card amplifies writes, and in the worst case that each operation programs whole
/// erase blocks.
std::string endurance_csv(const Experiment& experiment, std::span<const PointResult> results);

/// The executed tasks of each timeline of the experiment, cut out of the whole run. Throws std::runtime_error for a
/// timeline whose layer, frame or tile the run does not have.
std::string timelines_csv(const Experiment& experiment);

/// Writes the files that the experiment asks for beside its results. Throws trace::FileError, and as above.
void write_tables(const std::filesystem::path& directory, const Experiment& experiment,
                  std::span<const PointResult> results);

}  // namespace spillway::experiments
