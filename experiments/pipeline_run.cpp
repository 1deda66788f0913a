#include "experiments/pipeline_run.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "experiments/run_kind.hpp"
#include "platforms/catalogue.hpp"
#include "platforms/cluster.hpp"
#include "platforms/computer.hpp"

namespace spillway::experiments {
namespace {

using platforms::Unit;
using Optional = std::optional<Value>;

constexpr std::uint64_t most_devices = 1024, most_individuals = 100'000, most_generations = 1'000'000;

Value word(std::string_view text) {
  return std::string(text);
}

Optional value_of(const std::optional<double>& figure) {
  return figure ? Optional(*figure) : std::nullopt;
}
Optional value_of(const std::optional<std::uint64_t>& count) {
  return count ? Optional(*count) : std::nullopt;
}

struct Measured : Metric {
  Optional (*of)(const PipelineRun&);
};

const Measured all_metrics[] = {
    {"throughput_fps", Unit::hertz, "frames a second of the fastest mapping on exactly that many devices",
     [](const PipelineRun& run) -> Optional { return run.throughput_per_s; }},
    {"period_s", Unit::seconds, "1 / throughput_fps",
     [](const PipelineRun& run) -> Optional { return 1 / run.throughput_per_s; }},
    {"latency_s", Unit::seconds, "from taking a frame to its result; empty for exact-chain",
     [](const PipelineRun& run) { return value_of(run.latency_s); }},
    {"energy_j", Unit::joules, "of a frame, the board that needs most, fastest mapping",
     [](const PipelineRun& run) -> Optional { return run.energy_j; }},
    {"board_power_w", Unit::watts, "energy_j / period_s",
     [](const PipelineRun& run) -> Optional { return run.energy_j * run.throughput_per_s; }},
    {"memory_bytes", Unit::bytes, "of the board that needs most, fastest mapping",
     [](const PipelineRun& run) -> Optional { return run.memory_bytes; }},
    {"throughput_up_to_fps", Unit::hertz, "that of the fastest mapping on at most that many devices",
     [](const PipelineRun& run) -> Optional { return run.fastest_of_fewer_per_s; }},
    {"least_energy_j", Unit::joules, "the lowest energy_j of all mappings on exactly that many devices",
     [](const PipelineRun& run) -> Optional { return run.least_energy_j; }},
    {"least_memory_bytes", Unit::bytes, "the lowest memory_bytes of all mappings on exactly that many devices",
     [](const PipelineRun& run) -> Optional { return run.least_memory_bytes; }},
    {"pipeline_efficiency", Unit::ratio,
     "throughput_fps / (devices x throughput of one such resource alone); empty for several kinds of resources",
     [](const PipelineRun& run) -> Optional {
       if (!run.one_resource_per_s) return std::nullopt;
       return run.throughput_per_s / (static_cast<double>(run.devices) * *run.one_resource_per_s);
     }},
    {"without_messages_fps", Unit::hertz,
     "1 / the longest compute time of a rank in a frame: the fastest mapping if messages took no time; empty for "
     "exact-chain",
     [](const PipelineRun& run) { return value_of(run.without_messages_per_s); }},
    {"cores", Unit::ratio, "cores that the fastest mapping computes on",
     [](const PipelineRun& run) { return value_of(run.cores); }},
    {"gpus", Unit::ratio, "GPUs of the fastest mapping", [](const PipelineRun& run) { return value_of(run.gpus); }},
    {"mappings", Unit::ratio, "evaluated mappings on exactly that many devices",
     [](const PipelineRun& run) -> Optional { return run.mappings; }},
    {"mapping", Unit::ratio, "the fastest one: resources and positions of their layers",
     [](const PipelineRun& run) -> Optional { return run.mapping.empty() ? std::nullopt : Optional(run.mapping); }},
};

std::span<const Metric> pipeline_metrics() {
  static const std::vector<Metric> columns(std::begin(all_metrics), std::end(all_metrics));
  return columns;
}

std::span<const ParameterInfo> pipeline_parameters() {
  using accepts::count_up_to, accepts::name_or_path, accepts::one_of, accepts::word_or;
  constexpr std::uint64_t most_seeds = std::numeric_limits<std::uint32_t>::max();
  static const std::array<ParameterInfo, pipeline_parameter_count> all = {{
      {"network", "network", "a network of the zoo", accepts::network(), {}},
      {"cluster", "cluster", "a cluster file", name_or_path(platforms::cluster_names), {}},
      {"devices", "devices", "devices that a mapping uses, exactly", count_up_to(most_devices), {}},
      {"search_devices", "search_devices", "devices that a search may use, the first ones of the cluster",
       word_or(as_many_as_used, count_up_to(most_devices)), word(as_many_as_used)},
      {"resources", "resources", "what layers may run on",
       one_of({std::string(resources_of_all_kinds), "gpu", "all-cores", "one-core"}), word(resources_of_all_kinds)},
      {"comm", "comm", "receive while computing, or receive, compute and send one after the other",
       one_of({"overlap", "paper"}), word("overlap")},
      {"wait", "wait", "whether a waiting rank keeps its core busy", one_of({"sleep", "spin"}), word("sleep")},
      {"how", "how", "where the mapping comes from",
       one_of({std::string(how_search), std::string(how_alone), std::string(how_exact_chain)}), word(how_search)},
      {"individuals", "individuals", "of a generation, a multiple of 4, at least 8", count_up_to(most_individuals),
       std::uint64_t{100}},
      {"generations", "generations", "of the search", count_up_to(most_generations), std::uint64_t{400}},
      {"seed", "seed", "of the search", count_up_to(most_seeds), std::uint64_t{1}},
  }};
  return all;
}

std::vector<Conflict> conflicts(const Block& block) {
  const auto values = [&](PipelineParameter parameter) -> const std::vector<Value>& {
    return block[static_cast<std::size_t>(parameter)];
  };
  const auto has = [&](PipelineParameter parameter, std::string_view name) {
    return std::ranges::find(values(parameter), word(name)) != values(parameter).end();
  };
  const auto count_of = [](const Value& value) { return std::get<std::uint64_t>(value); };
  std::vector<Conflict> found;
  const bool one_kind = !has(PipelineParameter::resources, resources_of_all_kinds);
  const auto& devices = values(PipelineParameter::devices);
  if (has(PipelineParameter::how, how_alone)) {
    if (std::ranges::any_of(devices, [&](const Value& value) { return count_of(value) != 1; })) {
      found.push_back({"devices", "`how: alone` is one device; give it a block of its own with `devices: 1`"});
    }
    if (!one_kind) found.push_back({"resources", "`how: alone` is one resource: gpu, all-cores or one-core"});
  }
  if (has(PipelineParameter::how, how_exact_chain)) {
    if (!one_kind) {
      found.push_back(
          {"resources", "`how: exact-chain` has the same resource on each device: gpu, all-cores or one-core"});
    }
    // The closed form knows no rank that waits for another.
    if (has(PipelineParameter::comm, "paper") || has(PipelineParameter::wait, "spin")) {
      found.push_back({"comm",
                       "`how: exact-chain` is exact for `comm: overlap` with `wait: sleep` alone; give it a "
                       "block of its own"});
    }
  }
  for (const Value& space : values(PipelineParameter::search_devices)) {
    const auto is_more = [&](const Value& value) { return count_of(value) > count_of(space); };
    if (!std::holds_alternative<std::string>(space) && std::ranges::any_of(devices, is_more)) {
      found.push_back({"search_devices", fmt::format("{} are fewer devices than a mapping is to use", to_text(space))});
    }
  }
  for (const Value& individuals : values(PipelineParameter::individuals)) {
    if (count_of(individuals) < 8 || count_of(individuals) % 4 != 0) {
      found.push_back({"individuals", fmt::format("{} is no multiple of 4 from 8", to_text(individuals))});
    }
  }
  return found;
}

void resolve(std::span<Point> points) {
  for (Point& point : points) {
    Value& space = point[PipelineParameter::search_devices];
    if (std::holds_alternative<std::string>(space)) space = point[PipelineParameter::devices];
  }
}

std::vector<SourceFile> sources(std::span<const Point> points) {
  const platforms::Catalogue clusters("cluster", "platforms/clusters"), computers("computer", "platforms/computers");
  std::vector<SourceFile> files;
  std::set<std::string> seen_clusters, seen_computers;
  for (const Point& point : points) {
    const std::string& name = point.name(PipelineParameter::cluster);
    if (!seen_clusters.insert(name).second) continue;
    const std::filesystem::path file = clusters.file_of(name);
    files.push_back({fmt::format("cluster-{}.yaml", file.stem().string()), file});
    for (const platforms::Device& device : platforms::load_cluster(name).devices) {
      if (device.board.empty() || !seen_computers.insert(device.board).second) continue;
      const std::filesystem::path board = computers.file_of(device.board);
      files.push_back({fmt::format("computer-{}.yaml", board.stem().string()), board});
    }
  }
  return files;
}

constexpr std::array tables = {Table::searches};
constexpr std::array<std::string_view, 1> shared_data = {"platforms/efficiencies.yaml"};

}  // namespace

std::vector<Optional> measure(const PipelineRun& run) {
  std::vector<Optional> values;
  for (const Measured& metric : all_metrics)
    values.push_back(metric.of(run));
  return values;
}

const RunKind& pipeline_runs() {
  static const RunKind kind{
      .name = "pipeline",
      .parameters = pipeline_parameters(),
      .metrics = pipeline_metrics(),
      .tables = tables,
      .has_timelines = false,
      .infeasible = "have no mapping on exactly that many devices",
      .conflicts = conflicts,
      .resolve = resolve,
      .sources = sources,
      .shared_data = shared_data,
  };
  return kind;
}

}  // namespace spillway::experiments
