#pragma once

#include <optional>
#include <string>

#include "experiments/cli/request.hpp"
#include "models/split/schedule.hpp"
#include "sim/pipeline/machine_of.hpp"
#include "sim/pipeline/simulate.hpp"

namespace spillway::cli {

/// The cluster that a simulation runs on; a platform file alone does not say what its devices are. Notes every mistake
/// in `request`.
std::optional<pipeline::ClusterModel> read_cluster(const std::string& platform, Request& request);

// Options of a simulated run; a mistake is noted.
split::Communication read_communication(const std::string& text, Request& request);
pipeline::Wait read_wait(const std::string& text, Request& request);
pipeline::Progress read_progress(const std::string& text, Request& request);
pipeline::Driver read_driver(const std::string& option, const std::string& text, Request& request);

}  // namespace spillway::cli
