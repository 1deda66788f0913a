#include "experiments/explore/files.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "experiments/csv.hpp"
#include "platforms/problems.hpp"
#include "sim/trace/output_file.hpp"

namespace spillway::explore {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr const char* journal_file = "search.journal";
constexpr const char* record_file = "explore.json";

[[noreturn]] void refuse(const fs::path& path, const std::string& message) {
  throw platforms::InputError({{path.string(), 0, 0, "", message}});
}

/// The shortest decimal that reads back to the same double.
std::string exact(double value) {
  return fmt::format("{}", value);
}

ordered_json json_of(const Segment& segment) {
  return {segment.begin, segment.end, segment.device, static_cast<int>(segment.kind), segment.core};
}

Segment segment_of(const ordered_json& json) {
  return {json.at(0), json.at(1), json.at(2), static_cast<Kind>(json.at(3).get<int>()), json.at(4)};
}

/// What a generation added; `volumes` are those of the generations since the line before.
std::string generation_line(const SearchState& state, std::span<const Evaluated> added,
                            std::span<const double> volumes) {
  ordered_json archive = ordered_json::array();
  for (const Evaluated& each : added) {
    ordered_json mapping = ordered_json::array();
    for (const Segment& segment : each.mapping)
      mapping.push_back(json_of(segment));
    const Worth& worth = each.worth;
    archive.push_back({{"generation", each.generation},
                       {"worth", {worth.throughput_per_s, worth.energy_j, worth.memory_bytes, worth.latency_s}},
                       {"mapping", mapping}});
  }
  return ordered_json{{"generation", state.generation},
                      {"population", state.population},
                      {"hypervolumes", volumes},
                      {"archive", archive}}
      .dump();
}

void add_generation(const ordered_json& json, SearchDirectory::Unfinished& found) {
  found.state.generation = json.at("generation");
  found.state.population = json.at("population").get<std::vector<Genes>>();
  for (const ordered_json& volume : json.at("hypervolumes"))
    found.volumes.push_back(volume);
  for (const ordered_json& each : json.at("archive")) {
    Evaluated evaluated;
    for (const ordered_json& segment : each.at("mapping"))
      evaluated.mapping.push_back(segment_of(segment));
    const ordered_json& worth = each.at("worth");
    evaluated.worth = {worth.at(0), worth.at(1), worth.at(2), worth.at(3)};
    evaluated.generation = each.at("generation");
    found.archive.push_back(std::move(evaluated));
  }
}

std::string archive_csv(const Search& search, const Space& space) {
  const std::vector<std::size_t> front = search.front();
  const std::set<std::size_t> members(front.begin(), front.end());
  std::string text =
      experiments::csv_line(std::vector<std::string>{"number", "generation", "throughput_per_s", "energy_per_frame_j",
                                                     "memory_bytes", "latency_s", "ranks", "front", "mapping"});
  for (std::size_t i = 0; i < search.archive().size(); ++i) {
    const Evaluated& each = search.archive()[i];
    text += experiments::csv_line(std::vector<std::string>{
        std::to_string(i + 1), std::to_string(each.generation), exact(each.worth.throughput_per_s),
        exact(each.worth.energy_j), exact(each.worth.memory_bytes), exact(each.worth.latency_s),
        std::to_string(each.mapping.size()), members.contains(i) ? "yes" : "no", space.describe(each.mapping)});
  }
  return text;
}

std::size_t devices_of(const Mapping& mapping) {
  std::set<std::size_t> devices;
  for (const Segment& segment : mapping)
    devices.insert(segment.device);
  return devices.size();
}

std::string front_csv(const Space& space, const std::vector<FrontMember>& front) {
  std::string text = experiments::csv_line(std::vector<std::string>{
      "number", "throughput_per_s", "energy_per_frame_j", "memory_bytes", "latency_s", "simgrid_throughput_per_s",
      "simgrid_energy_per_frame_j", "simgrid_latency_s", "ranks", "devices", "file", "mapping"});
  for (std::size_t i = 0; i < front.size(); ++i) {
    const FrontMember& member = front[i];
    const Worth& worth = member.evaluated.worth;
    text += experiments::csv_line(std::vector<std::string>{
        std::to_string(i + 1), exact(worth.throughput_per_s), exact(worth.energy_j), exact(worth.memory_bytes),
        exact(worth.latency_s), exact(member.simgrid.throughput_per_s), exact(member.simgrid.energy_j),
        exact(member.simgrid.latency_s), std::to_string(member.evaluated.mapping.size()),
        std::to_string(devices_of(member.evaluated.mapping)), "mappings/" + mapping_file(i),
        space.describe(member.evaluated.mapping)});
  }
  return text;
}

std::string volumes_csv(const std::vector<double>& volumes) {
  std::string text = experiments::csv_line(std::vector<std::string>{"generation", "hypervolume"});
  for (std::size_t generation = 0; generation < volumes.size(); ++generation)
    text += experiments::csv_line(std::vector<std::string>{std::to_string(generation), exact(volumes[generation])});
  return text;
}

}  // namespace

std::string mapping_file(std::size_t position) {
  return fmt::format("front-{:03}.json", position + 1);
}

SearchDirectory::SearchDirectory(fs::path path, std::string configuration, bool force)
    : path_(std::move(path)), configuration_(std::move(configuration)) {
  std::error_code error;
  if (fs::exists(path_, error) && !fs::is_directory(path_, error)) refuse(path_, "is a file; expected a folder");
  fs::create_directories(path_, error);
  if (error) refuse(path_, fmt::format("cannot be made: {}", error.message()));
  const bool ours = fs::exists(path_ / journal_file, error) || fs::exists(path_ / record_file, error);
  if (!fs::is_empty(path_, error) && !ours && !force)
    refuse(path_, "holds other files; expected a new folder, or --force");
  // A finished search of the same configuration would be written again as it is.
  std::ifstream record(path_ / record_file);
  if (!record || force) return;
  const ordered_json finished = ordered_json::parse(record, nullptr, false);
  if (!finished.is_object() || finished.value("configuration", "") != configuration_)
    refuse(path_, "holds a search of another network, cluster, options or seed; expected a new folder, or --force");
}

std::optional<SearchDirectory::Unfinished> SearchDirectory::unfinished(const Space& space) const {
  const fs::path file = path_ / journal_file;
  std::ifstream stream(file);
  std::string line;
  if (!stream || !std::getline(stream, line) || stream.eof()) return std::nullopt;
  try {
    if (ordered_json::parse(line).at("configuration") != configuration_)
      refuse(file, "is of another search; expected the same network, cluster, options and seed, or another folder");
    Unfinished found;
    // A line without its end was being written when the search was killed.
    while (std::getline(stream, line) && !stream.eof())
      add_generation(ordered_json::parse(line), found);
    if (found.volumes.empty()) return std::nullopt;
    for (const Genes& genes : found.state.population)
      if (genes.size() != space.genes()) refuse(file, "is damaged: an individual has another number of genes");
    return found;
  } catch (const ordered_json::exception& broken) {
    refuse(file, fmt::format("is damaged: {}", broken.what()));
  }
}

void SearchDirectory::begin(const std::optional<Unfinished>& earlier) {
  const fs::path file = path_ / journal_file;
  std::string text = ordered_json{{"configuration", configuration_}}.dump() + "\n";
  saved_ = 0;
  if (earlier) {
    saved_ = earlier->archive.size();
    text += generation_line(earlier->state, earlier->archive, earlier->volumes) + "\n";
  }
  trace::write_file(file, text);
  journal_.open(file, std::ios::app);
}

void SearchDirectory::save(const Search& search, const std::vector<double>& volumes) {
  const std::span<const Evaluated> added = std::span(search.archive()).subspan(saved_);
  journal_ << generation_line(search.state(), added, std::span(volumes).last(1)) << std::endl;
  if (!journal_)
    throw trace::FileError(path_ / journal_file, fmt::format("{}: cannot be written", (path_ / journal_file).string()));
  saved_ = search.archive().size();
}

void SearchDirectory::finish(const Search& search, const Space& space, const std::vector<double>& volumes,
                             const std::vector<FrontMember>& front, const std::string& record) const {
  fs::remove(path_ / record_file);
  fs::remove_all(path_ / "mappings");
  fs::create_directories(path_ / "mappings");
  for (std::size_t i = 0; i < front.size(); ++i)
    trace::write_file(path_ / "mappings" / mapping_file(i), space.mapping_json(front[i].evaluated.mapping));
  trace::write_file(path_ / "archive.csv", archive_csv(search, space));
  trace::write_file(path_ / "front.csv", front_csv(space, front));
  trace::write_file(path_ / "hypervolume.csv", volumes_csv(volumes));
  trace::write_file(path_ / record_file, record);
  fs::remove(path_ / journal_file);
}

}  // namespace spillway::explore
