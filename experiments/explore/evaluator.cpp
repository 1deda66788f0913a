#include "experiments/explore/evaluator.hpp"

namespace spillway::explore {
namespace {

pipeline::Machine machine_of(const Space& space) {
  pipeline::Machine machine = space.cluster().machine();
  machine.devices.resize(space.devices());
  return machine;
}

}  // namespace

Evaluator::Evaluator(const Space& space, const platforms::Efficiencies& efficiencies, const pipeline::Options& options)
    : space_(space),
      options_(options),
      machine_(machine_of(space)),
      workload_(space.network()),
      simulate_(workload_, machine_),
      times_(space.network(), space.cluster(), efficiencies),
      ranks_(space.network().nodes().size(), pipeline::no_rank) {}

const pipeline::Result& Evaluator::run(const Mapping& mapping, pipeline::Driver driver) {
  placements_.clear();
  for (const Segment& segment : mapping) {
    const std::size_t threads = segment.kind == Kind::all_cores ? machine_.devices[segment.device].cores : 1;
    for (std::size_t position = segment.begin; position < segment.end; ++position)
      ranks_[space_.layers()[position]] = placements_.size();
    placements_.push_back(times_.place(segment.device, segment.kind == Kind::gpu, threads));
  }
  options_.driver = driver;
  result_ = simulate_(ranks_, placements_, options_);
  return result_;
}

Worth Evaluator::operator()(const Mapping& mapping) {
  const pipeline::Result& result = run(mapping, options_.driver);
  return {result.throughput_per_s, result.highest_energy_per_frame_j(), static_cast<double>(result.highest_memory()),
          result.latency_s};
}

std::vector<double> Evaluator::layer_seconds(std::size_t device, Kind kind) {
  const std::size_t threads = kind == Kind::all_cores ? machine_.devices[device].cores : 1;
  const pipeline::LayerTimes& times = *times_.place(device, kind == Kind::gpu, threads).times;
  std::vector<double> seconds;
  for (const models::NodeId layer : space_.layers())
    seconds.push_back(static_cast<double>(times.behind[layer]) * 1e-9);
  return seconds;
}

}  // namespace spillway::explore
