#include <algorithm>
#include <limits>
#include <map>
#include <ranges>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/experiment.hpp"
#include "platforms/board.hpp"
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

Block read_block(Fields& fields) {
  Block block;
  for (std::size_t i = 0; i < parameter_count; ++i) {
    const ParameterInfo& parameter = parameters()[i];
    if (parameter.fallback && !fields.has(parameter.key)) {
      block[i] = {*parameter.fallback};
    } else {
      block[i] = fields.one_or_more(parameter.key, parameter.reader);
    }
  }
  const auto has = [&](Parameter parameter, const auto&... names) {
    return std::ranges::any_of(block[static_cast<std::size_t>(parameter)],
                               [&](const Value& value) { return ((value == Value(names)) || ...); });
  };
  if (has(Parameter::element, "float32") && has(Parameter::rule, "paper", "paper-counts")) {
    fields.problem("element",
                   "rules paper and paper-counts count one byte an element, whatever its type; sweep float32 in a "
                   "block of its own with `rule: [halo, min-traffic]`");
  }
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
  Point point;
  for (std::size_t i = parameter_count; i-- > 0;) {
    point[static_cast<Parameter>(i)] = block[i][number % block[i].size()];
    number /= block[i].size();
  }
  return point;
}

/// Gives the words that stand for a value the value. Throws InputError when a board file is bad.
void resolve(Point& point, std::map<std::string, double>& contentions) {
  if (std::holds_alternative<std::string>(point[Parameter::window])) {
    point[Parameter::window] = point[Parameter::frames];
  }
  point[Parameter::window] = std::min(point.count(Parameter::window), point.count(Parameter::frames));
  if (std::holds_alternative<std::string>(point[Parameter::contention])) {
    const std::string& board = point.name(Parameter::board);
    if (!contentions.contains(board)) contentions.emplace(board, platforms::load_board(board).contention.value);
    point[Parameter::contention] = contentions.at(board);
  }
}

std::vector<Point> points_of(const std::vector<Block>& blocks) {
  std::map<std::string, double> contentions;
  std::vector<Point> points;
  std::set<Point> seen;
  for (const Block& block : blocks) {
    for (std::size_t number = 0; number < combinations(block); ++number) {
      Point point = combination(block, number);
      resolve(point, contentions);
      if (seen.insert(point).second) points.push_back(std::move(point));
    }
  }
  return points;
}

Filter read_filter(Fields& fields) {
  Filter filter;
  for (std::size_t i = 0; i < parameter_count; ++i) {
    const ParameterInfo& parameter = parameters()[i];
    if (!fields.has(parameter.key)) continue;
    filter.push_back({static_cast<Parameter>(i), fields.one_or_more(parameter.key, parameter.reader)});
  }
  return filter;
}

bool matches(const Point& point, const Filter& filter) {
  return std::ranges::all_of(filter, [&](const Condition& condition) {
    return std::ranges::find(condition.values, point[condition.parameter]) != condition.values.end();
  });
}

std::string describe(const Filter& filter) {
  std::vector<std::string> conditions;
  for (const Condition& condition : filter) {
    std::vector<std::string> values;
    for (const Value& value : condition.values)
      values.push_back(for_people(condition.parameter, value));
    conditions.push_back(fmt::format("{} {}", info(condition.parameter).key, fmt::join(values, " or ")));
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
  const std::optional<std::string> name = platforms::text()(value);
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

/// Finds the points that a target speaks of.
void find_points(Fields& fields, const std::vector<Point>& points, Target& target) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (matches(points[i], target.where)) target.points.push_back(i);
  }
  if (target.points.empty()) {
    fields.problem("where", fmt::format("no point of the sweep has {}", describe(target.where)));
  }
  if (target.ratio_to.empty()) return;
  for (const std::size_t i : target.points) {
    Point reference = points[i];
    for (const Condition& change : target.ratio_to)
      reference[change.parameter] = change.values.front();
    const auto found = std::ranges::find(points, reference);
    if (found == points.end()) {
      fields.problem("ratio_to", fmt::format("the sweep has no point with {} beside the one with {}",
                                             describe(target.ratio_to), describe(target.where)));
      return;
    }
    target.references.push_back(static_cast<std::size_t>(found - points.begin()));
  }
}

Target read_target(Fields& fields, const std::vector<Point>* points) {
  Target target;
  target.id = fields.required<std::string>("id", read_identifier);
  std::vector<std::string> names;
  for (const Metric& metric : metrics())
    names.emplace_back(metric.name);
  const std::string metric = fields.required("metric", platforms::choice(names));
  const auto found = std::ranges::find(metrics(), metric, &Metric::name);
  if (found != metrics().end()) target.metric = &*found;
  const std::string kind = fields.required("kind", platforms::choice({"given", "derived", "fitted", "contradictory"}));
  for (const Kind candidate : {Kind::given, Kind::derived, Kind::fitted, Kind::contradictory}) {
    if (to_string(candidate) == kind) target.kind = candidate;
  }

  fields.map("where", [&](Fields& where) { target.where = read_filter(where); });
  fields.optional_map("ratio_to", [&](Fields& changes) {
    target.ratio_to = read_filter(changes);
    for (const Condition& change : target.ratio_to) {
      if (change.values.size() > 1) changes.problem(info(change.parameter).key, "expected one value, not a list");
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
  if (points != nullptr && filters_are_sound) find_points(fields, *points, target);
  return target;
}

Timeline read_timeline(Fields& fields, const std::vector<Point>* points) {
  Timeline timeline;
  timeline.title = fields.required("title", platforms::text());
  Filter where;
  fields.map("where", [&](Fields& conditions) { where = read_filter(conditions); });
  constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
  timeline.frame = static_cast<std::uint32_t>(fields.optional("frame", platforms::integer(0, most)).value_or(0));
  timeline.tile = static_cast<std::uint32_t>(fields.optional("tile", platforms::integer(0, most)).value_or(0));
  timeline.layer = fields.required("layer", platforms::text());
  timeline.span_s = fields.required("span", platforms::quantity(platforms::Unit::seconds, platforms::positive));
  const bool is_sound = std::ranges::none_of(where, [](const Condition& c) { return c.values.empty(); });
  if (points == nullptr || !is_sound) return timeline;
  const auto selects = [&](const Point& point) { return matches(point, where); };
  const auto found = std::ranges::find_if(*points, selects);
  if (const auto count = std::ranges::count_if(*points, selects); count != 1) {
    fields.problem("where",
                   fmt::format("expected the one point that is drawn; {} points have {}", count, describe(where)));
  }
  timeline.point = static_cast<std::size_t>(found - points->begin());
  return timeline;
}

void read_blocks(Fields& fields, Experiment& experiment) {
  const auto read = [&](Fields& block) { experiment.blocks.push_back(read_block(block)); };
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

    const bool sound_so_far = problems.size() == 0;
    read_blocks(fields, experiment);
    // Published values are looked up only in a sweep that was understood: else every one of them would miss its point.
    const bool sound_sweep = sound_so_far && problems.size() == 0;
    if (sound_sweep) experiment.points = points_of(experiment.blocks);
    if (fields.has("tables")) {
      for (const std::string& name : fields.list("tables", platforms::choice({"layers", "endurance"}))) {
        experiment.tables.push_back(name == to_string(Table::layers) ? Table::layers : Table::endurance);
      }
    }
    if (fields.has("timelines")) {
      fields.list_of_maps("timelines", [&](Fields& row) {
        experiment.timelines.push_back(read_timeline(row, sound_sweep ? &experiment.points : nullptr));
      });
    }
    std::set<std::string> identifiers;
    if (fields.has("published")) {
      fields.list_of_maps("published", [&](Fields& row) {
        Target target = read_target(row, sound_sweep ? &experiment.points : nullptr);
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
  return table == Table::layers ? "layers" : "endurance";
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
