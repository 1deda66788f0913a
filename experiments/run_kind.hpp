#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/metrics.hpp"
#include "experiments/parameters.hpp"

namespace spillway::experiments {

/// The values of each parameter in one block of a sweep, in the order of its kind of runs; its points are all
/// combinations.
using Block = std::vector<std::vector<Value>>;

/// A further file that results get beside their points.
enum class Table : std::uint8_t {
  layers,     ///< layers.csv: W, Q, N, times and class of every layer of every point
  endurance,  ///< endurance.csv: years until the cells of real cards have reached what they endure
  searches,   ///< searches.csv: every mapping that the searches of a pipeline experiment evaluated
};
std::string_view to_string(Table table);

/// Values of one block that do not go together.
struct Conflict {
  std::string_view key;
  std::string message;
};

/// A file that a point refers to, and its name in a directory of results.
struct SourceFile {
  std::string name;
  std::filesystem::path path;
};

/// What the points of an experiment are: what can be varied, what comes out, and what a file may ask for.
struct RunKind {
  std::string_view name;  ///< in experiment files
  std::span<const ParameterInfo> parameters;
  std::span<const Metric> metrics;
  std::span<const Table> tables;
  bool has_timelines = false;
  std::string_view infeasible;  ///< what it means, for people
  std::vector<Conflict> (*conflicts)(const Block& block) = nullptr;
  /// Gives the words that stand for a value the value. Throws InputError when a file that it needs is bad.
  void (*resolve)(std::span<Point> points) = nullptr;
  /// Copied into results, in order, each once. Throws InputError for a name that is none.
  std::vector<SourceFile> (*sources)(std::span<const Point> points) = nullptr;
  /// Further files that results depend on, relative to the folder of the data.
  std::span<const std::string_view> shared_data;
};

/// One network on one board with a card: `swap`.
const RunKind& swap_runs();

/// One network over the devices of a cluster: `pipeline`.
const RunKind& pipeline_runs();

/// All of them; the first is that of a file that names none.
std::span<const RunKind* const> run_kinds();

}  // namespace spillway::experiments
