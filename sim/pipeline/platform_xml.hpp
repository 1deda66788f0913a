#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/pipeline/machine.hpp"
#include "sim/pipeline/program.hpp"

/// A machine as `smpirun` takes it, so that a generated program runs on the platform that run_simgrid simulates.
namespace spillway::pipeline {

/// SimGrid's platform file: for each device a host with its cores and one for its GPU, whose unit of work is a
/// nanosecond, a link for each direction, and the routes of paths.hpp.
std::string platform_xml(const Machine& machine);

/// The hosts of the ranks, a line for each.
std::string hostfile(std::span<const Placement> placements, const Machine& machine);

/// Settings of smpirun (`--cfg=...`) that make SMPI's messages those of run_simgrid: the same model of the network,
/// and nothing that costs time beside it. Messages up to the eager limit leave at once and do not hold up a standard
/// send; the library that charges the time of cores for messages does so itself.
std::vector<std::string> smpi_settings(const Machine& machine);

}  // namespace spillway::pipeline
