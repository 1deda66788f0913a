#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "experiments/crew/crew.hpp"
#include "experiments/experiment.hpp"
#include "experiments/runner.hpp"

namespace spillway::cli {

/// How the points of an experiment are run, and what is written beside them.
struct Engine {
  std::function<std::vector<experiments::PointResult>(const experiments::RunOptions&)> run;
  std::function<void(const std::filesystem::path&, const std::vector<experiments::PointResult>&)> write_tables;
};

/// In this process or, with a crew, by its workers: swap runs point by point, of pipelines the searches, which are all
/// of their work. Experiment and crew must outlive it. Throws InputError when a file that points name is bad.
Engine engine_of(const experiments::Experiment& experiment, crew::Crew* crew);

/// What all processes of one sweep agree in.
std::string identity_of(const experiments::Experiment& experiment);

/// A worker's life behind such a crew. Throws InputError as engine_of().
void serve_points(const experiments::Experiment& experiment);

}  // namespace spillway::cli
