#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "hw/mpi/deployment.hpp"
#include "sim/pipeline/machine_of.hpp"
#include "sim/pipeline/simulate.hpp"

namespace spillway::cli {

/// A simulated run of a split network, as its reports show it.
struct PipelineRun {
  const mpi::Deployment& deployment;
  const pipeline::ClusterModel& cluster;
  const pipeline::Program& program;
  const pipeline::Options& options;
  const pipeline::Result& result;
  bool overcommitted = false;  ///< a board has less memory than its ranks need
};

std::string_view to_string(split::Communication communication);
std::string_view to_string(pipeline::Driver driver);
std::string_view to_string(pipeline::Wait wait);
std::string_view to_string(pipeline::Progress progress);

/// What a board's ranks need, part by part: `weights 574 MB, ...`.
std::string memory_text(const pipeline::Result& result, const pipeline::Program& program, std::size_t device);

/// Rates, ranks and boards as text.
std::string for_people(const PipelineRun& run);

/// The same as JSON; keys carry their units.
std::string to_json(const PipelineRun& run, const std::string& command);

/// One line for each rank, and one for each board.
std::string ranks_csv(const PipelineRun& run);
std::string boards_csv(const PipelineRun& run);

}  // namespace spillway::cli
