#include <algorithm>
#include <limits>
#include <ranges>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/experiment.hpp"
#include "platforms/catalogue.hpp"
#include "platforms/yaml_reader.hpp"

namespace spillway::experiments {
namespace {

using platforms::Fields;
using platforms::ProblemList;
using platforms::YamlDocument;
using platforms::YamlValue;

constexpr std::size_t most_points = 1'000'000;

const platforms::Catalogue& catalogue() {
  static const platforms::Catalogue experiments("experiment", "experiments");
  return experiments;
}

Block read_block(Fields& fields, const RunKind& kind) {
  Block block;
  for (const ParameterInfo& parameter : kind.parameters) {
    if (parameter.fallback && !fields.has(parameter.key)) {
      block.push_back({*parameter.fallback});
    } else {
      block.push_back(fields.one_or_more(parameter.key, parameter.reader));
    }
  }
  for (const Conflict& conflict : kind.conflicts(block))
    fields.problem(conflict.key, conflict.message);
  return block;
}

std::size_t combinations(const Block& block) {
  std::size_t product = 1;
  for (const std::vector<Value>& values : block) {
    product *= values.size();
    if (product > most_points) return product;
  }
  return product;
}

/// The last parameter varies fastest.
Point combination(const Block& block, std::size_t number) {
  Point point(block.size());
  for (std::size_t i = block.size(); i-- > 0;) {
    point[i] = block[i][number % block[i].size()];
    number /= block[i].size();
  }
  return point;
}

std::vector<Point> points_of(const std::vector<Block>& blocks, const RunKind& kind) {
  std::vector<Point> all;
  for (const Block& block : blocks) {
    for (std::size_t number = 0; number < combinations(block); ++number)
      all.push_back(combination(block, number));
  }
  kind.resolve(all);
  std::vector<Point> points;
  std::set<Point> seen;
  for (Point& point : all) {
    if (seen.insert(point).second) points.push_back(std::move(point));
  }
  return points;
}

Filter read_filter(Fields& fields, const RunKind& kind) {
  Filter filter;
  for (std::size_t i = 0; i < kind.parameters.size(); ++i) {
    const ParameterInfo& parameter = kind.parameters[i];
    if (!fields.has(parameter.key)) continue;
    filter.push_back({i, fields.one_or_more(parameter.key, parameter.reader)});
  }
  return filter;
}

bool matches(const Point& point, const Filter& filter) {
  return std::ranges::all_of(filter, [&](const Condition& condition) {
    return std::ranges::find(condition.values, point[condition.parameter]) != condition.values.end();
  });
}

std::string describe(const Filter& filter, const RunKind& kind) {
  std::vector<std::string> conditions;
  for (const Condition& condition : filter) {
    std::vector<std::string> values;
    for (const Value& value : condition.values)
      values.push_back(for_people(kind.parameters[condition.parameter], value));
    conditions.push_back(fmt::format("{} {}", kind.parameters[condition.parameter].key, fmt::join(values, " or ")));
  }
  return fmt::format("{}", fmt::join(conditions, ", "));
}

/// `10 frames`.
std::optional<std::uint32_t> read_frames(const YamlValue& value) {
  constexpr std::string_view unit = " frames";
  if (!value.node.scalar.ends_with(unit)) {
    value.problem(fmt::format("expected a number of frames as `10 frames`, found {}", platforms::describe(value.node)));
    return std::nullopt;
  }
  platforms::YamlNode number = value.node;
  number.scalar.resize(number.scalar.size() - unit.size());
  const auto count = platforms::integer(2, 1'000'000)({number, value.key, value.problems});
  return count ? std::optional(static_cast<std::uint32_t>(*count)) : std::nullopt;
}

/// Lower-case words with hyphens, as file names have.
std::optional<std::string> read_identifier(const YamlValue& value) {
  std::optional<std::string> name = platforms::text()(value);
  const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  if (name && !std::ranges::all_of(*name, allowed)) {
    value.problem(
        fmt::format("expected lower-case letters, digits and hyphens, found {}", platforms::describe(value.node)));
    return std::nullopt;
  }
  return name;
}

/// The published figure itself: a value with its tolerance, or a range.
void read_expectation(Fields& fields, Target& target) {
  const platforms::Unit unit =
      target.ratio_to.empty() && target.metric != nullptr ? target.metric->unit : platforms::Unit::ratio;
  const bool has_range = fields.has("range");
  if (has_range) {
    const std::vector<double> range = fields.list("range", platforms::quantity(unit));
    if (range.size() == 2 && range[0] <= range[1]) {
      target.low = range[0];
      target.high = range[1];
    } else if (range.size() >= 2) {
      fields.problem("range", "expected two figures, the lower one first");
    }
    for (const std::string_view key : {"value", "tolerance", "per"}) {
      if (fields.has(key)) fields.problem(key, "stands beside a range; give a value with its tolerance, or a range");
    }
    return;
  }
  if (!fields.has("value")) {
    fields.has("tolerance");
    fields.has("per");
    fields.problem("value", "is missing; expected a value with its tolerance, or a range");
    return;
  }
  target.value = fields.required("value", platforms::quantity(unit, platforms::positive));
  target.total_of_frames = fields.optional<std::uint32_t>("per", read_frames).value_or(1);
  if (target.kind == Kind::contradictory) {
    target.tolerance = fields.optional("tolerance", platforms::quantity(platforms::Unit::ratio)).value_or(0);
  } else {
    target.tolerance = fields.required("tolerance", platforms::quantity(platforms::Unit::ratio));
  }
}

/// What is known of the sweep when its published values and timelines are read.
struct Sweep {
  const RunKind& kind;
  const std::vector<Point>* points;  ///< null: the sweep has mistakes of its own
};

/// Finds the points that a target speaks of.
void find_points(Fields& fields, const Sweep& sweep, Target& target) {
  const std::vector<Point>& points = *sweep.points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (matches(points[i], target.where)) target.points.push_back(i);
  }
  if (target.points.empty()) {
    fields.problem("where", fmt::format("no point of the sweep has {}", describe(target.where, sweep.kind)));
  }
  if (target.ratio_to.empty()) return;
  for (const std::size_t i : target.points) {
    Point reference = points[i];
    for (const Condition& change : target.ratio_to)
      reference[change.parameter] = change.values.front();
    const auto found = std::ranges::find(points, reference);
    if (found == points.end()) {
      fields.problem("ratio_to",
                     fmt::format("the sweep has no point with {} beside the one with {}",
                                 describe(target.ratio_to, sweep.kind), describe(target.where, sweep.kind)));
      return;
    }
    target.references.push_back(static_cast<std::size_t>(found - points.begin()));
  }
}

Target read_target(Fields& fields, const Sweep& sweep) {
  Target target;
  target.id = fields.required<std::string>("id", read_identifier);
  std::vector<std::string> names;
  for (const Metric& one : sweep.kind.metrics)
    names.emplace_back(one.name);
  const std::string metric = fields.required("metric", platforms::choice(names));
  const auto found = std::ranges::find(sweep.kind.metrics, metric, &Metric::name);
  if (found != sweep.kind.metrics.end()) target.metric = &*found;
  const std::string kind = fields.required("kind", platforms::choice({"given", "derived", "fitted", "contradictory"}));
  for (const Kind candidate : {Kind::given, Kind::derived, Kind::fitted, Kind::contradictory}) {
    if (to_string(candidate) == kind) target.kind = candidate;
  }

  fields.map("where", [&](Fields& where) { target.where = read_filter(where, sweep.kind); });
  fields.optional_map("ratio_to", [&](Fields& changes) {
    target.ratio_to = read_filter(changes, sweep.kind);
    for (const Condition& change : target.ratio_to) {
      if (change.values.size() > 1)
        changes.problem(sweep.kind.parameters[change.parameter].key, "expected one value, not a list");
    }
  });
  read_expectation(fields, target);

  target.source = fields.required("source", platforms::text());
  target.fitted = fields.optional("fitted", platforms::text()).value_or("");
  target.expect_hit = fields.optional("expect", platforms::choice({"hit", "miss"})).value_or("hit") == "hit";
  target.reason = fields.optional("reason", platforms::text()).value_or("");
  const bool needs_reason = !target.expect_hit || target.kind == Kind::contradictory;
  if (needs_reason && !fields.has("reason")) {
    fields.problem("reason", "is missing; an expected miss and a contradiction need one");
  }
  if (!needs_reason && fields.has("reason")) {
    fields.problem("reason", "belongs to an expected miss or a contradiction; write `expect: miss` or remove it");
  }
  const bool filters_are_sound =
      std::ranges::none_of(target.where, [](const Condition& c) { return c.values.empty(); }) &&
      std::ranges::all_of(target.ratio_to, [](const Condition& c) { return c.values.size() == 1; });
  if (sweep.points != nullptr && filters_are_sound) find_points(fields, sweep, target);
  return target;
}

Timeline read_timeline(Fields& fields, const Sweep& sweep) {
  Timeline timeline;
  timeline.title = fields.required("title", platforms::text());
  Filter where;
  fields.map("where", [&](Fields& conditions) { where = read_filter(conditions, sweep.kind); });
  constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
  timeline.frame = static_cast<std::uint32_t>(fields.optional("frame", platforms::integer(0, most)).value_or(0));
  timeline.tile = static_cast<std::uint32_t>(fields.optional("tile", platforms::integer(0, most)).value_or(0));
  timeline.layer = fields.required("layer", platforms::text());
  timeline.span_s = fields.required("span", platforms::quantity(platforms::Unit::seconds, platforms::positive));
  const bool is_sound = std::ranges::none_of(where, [](const Condition& c) { return c.values.empty(); });
  if (sweep.points == nullptr || !is_sound) return timeline;
  const auto selects = [&](const Point& point) { return matches(point, where); };
  const auto found = std::ranges::find_if(*sweep.points, selects);
  if (const auto count = std::ranges::count_if(*sweep.points, selects); count != 1) {
    fields.problem("where", fmt::format("expected the one point that is drawn; {} points have {}", count,
                                        describe(where, sweep.kind)));
  }
  timeline.point = static_cast<std::size_t>(found - sweep.points->begin());
  return timeline;
}

/// Swap runs where the file does not say.
const RunKind* read_kind(Fields& fields) {
  std::vector<std::string> names;
  for (const RunKind* kind : run_kinds())
    names.emplace_back(kind->name);
  const std::string name = fields.optional("kind", platforms::choice(names)).value_or(names.front());
  return *std::ranges::find(run_kinds(), name, [](const RunKind* kind) { return kind->name; });
}

void read_blocks(Fields& fields, Experiment& experiment) {
  const auto read = [&](Fields& block) { experiment.blocks.push_back(read_block(block, *experiment.kind)); };
  fields.map("sweep", read);
  if (fields.has("also")) fields.list_of_maps("also", read);
  std::size_t all = 0;
  for (const Block& block : experiment.blocks)
    all += combinations(block);
  if (all > most_points) {
    fields.problem("sweep", fmt::format("has more than {} points; split it into several experiments", most_points));
  }
}

Experiment read(const YamlDocument& document) {
  ProblemList problems(document);
  Experiment experiment;
  {
    Fields fields(document.root(), problems);
    experiment.name = fields.required<std::string>("name", read_identifier);
    experiment.title = fields.required("title", platforms::text());
    experiment.paper = fields.optional("paper", platforms::text()).value_or("");
    experiment.question = fields.required("question", platforms::text());
    if (fields.has("notes")) experiment.notes = fields.list("notes", platforms::text());

    experiment.kind = read_kind(fields);
    const bool sound_so_far = problems.size() == 0;
    read_blocks(fields, experiment);
    // Published values are looked up only in a sweep that was understood: else every one of them would miss its point.
    const bool sound_sweep = sound_so_far && problems.size() == 0;
    if (sound_sweep) experiment.points = points_of(experiment.blocks, *experiment.kind);
    const Sweep sweep{*experiment.kind, sound_sweep ? &experiment.points : nullptr};
    if (fields.has("tables")) {
      std::vector<std::string> names;
      for (const Table table : experiment.kind->tables)
        names.emplace_back(to_string(table));
      for (const std::string& name : fields.list("tables", platforms::choice(names))) {
        const auto named = [&](Table table) { return to_string(table) == name; };
        experiment.tables.push_back(*std::ranges::find_if(experiment.kind->tables, named));
      }
    }
    if (experiment.kind->has_timelines && fields.has("timelines")) {
      fields.list_of_maps("timelines", [&](Fields& row) { experiment.timelines.push_back(read_timeline(row, sweep)); });
    }
    std::set<std::string> identifiers;
    if (fields.has("published")) {
      fields.list_of_maps("published", [&](Fields& row) {
        Target target = read_target(row, sweep);
        if (!target.id.empty() && !identifiers.insert(target.id).second) {
          row.problem("id", fmt::format("\"{}\" is the id of an earlier published value", target.id));
        }
        experiment.published.push_back(std::move(target));
      });
    }
  }
  problems.throw_if_any();
  return experiment;
}

}  // namespace

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::given:
      return "given";
    case Kind::derived:
      return "derived";
    case Kind::fitted:
      return "fitted";
    case Kind::contradictory:
      return "contradictory";
  }
  return "";
}

std::string_view to_string(Table table) {
  switch (table) {
    case Table::layers:
      return "layers";
    case Table::endurance:
      return "endurance";
    case Table::searches:
      return "searches";
  }
  return "";
}

Experiment load_experiment(std::string_view name_or_path) {
  return read(YamlDocument::open(catalogue().file_of(name_or_path)));
}

Experiment parse_experiment(std::string_view yaml, const std::string& file) {
  return read(YamlDocument::from_text(yaml, file));
}

std::vector<std::string> experiment_names() {
  return catalogue().names();
}

}  // namespace spillway::experiments
