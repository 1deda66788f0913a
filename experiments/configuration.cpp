#include "experiments/configuration.hpp"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "experiments/parameters.hpp"
#include "platforms/units.hpp"

namespace spillway::experiments {
namespace {

/// A text between quotes; what JSON escapes is escaped the same way in YAML.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump();
}

/// A name or a path, in quotes where a sign of it could be one of YAML's.
std::string as_yaml(const std::string& text) {
  constexpr std::string_view harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/- ";
  return text.find_first_not_of(harmless) == std::string::npos ? text : quoted(text);
}

std::string as_yaml(const ParameterInfo& parameter, const Value& value) {
  if (parameter.is_size) return fmt::format("{} B", std::get<std::uint64_t>(value));
  return as_yaml(to_text(value));
}

/// `buffer: [16384 B, 32768 B]`
std::string as_yaml(const ParameterInfo& parameter, const std::vector<Value>& values) {
  std::vector<std::string> texts;
  for (const Value& value : values)
    texts.push_back(as_yaml(parameter, value));
  return fmt::format("{}: [{}]", parameter.key, fmt::join(texts, ", "));
}

std::string as_yaml(const Block& block, const RunKind& kind, std::string_view first_indent, std::string_view indent) {
  std::string text;
  for (std::size_t i = 0; i < block.size(); ++i)
    text += fmt::format("{}{}\n", i == 0 ? first_indent : indent, as_yaml(kind.parameters[i], block[i]));
  return text;
}

std::string as_yaml(const Filter& filter, const RunKind& kind) {
  std::vector<std::string> conditions;
  for (const Condition& condition : filter)
    conditions.push_back(as_yaml(kind.parameters[condition.parameter], condition.values));
  return fmt::format("{{{}}}", fmt::join(conditions, ", "));
}

/// The conditions that only this point fulfils.
Filter only(const Point& point, const RunKind& kind) {
  Filter filter;
  for (std::size_t i = 0; i < kind.parameters.size(); ++i)
    filter.push_back({i, {point[i]}});
  return filter;
}

std::string as_yaml(const Timeline& timeline, const Experiment& experiment) {
  return fmt::format("  - title: {}\n    where: {}\n    frame: {}\n    tile: {}\n    layer: {}\n    span: {}\n",
                     quoted(timeline.title),
                     as_yaml(only(experiment.points[timeline.point], *experiment.kind), *experiment.kind),
                     timeline.frame, timeline.tile, quoted(timeline.layer),
                     platforms::exact_quantity(timeline.span_s, platforms::Unit::seconds));
}

/// The value with its tolerance, or the range.
std::string expectation(const Target& target) {
  const platforms::Unit unit = target.ratio_to.empty() ? target.metric->unit : platforms::Unit::ratio;
  if (!target.value) {
    return fmt::format("    range: [{}, {}]\n", platforms::exact_quantity(target.low, unit),
                       platforms::exact_quantity(target.high, unit));
  }
  std::string text = fmt::format("    value: {}\n    tolerance: {}\n", platforms::exact_quantity(*target.value, unit),
                                 platforms::exact_quantity(target.tolerance, platforms::Unit::ratio));
  if (target.total_of_frames > 1) text += fmt::format("    per: {} frames\n", target.total_of_frames);
  return text;
}

std::string as_yaml(const Target& target, const RunKind& kind) {
  std::string text = fmt::format("  - id: {}\n    metric: {}\n    kind: {}\n    where: {}\n", target.id,
                                 target.metric->name, to_string(target.kind), as_yaml(target.where, kind));
  if (!target.ratio_to.empty()) text += fmt::format("    ratio_to: {}\n", as_yaml(target.ratio_to, kind));
  text += expectation(target);
  text += fmt::format("    source: {}\n", quoted(target.source));
  if (!target.fitted.empty()) text += fmt::format("    fitted: {}\n", quoted(target.fitted));
  if (!target.expect_hit) text += "    expect: miss\n";
  if (!target.reason.empty()) text += fmt::format("    reason: {}\n", quoted(target.reason));
  return text;
}

std::string heading(const Experiment& experiment) {
  std::string text = fmt::format("name: {}\ntitle: {}\n", experiment.name, quoted(experiment.title));
  if (!experiment.paper.empty()) text += fmt::format("paper: {}\n", quoted(experiment.paper));
  text += fmt::format("question: {}\n", quoted(experiment.question));
  if (experiment.kind != &swap_runs()) text += fmt::format("kind: {}\n", experiment.kind->name);
  if (!experiment.notes.empty()) text += "notes:\n";
  for (const std::string& note : experiment.notes)
    text += fmt::format("  - {}\n", quoted(note));
  return text;
}

}  // namespace

std::string config_yaml(const Experiment& experiment) {
  std::string text =
      heading(experiment) + "sweep:\n" + as_yaml(experiment.blocks.front(), *experiment.kind, "  ", "  ");
  if (experiment.blocks.size() > 1) text += "also:\n";
  for (const Block& block : std::span(experiment.blocks).subspan(1))
    text += as_yaml(block, *experiment.kind, "  - ", "    ");

  std::vector<std::string_view> tables;
  for (const Table table : experiment.tables)
    tables.push_back(to_string(table));
  if (!tables.empty()) text += fmt::format("tables: [{}]\n", fmt::join(tables, ", "));
  if (!experiment.timelines.empty()) text += "timelines:\n";
  for (const Timeline& timeline : experiment.timelines)
    text += as_yaml(timeline, experiment);
  if (!experiment.published.empty()) text += "published:\n";
  for (const Target& target : experiment.published)
    text += as_yaml(target, *experiment.kind);
  return text;
}

}  // namespace spillway::experiments
