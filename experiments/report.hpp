#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/comparison.hpp"
#include "experiments/experiment.hpp"
#include "experiments/runner.hpp"

namespace spillway::experiments {

/// Draws the figures of results directories with scripts/plot-figures, which reads only their CSV files. Gives the
/// reason when that did not succeed.
std::optional<std::string> draw_figures(const std::vector<std::filesystem::path>& directories);

/// Draws a comparison of two runs (the JSON of `spillway compare`, with timelines) with scripts/plot-comparison. The
/// picture appears whole or not at all. Gives the reason when that did not succeed.
std::optional<std::string> draw_comparison(const std::string& json, const std::filesystem::path& picture);

/// An experiment as the report shows it.
struct ReportSection {
  const Experiment& experiment;
  std::span<const PointResult> results;
  std::span<const Comparison> comparisons;
  std::filesystem::path directory;  ///< holds figures/*.svg
  std::string link;                 ///< the directory as the page refers to it
  std::string command;              ///< regenerates it
};

/// One HTML page that needs nothing else: figures inside, no scripts, no network. The same for the same results.
/// Throws trace::FileError when a figure cannot be read.
std::string report_page(std::span<const ReportSection> sections, const std::string& version);

/// Version of report.json; it changes when a key changes its meaning or name.
inline constexpr int report_schema = 1;

/// The page for programs: every experiment with every published value at every point. The same for the same results.
std::string report_json(std::span<const ReportSection> sections, const std::string& version);

}  // namespace spillway::experiments
