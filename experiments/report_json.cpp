#include <algorithm>

#include <nlohmann/json.hpp>

#include "experiments/report.hpp"

namespace spillway::experiments {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json json_of(const Value& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

Json verdict_counts(std::span<const Comparison> comparisons) {
  Json counts;
  for (const Verdict verdict :
       {Verdict::hit, Verdict::known_miss, Verdict::miss, Verdict::unexpected_hit, Verdict::contradictory}) {
    counts[to_string(verdict)] = std::ranges::count(comparisons, verdict, &Comparison::verdict);
  }
  return counts;
}

/// What a row is evidence of: `judged`, `fitted` (ours was chosen with it in view), `shown` (not judged).
std::string_view use_of(const Target& target) {
  if (target.kind == Kind::contradictory) return "shown";
  return target.fitted.empty() ? "judged" : "fitted";
}

Json row_of(const Comparison& comparison, const ReportSection& section) {
  const Target& target = *comparison.target;
  Json row;
  row["id"] = target.id;
  row["metric"] = target.metric->name;
  row["point"] = comparison.point + 1;
  row["reference_point"] = comparison.reference ? Json(*comparison.reference + 1) : Json();
  row["at"] = describe_point(comparison, section.experiment);
  const RunKind& kind = *section.experiment.kind;
  for (std::size_t p = 0; p < kind.parameters.size(); ++p)
    row["parameters"][kind.parameters[p].column] = json_of(section.experiment.points[comparison.point][p]);
  row["ours"] = number_or_null(comparison.ours);
  row["published"] = number_or_null(comparison.published);
  row["published_as_stated"] = number_or_null(target.value);
  row["total_of_frames"] = target.total_of_frames;
  row["published_range"] = target.value ? Json() : Json::array({target.low, target.high});
  row["ratio"] = number_or_null(comparison.ratio);
  row["tolerance"] = target.value ? Json(target.tolerance) : Json();
  row["verdict"] = to_string(comparison.verdict);
  row["kind"] = to_string(target.kind);
  row["use"] = use_of(target);
  row["fitted"] = text_or_null(target.fitted);
  row["source"] = target.source;
  row["reason"] = text_or_null(target.reason);
  row["command"] = section.command;
  return row;
}

Json json_of(const ReportSection& section) {
  const Experiment& experiment = section.experiment;
  Json json;
  json["name"] = experiment.name;
  json["title"] = experiment.title;
  json["question"] = experiment.question;
  json["paper"] = text_or_null(experiment.paper);
  json["command"] = section.command;
  json["directory"] = section.link;
  json["points"]["all"] = section.results.size();
  for (const PointStatus status :
       {PointStatus::done, PointStatus::infeasible, PointStatus::stalled, PointStatus::failed}) {
    json["points"][to_string(status)] = std::ranges::count(section.results, status, &PointResult::status);
  }
  json["verdicts"] = verdict_counts(section.comparisons);
  json["notes"] = experiment.notes;
  json["rows"] = Json::array();
  for (const Comparison& comparison : section.comparisons)
    json["rows"].push_back(row_of(comparison, section));
  return json;
}

}  // namespace

std::string report_json(std::span<const ReportSection> sections, const std::string& version) {
  Json json;
  json["schema"] = report_schema;
  json["version"] = version;
  std::vector<Comparison> all;
  for (const ReportSection& section : sections)
    all.insert(all.end(), section.comparisons.begin(), section.comparisons.end());
  json["verdicts"] = verdict_counts(all);
  json["experiments"] = Json::array();
  for (const ReportSection& section : sections)
    json["experiments"].push_back(json_of(section));
  return json.dump(2) + "\n";
}

}  // namespace spillway::experiments
