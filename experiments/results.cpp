#include "experiments/results.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <system_error>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "experiments/csv.hpp"
#include "platforms/catalogue.hpp"
#include "platforms/problems.hpp"
#include "platforms/yaml_document.hpp"
#include "sim/trace/output_file.hpp"

namespace spillway::experiments {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view unfinished_mark = ".partial-";
constexpr std::string_view record_file = "run.json";
constexpr std::string_view config_file = "config.yaml";
constexpr std::string_view journal_name = "points.journal";

std::string text_or_empty(const std::optional<double>& value) {
  return value ? to_text(*value) : "";
}

[[noreturn]] void refuse(const fs::path& path, const std::string& message) {
  throw platforms::InputError({platforms::Problem{path.string(), 0, 0, "", message}});
}

bool is_unfinished(const fs::path& file) {
  return file.filename().string().find(unfinished_mark) != std::string::npos;
}

/// Whether the directory holds results of this experiment, finished or not.
bool holds(const fs::path& path, const Experiment& experiment) {
  try {
    const auto document = platforms::YamlDocument::open(path / config_file);
    const platforms::YamlNode& root = document.root();
    return !root.keys.empty() && root.keys.front().name == "name" && root.items.front().scalar == experiment.name;
  } catch (const platforms::InputError&) {
    return false;
  }
}

bool holds_nothing(const fs::path& path) {
  return std::all_of(fs::directory_iterator(path), fs::directory_iterator(),
                     [](const fs::directory_entry& entry) { return is_unfinished(entry.path()); });
}

/// 0 where nothing is random; a list where points have several.
nlohmann::ordered_json seed_of(const Experiment& experiment) {
  const auto parameters = experiment.kind->parameters;
  const auto found = std::ranges::find(parameters, "seed", &ParameterInfo::key);
  if (found == parameters.end()) return 0;
  std::set<std::uint64_t> seeds;
  for (const Point& point : experiment.points)
    seeds.insert(point.count(found - parameters.begin()));
  return seeds.size() == 1 ? nlohmann::ordered_json(*seeds.begin()) : nlohmann::ordered_json(seeds);
}

std::string run_json(const Experiment& experiment, std::span<const PointResult> results,
                     std::span<const Comparison> comparisons, const RunRecord& record) {
  nlohmann::ordered_json json;
  json["schema"] = results_schema;
  json["experiment"] = experiment.name;
  json["command"] = record.command;
  json["version"] = record.version;
  json["configuration"] = configuration_of(experiment, record.version);
  json["seed"] = seed_of(experiment);
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  json["host"] = host.data();
  json["date"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now()));
  json["wall_s"] = record.wall_s;
  json["jobs"] = record.jobs;
  json["points"]["all"] = results.size();
  for (const PointStatus status :
       {PointStatus::done, PointStatus::infeasible, PointStatus::stalled, PointStatus::failed}) {
    json["points"][to_string(status)] = std::ranges::count(results, status, &PointResult::status);
  }
  json["published"]["all"] = comparisons.size();
  for (const Verdict verdict :
       {Verdict::hit, Verdict::known_miss, Verdict::miss, Verdict::unexpected_hit, Verdict::contradictory}) {
    json["published"][to_string(verdict)] = std::ranges::count(comparisons, verdict, &Comparison::verdict);
  }
  return json.dump(2) + "\n";
}

std::string read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A file that the points name.
struct Part {
  std::string name;  ///< in the results directory
  std::string text;
};

std::vector<Part> parts_of(const Experiment& experiment) {
  std::vector<Part> parts;
  for (const SourceFile& file : experiment.kind->sources(experiment.points))
    parts.push_back({file.name, read_file(file.path)});
  return parts;
}

void write_parts(const fs::path& path, const Experiment& experiment) {
  for (const Part& part : parts_of(experiment))
    trace::write_file(path / part.name, part.text);
}

/// The first line in which two texts differ, for people.
std::string first_difference(const std::string& there, const std::string& now) {
  std::istringstream a(there), b(now);
  std::string line_a, line_b;
  for (int number = 1;; ++number) {
    const bool more_a = static_cast<bool>(std::getline(a, line_a));
    const bool more_b = static_cast<bool>(std::getline(b, line_b));
    if (!more_a && !more_b) return "";
    const auto trimmed = [](bool more, const std::string& line) {
      return more ? line.substr(std::min(line.find_first_not_of(" -"), line.size())) : std::string("nothing");
    };
    if (more_a != more_b || line_a != line_b)
      return fmt::format("line {}: there `{}`, now `{}`", number, trimmed(more_a, line_a), trimmed(more_b, line_b));
  }
}

/// What makes the configuration that a directory was written with another one, as far as it can be told.
std::string what_differs(const fs::path& path, const Experiment& experiment, const std::string& version_there,
                         const std::string& version) {
  if (version_there != version) return fmt::format("version {} there, {} now", version_there, version);
  if (const auto text = first_difference(read_file(path / config_file), config_yaml(experiment)); !text.empty())
    return fmt::format("{} {}", config_file, text);
  for (const Part& part : parts_of(experiment)) {
    if (const auto text = first_difference(read_file(path / part.name), part.text); !text.empty())
      return fmt::format("{} {}", part.name, text);
  }
  return "the metrics differ";
}

}  // namespace

std::string configuration_of(const Experiment& experiment, const std::string& version) {
  std::string text = fmt::format("{}\n{}\n", results_schema, version);
  for (const Metric& metric : experiment.kind->metrics)
    text += fmt::format("{}\n", metric.name);
  for (const Point& point : experiment.points) {
    for (std::size_t p = 0; p < experiment.kind->parameters.size(); ++p)
      text += to_text(point[p]) + '\t';
    text += '\n';
  }
  for (const Part& part : parts_of(experiment))
    text += fmt::format("{}\n{}\n", part.name, part.text);
  for (const std::string_view file : experiment.kind->shared_data)
    text += read_file(platforms::data_directory() / file);
  return checksum(text);
}

std::string results_csv(const Experiment& experiment, std::span<const PointResult> results) {
  std::vector<std::string> fields = {"point"};
  const RunKind& kind = *experiment.kind;
  for (const ParameterInfo& parameter : kind.parameters)
    fields.emplace_back(parameter.column);
  fields.insert(fields.end(), {"status", "reason"});
  for (const Metric& metric : kind.metrics)
    fields.emplace_back(metric.name);
  std::string csv = csv_line(fields);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const PointResult& result = results[i];
    fields = {fmt::format("{}", i + 1)};
    for (std::size_t p = 0; p < kind.parameters.size(); ++p)
      fields.push_back(to_text(experiment.points[i][p]));
    fields.insert(fields.end(), {std::string(to_string(result.status)), result.reason});
    for (std::size_t m = 0; m < kind.metrics.size(); ++m) {
      const bool has_value = result.status == PointStatus::done && result.metrics[m];
      fields.push_back(has_value ? to_text(*result.metrics[m]) : "");
    }
    csv += csv_line(fields);
  }
  return csv;
}

std::string comparison_csv(std::span<const Comparison> comparisons) {
  std::vector<std::string> fields = {"id",
                                     "metric",
                                     "point",
                                     "reference_point",
                                     "kind",
                                     "published",
                                     "total_of_frames",
                                     "published_per_frame",
                                     "published_low",
                                     "published_high",
                                     "ours",
                                     "ratio",
                                     "tolerance",
                                     "verdict",
                                     "fitted",
                                     "reason",
                                     "source"};
  std::string csv = csv_line(fields);
  for (const Comparison& comparison : comparisons) {
    const Target& target = *comparison.target;
    const bool is_range = !target.value;
    fields = {target.id,
              std::string(target.metric->name),
              fmt::format("{}", comparison.point + 1),
              comparison.reference ? fmt::format("{}", *comparison.reference + 1) : "",
              std::string(to_string(target.kind)),
              text_or_empty(target.value),
              fmt::format("{}", target.total_of_frames),
              text_or_empty(comparison.published),
              is_range ? to_text(target.low) : "",
              is_range ? to_text(target.high) : "",
              text_or_empty(comparison.ours),
              text_or_empty(comparison.ratio),
              is_range ? "" : to_text(target.tolerance),
              std::string(to_string(comparison.verdict)),
              target.fitted,
              target.reason,
              target.source};
    csv += csv_line(fields);
  }
  return csv;
}

ResultsDirectory::ResultsDirectory(fs::path path, const Experiment& experiment, bool force)
    : path_(std::move(path)), metrics_of_a_run_(experiment.kind->metrics.size()) {
  std::error_code error;
  if (fs::exists(path_, error) && !fs::is_directory(path_, error)) refuse(path_, "is no directory; results need one");
  fs::create_directories(path_, error);
  if (error) refuse(path_, fmt::format("cannot be made: {}", error.message()));
  try {
    const trace::OutputFile probe(path_ / record_file);
    if (force || holds_nothing(path_) || holds(path_, experiment)) return;
  } catch (const trace::FileError& failure) {
    refuse(path_, fmt::format("cannot be written: {}", failure.what()));
  }
  refuse(path_,
         fmt::format("is not empty and holds no results of experiment {}; choose another directory with --output, "
                     "or let --force write into it",
                     experiment.name));
}

fs::path ResultsDirectory::journal_file() const {
  return path_ / journal_name;
}

void ResultsDirectory::refuse_unfinished() const {
  const auto journal = read_journal(journal_file(), metrics_of_a_run_);
  if (!journal || journal->finished == 0) return;
  refuse(path_, fmt::format("holds a sweep of {} that was interrupted after {} of {} points; `spillway sweep` with "
                            "--resume continues it, --force begins anew and discards them",
                            journal->header.experiment, journal->finished, journal->header.points));
}

bool ResultsDirectory::is_complete(const Experiment& experiment, const std::string& version,
                                   std::size_t& failures) const {
  const nlohmann::json run = nlohmann::json::parse(read_file(path_ / record_file), nullptr, false);
  if (!run.is_object()) return false;
  if (run.value("configuration", "") != configuration_of(experiment, version)) {
    refuse(path_, fmt::format("holds finished results of another configuration ({}); without --resume they are "
                              "replaced, or choose another directory with --output",
                              what_differs(path_, experiment, run.value("version", ""), version)));
  }
  // Other tables, timelines or published values for the same points.
  if (read_file(path_ / config_file) != config_yaml(experiment)) return false;
  failures = run["points"].value("failed", std::size_t{}) +
             run["published"].value(std::string(to_string(Verdict::miss)), std::size_t{});
  return true;
}

std::optional<JournalContent> ResultsDirectory::unfinished(const Experiment& experiment,
                                                           const std::string& version) const {
  auto journal = read_journal(journal_file(), metrics_of_a_run_);
  if (!journal) return std::nullopt;
  const JournalHeader& header = journal->header;
  if (header.experiment != experiment.name || header.points != experiment.points.size() ||
      header.configuration != configuration_of(experiment, version)) {
    refuse(path_, fmt::format("was begun with another configuration ({}); resume with the same one, choose another "
                              "directory with --output, or let --force without --resume begin anew",
                              what_differs(path_, experiment, header.version, version)));
  }
  return journal;
}

std::unique_ptr<Journal> ResultsDirectory::begin(const Experiment& experiment, const std::string& version,
                                                 const std::optional<JournalContent>& earlier) const {
  if (earlier) return std::make_unique<Journal>(journal_file(), *earlier);
  // A journal of another configuration must not stand beside what is written now.
  fs::remove(journal_file());
  remove_outdated();
  trace::write_file(path_ / config_file, config_yaml(experiment));
  write_parts(path_, experiment);
  return std::make_unique<Journal>(
      journal_file(),
      JournalHeader{experiment.name, version, configuration_of(experiment, version), experiment.points.size()});
}

void ResultsDirectory::remove_outdated() const {
  std::vector<fs::path> outdated;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_)) {
    const std::string name = entry.path().filename().string();
    const bool is_part = name.ends_with(".yaml") && (name.starts_with("board-") || name.starts_with("card-") ||
                                                     name.starts_with("cluster-") || name.starts_with("computer-"));
    if (name == record_file || is_part || is_unfinished(entry.path())) outdated.push_back(entry.path());
  }
  std::error_code ignored;
  for (const fs::path& file : outdated)
    fs::remove(file, ignored);
  // They are drawn from the tables.
  fs::remove_all(path_ / "figures", ignored);
}

void ResultsDirectory::write(const Experiment& experiment, std::span<const PointResult> results,
                             std::span<const Comparison> comparisons, const RunRecord& record) const {
  remove_outdated();
  trace::write_file(path_ / config_file, config_yaml(experiment));
  write_parts(path_, experiment);
  trace::write_file(path_ / "results.csv", results_csv(experiment, results));
  trace::write_file(path_ / "comparison.csv", comparison_csv(comparisons));
  trace::write_file(path_ / record_file, run_json(experiment, results, comparisons, record));
  std::error_code ignored;
  fs::remove(journal_file(), ignored);
}

}  // namespace spillway::experiments
