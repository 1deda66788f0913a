#pragma once

#include <string>

#include "experiments/experiment.hpp"

namespace spillway::experiments {

/// The whole experiment with every parameter spelled out, itself an experiment file: parse_experiment gives the same
/// points, tables, timelines and published values.
std::string config_yaml(const Experiment& experiment);

}  // namespace spillway::experiments
