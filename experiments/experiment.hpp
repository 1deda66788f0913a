#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/metrics.hpp"
#include "experiments/parameters.hpp"
#include "experiments/run_kind.hpp"

namespace spillway::experiments {

/// Points whose parameter has one of the values.
struct Condition {
  std::size_t parameter = 0;  ///< its place among those of the kind of runs
  std::vector<Value> values;
};
using Filter = std::vector<Condition>;

/// What a published value is.
enum class Kind : std::uint8_t {
  given,          ///< stated in the paper
  derived,        ///< follows from the paper by arithmetic, which the source shows
  fitted,         ///< chosen by us because it reproduces given values
  contradictory,  ///< the paper contradicts it: shown, not judged
};
std::string_view to_string(Kind kind);

/// A published value, and what it is compared with.
struct Target {
  std::string id;
  const Metric* metric = nullptr;
  Filter where;
  /// Where not empty, ours is the metric at a point divided by the metric at the same point with these changes.
  Filter ratio_to;

  std::optional<double> value;        ///< as stated, in base units; nothing: a range
  double tolerance = 0;               ///< largest |ours / value - 1| of a hit
  double low = 0, high = 0;           ///< the range of a hit
  std::uint32_t total_of_frames = 1;  ///< value is a total of so many frames; a frame's share is compared

  Kind kind = Kind::given;
  std::string source;  ///< the paper's sentence, or the derivation
  std::string fitted;  ///< what of ours was chosen with this value in view; empty: the value judges
  bool expect_hit = true;
  std::string reason;  ///< of an expected miss or a contradiction

  std::vector<std::size_t> points;      ///< that `where` selects; each is judged
  std::vector<std::size_t> references;  ///< for each of the points the one that ratio_to leads to; empty without
};

/// A piece of the schedule of one point, drawn as it was executed.
struct Timeline {
  std::string title;
  std::size_t point = 0;
  std::uint32_t frame = 0, tile = 0;  ///< the drawing starts with the first task of this tile and frame
  std::string layer;                  ///< of this layer
  double span_s = 0;                  ///< and is so long
};

/// A question with the sweep that answers it and the values it is held against.
struct Experiment {
  std::string name;  ///< names the results directory
  std::string title;
  std::string paper;  ///< reference
  std::string question;
  const RunKind* kind = &swap_runs();
  std::vector<std::string> notes;  ///< for the report
  std::vector<Block> blocks;
  std::vector<Point> points;  ///< of all blocks, in order, each once
  std::vector<Table> tables;
  std::vector<Timeline> timelines;
  std::vector<Target> published;
};

/// Reads an experiment by the name of a file in experiments/, or by a path.
/// Throws InputError with every mistake of the file; a published value that no point of the sweep has is one.
Experiment load_experiment(std::string_view name_or_path);

/// The same from text; `file` stands for the file in errors.
Experiment parse_experiment(std::string_view yaml, const std::string& file);

/// The names that load_experiment knows, sorted.
std::vector<std::string> experiment_names();

}  // namespace spillway::experiments
