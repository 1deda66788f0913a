#include "experiments/mappings/digest.hpp"

#include <algorithm>
#include <functional>
#include <set>

namespace spillway::experiments {
namespace {

using explore::Kind;
using explore::Mapping;
using explore::Segment;
using explore::Space;

std::uint64_t devices_of(const Mapping& mapping) {
  std::set<std::size_t> devices;
  for (const Segment& segment : mapping)
    devices.insert(segment.device);
  return devices.size();
}

std::uint64_t cores_of(const Mapping& mapping, const Space& space) {
  std::uint64_t cores = 0;
  for (const Segment& segment : mapping) {
    if (segment.kind == Kind::one_core) ++cores;
    if (segment.kind == Kind::all_cores) {
      cores += static_cast<std::uint64_t>(space.cluster().computer(segment.device).cores);
    }
  }
  return cores;
}

std::uint64_t gpus_of(const Mapping& mapping) {
  return static_cast<std::uint64_t>(std::ranges::count(mapping, Kind::gpu, &Segment::kind));
}

}  // namespace

PipelineRun evaluated(const Mapping& mapping, const Space& space, explore::Evaluator& evaluator) {
  const pipeline::Result& result = evaluator.run(mapping, pipeline::Driver::virtual_clock);
  PipelineRun run;
  run.devices = devices_of(mapping);
  run.throughput_per_s = run.fastest_of_fewer_per_s = result.throughput_per_s;
  run.energy_j = run.least_energy_j = result.highest_energy_per_frame_j();
  run.memory_bytes = run.least_memory_bytes = static_cast<double>(result.highest_memory());
  run.latency_s = result.latency_s;
  std::uint64_t longest_ns = 0;
  for (const pipeline::RankTimes& rank : result.run.ranks)
    longest_ns = std::max(longest_ns, rank.compute_ns);
  run.without_messages_per_s =
      1e9 * static_cast<double>(result.run.frame_done_ns.size()) / static_cast<double>(longest_ns);
  run.cores = cores_of(mapping, space);
  run.gpus = gpus_of(mapping);
  run.mapping = space.describe(mapping);
  return run;
}

Digest::Digest(const Space& space, explore::Evaluator& evaluator, const explore::SearchOptions& options)
    : runs_(space.devices()) {
  explore::Search search(space, std::ref(evaluator), options, explore::seed_mappings(space, evaluator));
  while (search.step()) {
  }
  std::vector<std::vector<const explore::Evaluated*>> by_devices(space.devices());
  for (const explore::Evaluated& one : search.archive()) {
    const std::uint64_t devices = devices_of(one.mapping);
    rows_.push_back({one.generation, devices, cores_of(one.mapping, space), gpus_of(one.mapping), one.worth, false});
    by_devices[devices - 1].push_back(&one);
  }
  for (const std::size_t member : search.front())
    rows_[member].in_front = true;

  double fastest = 0;
  for (std::size_t i = 0; i < by_devices.size(); ++i) {
    const auto& found = by_devices[i];
    if (found.empty()) continue;
    const auto slower = [](const auto* a, const auto* b) {
      return a->worth.throughput_per_s < b->worth.throughput_per_s;
    };
    PipelineRun run = evaluated((*std::ranges::max_element(found, slower))->mapping, space, evaluator);
    run.mappings = found.size();
    for (const explore::Evaluated* one : found) {
      run.least_energy_j = std::min(run.least_energy_j, one->worth.energy_j);
      run.least_memory_bytes = std::min(run.least_memory_bytes, one->worth.memory_bytes);
    }
    fastest = std::max(fastest, run.throughput_per_s);
    run.fastest_of_fewer_per_s = fastest;
    runs_[i] = run;
  }
}

std::optional<PipelineRun> Digest::run_on(std::size_t devices) const {
  return runs_[devices - 1];
}

}  // namespace spillway::experiments
