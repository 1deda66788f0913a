#include "experiments/mappings/mapping_runs.hpp"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <set>

#include <fmt/format.h>

#include "experiments/csv.hpp"
#include "experiments/mappings/digest_bytes.hpp"
#include "models/zoo.hpp"
#include "platforms/cluster.hpp"
#include "sim/trace/output_file.hpp"

namespace spillway::experiments {
namespace {

using explore::Space;
using ResourceKind = explore::Kind;
using enum PipelineParameter;

std::vector<ResourceKind> kinds_of(const Point& point) {
  const std::string& name = point.name(resources);
  if (name == "gpu") return {ResourceKind::gpu};
  if (name == "all-cores") return {ResourceKind::all_cores};
  if (name == "one-core") return {ResourceKind::one_core};
  return {};
}

pipeline::Options options_of(const Point& point) {
  pipeline::Options options;
  options.communication =
      point.name(comm) == "paper" ? pipeline::Communication::paper : pipeline::Communication::overlap;
  options.wait = point.name(wait) == "spin" ? pipeline::Wait::spin : pipeline::Wait::sleep;
  return options;
}

explore::SearchOptions search_of(const Point& point) {
  explore::SearchOptions options;
  options.individuals = point.count(individuals);
  options.generations = point.count(generations);
  options.seed = static_cast<std::uint32_t>(point.count(seed));
  return options;
}

std::string key_of(const Point& point, std::initializer_list<PipelineParameter> parameters) {
  std::string key;
  for (const PipelineParameter parameter : parameters)
    key += to_text(point[parameter]) + '\t';
  return key;
}

std::string key_of_search(const Point& point) {
  return key_of(point, {PipelineParameter::network, PipelineParameter::cluster, search_devices, resources, comm, wait,
                        individuals, generations, seed});
}

bool never_on_one_thread(const Point&) {
  return false;
}

/// One point of each search first, those of the longest at the front, so that no thread waits for the search of another
/// while there is one to be run; then the others.
std::vector<std::size_t> order_of(const std::vector<Point>& points) {
  std::vector<std::size_t> order, others;
  std::set<std::string> begun;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool is_first = points[i].name(how) == how_search && begun.insert(key_of_search(points[i])).second;
    (is_first ? order : others).push_back(i);
  }
  const auto length = [&](std::size_t i) { return points[i].count(search_devices) * points[i].count(generations); };
  std::ranges::stable_sort(order, std::ranges::greater{}, length);
  order.insert(order.end(), others.begin(), others.end());
  return order;
}

}  // namespace

MappingRuns::MappingRuns(const Experiment& experiment, SearchElsewhere elsewhere)
    : experiment_(experiment), elsewhere_(std::move(elsewhere)), efficiencies_(platforms::load_efficiencies()) {
  for (const Point& point : experiment.points) {
    const std::string& model = point.name(PipelineParameter::network);
    if (!networks_.contains(model)) networks_.emplace(model, models::zoo(model).value());
    const std::string& boards = point.name(PipelineParameter::cluster);
    if (!clusters_.contains(boards)) clusters_.emplace(boards, pipeline::ClusterModel(platforms::load_cluster(boards)));
  }
}

std::vector<PointResult> MappingRuns::run(const RunOptions& options) {
  RunOptions threads = options;
  threads.one_thread = never_on_one_thread;
  const std::vector<std::size_t> order = order_of(experiment_.points);
  threads.order = order;
  return run_points(experiment_.points, threads, [this](const Point& point) { return result_of(point); });
}

PointResult MappingRuns::result_of(const Point& point) {
  const std::size_t there = cluster(point).machine().devices.size();
  if (point.count(search_devices) > there) {
    return {
        PointStatus::infeasible, fmt::format("{} has {} devices", point.name(PipelineParameter::cluster), there), {}};
  }
  if (const std::optional<PipelineRun> run = run_of(point)) return {PointStatus::done, "", measure(*run)};
  return {PointStatus::infeasible, fmt::format("no mapping uses exactly {} devices", point.count(devices)), {}};
}

std::optional<PipelineRun> MappingRuns::run_of(const Point& point) {
  const std::string& source = point.name(how);
  if (source == how_alone) return alone(point);
  std::optional<PipelineRun> run = source == how_search ? digest(point).run_on(point.count(devices)) : on_chain(point);
  if (run && kinds_of(point).size() == 1) run->one_resource_per_s = alone(point).throughput_per_s;
  return run;
}

PipelineRun MappingRuns::alone(const Point& point) const {
  const ResourceKind kind = kinds_of(point).front();
  const Space space(network(point), cluster(point), {1, {kind}, {}});
  explore::Evaluator evaluator(space, efficiencies_, options_of(point));
  PipelineRun run = evaluated({{0, space.layers().size(), 0, kind, 0}}, space, evaluator);
  run.one_resource_per_s = run.throughput_per_s;
  return run;
}

/// The chain of the highest throughput; among those the least energy, then the least memory.
std::optional<PipelineRun> MappingRuns::on_chain(const Point& point) {
  const explore::Chain& mappings = chain(point);
  const std::optional<explore::Worth> best = mappings.best_throughput(point.count(devices));
  if (!best) return std::nullopt;
  PipelineRun run;
  run.devices = point.count(devices);
  run.throughput_per_s = best->throughput_per_s;
  run.energy_j = run.least_energy_j = best->energy_j;
  run.memory_bytes = run.least_memory_bytes = best->memory_bytes;
  for (std::size_t fewer = 1; fewer <= run.devices; ++fewer) {
    if (const auto worth = mappings.best_throughput(fewer))
      run.fastest_of_fewer_per_s = std::max(run.fastest_of_fewer_per_s, worth->throughput_per_s);
  }
  return run;
}

const Digest& MappingRuns::digest(const Point& point) {
  return digests_.get(key_of_search(point), [&] {
    if (elsewhere_) return digest_of(elsewhere_(point));
    const Space space(network(point), cluster(point), {point.count(search_devices), kinds_of(point), {}});
    explore::Evaluator evaluator(space, efficiencies_, options_of(point));
    return Digest(space, evaluator, search_of(point));
  });
}

const explore::Chain& MappingRuns::chain(const Point& point) {
  const std::string key =
      key_of(point, {PipelineParameter::network, PipelineParameter::cluster, resources, comm, wait});
  return chains_.get(key, [&] {
    return explore::Chain(network(point), cluster(point), efficiencies_, kinds_of(point).front(), options_of(point));
  });
}

const models::Network& MappingRuns::network(const Point& point) const {
  return networks_.at(point.name(PipelineParameter::network));
}

const pipeline::ClusterModel& MappingRuns::cluster(const Point& point) const {
  return clusters_.at(point.name(PipelineParameter::cluster));
}

std::string MappingRuns::search(const Point& point) {
  return bytes_of(digest(point));
}

std::string MappingRuns::searches_csv() {
  std::string csv = csv_line(std::vector<std::string>{"network", "search_devices", "resources", "comm", "seed",
                                                      "generation", "devices", "cores", "gpus", "throughput_per_s",
                                                      "energy_per_frame_j", "memory_bytes", "latency_s", "front"});
  std::set<std::string> written;
  for (const Point& point : experiment_.points) {
    if (point.name(how) != how_search || !written.insert(key_of_search(point)).second) continue;
    std::string search;
    for (const PipelineParameter parameter : {PipelineParameter::network, search_devices, resources, comm, seed})
      search += to_text(point[parameter]) + ',';
    for (const EvaluatedRow& row : digest(point).rows()) {
      csv += fmt::format("{}{},{},{},{},{:.6g},{:.6g},{:.0f},{:.6g},{}\n", search, row.generation, row.devices,
                         row.cores, row.gpus, row.worth.throughput_per_s, row.worth.energy_j, row.worth.memory_bytes,
                         row.worth.latency_s, row.in_front ? "yes" : "no");
    }
  }
  return csv;
}

void MappingRuns::write_tables(const std::filesystem::path& directory) {
  if (std::ranges::find(experiment_.tables, Table::searches) == experiment_.tables.end()) return;
  trace::write_file(directory / "searches.csv", searches_csv());
}

}  // namespace spillway::experiments
