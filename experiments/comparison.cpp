#include "experiments/comparison.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "platforms/units.hpp"

namespace spillway::experiments {
namespace {

std::optional<double> metric_at(const PointResult& result, const Metric& metric, const RunKind& kind) {
  if (result.status != PointStatus::done) return std::nullopt;
  const std::optional<Value>& value = result.metrics[static_cast<std::size_t>(&metric - kind.metrics.data())];
  if (!value) return std::nullopt;
  if (const auto* count = std::get_if<std::uint64_t>(&*value)) return static_cast<double>(*count);
  if (const auto* figure = std::get_if<double>(&*value)) return *figure;
  return std::nullopt;
}

bool is_hit(const Comparison& comparison) {
  if (!comparison.ours) return false;
  const Target& target = *comparison.target;
  if (comparison.ratio) return std::abs(*comparison.ratio - 1) <= target.tolerance;
  return *comparison.ours >= target.low && *comparison.ours <= target.high;
}

Verdict judge(const Comparison& comparison) {
  const Target& target = *comparison.target;
  if (target.kind == Kind::contradictory) return Verdict::contradictory;
  if (is_hit(comparison)) return target.expect_hit ? Verdict::hit : Verdict::unexpected_hit;
  return target.expect_hit ? Verdict::miss : Verdict::known_miss;
}

std::string count_for_people(double count) {
  if (count < 1000 && count != std::floor(count)) return fmt::format("{:.3g}", count);
  const std::string digits = fmt::format("{:.0f}", count);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string figure_for_people(double value, const Comparison& comparison) {
  if (comparison.reference) return fmt::format("{:.3f}", value);
  switch (comparison.target->metric->unit) {
    case platforms::Unit::ratio:
      return count_for_people(value);
    case platforms::Unit::seconds:
      return fmt::format("{:.4g} s", value);
    case platforms::Unit::bytes:
      return platforms::format_bytes(static_cast<std::uint64_t>(std::llround(value)));
    default:
      return platforms::format_quantity(value, comparison.target->metric->unit);
  }
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::hit:
      return "hit";
    case Verdict::known_miss:
      return "known miss";
    case Verdict::miss:
      return "MISS";
    case Verdict::unexpected_hit:
      return "unexpected hit";
    case Verdict::contradictory:
      return "contradictory";
  }
  return "";
}

std::vector<Comparison> compare(const Experiment& experiment, std::span<const PointResult> results) {
  std::vector<Comparison> comparisons;
  for (const Target& target : experiment.published) {
    for (std::size_t i = 0; i < target.points.size(); ++i) {
      Comparison comparison;
      comparison.target = &target;
      comparison.point = target.points[i];
      comparison.ours = metric_at(results[comparison.point], *target.metric, *experiment.kind);
      if (!target.references.empty()) {
        comparison.reference = target.references[i];
        const std::optional<double> base = metric_at(results[*comparison.reference], *target.metric, *experiment.kind);
        if (comparison.ours && base && *base != 0) {
          *comparison.ours /= *base;
        } else {
          comparison.ours.reset();
        }
      }
      if (target.value) {
        comparison.published = *target.value / target.total_of_frames;
        if (comparison.ours) comparison.ratio = *comparison.ours / *comparison.published;
      }
      comparison.verdict = judge(comparison);
      comparisons.push_back(comparison);
    }
  }
  return comparisons;
}

bool has_unexpected_miss(std::span<const Comparison> comparisons) {
  return std::ranges::find(comparisons, Verdict::miss, &Comparison::verdict) != comparisons.end();
}

std::string describe_point(const Comparison& comparison, const Experiment& experiment) {
  const Point& point = experiment.points[comparison.point];
  std::vector<std::string> parts;
  for (const Condition& condition : comparison.target->where) {
    const Value& value = point[condition.parameter];
    const ParameterInfo& parameter = experiment.kind->parameters[condition.parameter];
    const std::string text = for_people(parameter, value);
    const bool needs_name = !std::holds_alternative<std::string>(value);
    parts.push_back(needs_name ? fmt::format("{} {}", parameter.key, text) : text);
  }
  std::string text = fmt::format("{}", fmt::join(parts, ", "));
  if (!comparison.reference) return text;
  std::vector<std::string> changes;
  for (const Condition& change : comparison.target->ratio_to) {
    const ParameterInfo& parameter = experiment.kind->parameters[change.parameter];
    changes.push_back(fmt::format("{} {}", parameter.key, for_people(parameter, change.values.front())));
  }
  return fmt::format("{} / {}", text, fmt::join(changes, ", "));
}

std::string describe_metric(const Comparison& comparison) {
  return std::string(comparison.target->metric->name) + (comparison.reference ? " ratio" : "");
}

std::string describe_published(const Comparison& comparison) {
  const Target& target = *comparison.target;
  if (!comparison.published) {
    return fmt::format("{} to {}", figure_for_people(target.low, comparison),
                       figure_for_people(target.high, comparison));
  }
  std::string frame = figure_for_people(*comparison.published, comparison);
  if (target.total_of_frames == 1) return frame;
  return fmt::format("{} ({} in {} frames)", frame, figure_for_people(*target.value, comparison),
                     target.total_of_frames);
}

std::string describe_ours(const Comparison& comparison) {
  return comparison.ours ? figure_for_people(*comparison.ours, comparison) : "-";
}

std::string describe_ratio(const Comparison& comparison) {
  return comparison.ratio ? fmt::format("{:.3f}", *comparison.ratio) : "";
}

std::string describe_tolerance(const Comparison& comparison) {
  if (comparison.target->kind == Kind::contradictory || !comparison.published) return "";
  return fmt::format("{:.3g} %", comparison.target->tolerance * 100);
}

}  // namespace spillway::experiments
