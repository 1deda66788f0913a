// Rates of the two drivers of the cluster simulator in evaluations (mappings simulated, energy and memory included) per
// second: 24 ranks on eight boards, 20 frames.
#include <string>

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "experiments/explore/evaluator.hpp"
#include "models/zoo.hpp"
#include "platforms/cluster.hpp"

namespace {

using namespace spillway;

/// Eight GPUs and two cores of each board, layers shared out evenly.
explore::Mapping stages(const explore::Space& space) {
  explore::Mapping mapping;
  constexpr std::size_t ranks = 24;
  for (std::size_t i = 0; i < ranks; ++i) {
    const std::size_t layers = space.layers().size(), device = i / 3;
    const bool gpu = i % 3 == 0;
    mapping.push_back({layers * i / ranks, layers * (i + 1) / ranks, device,
                       gpu ? explore::Kind::gpu : explore::Kind::one_core, static_cast<int>(i % 3) - 1});
  }
  return mapping;
}

void evaluations(benchmark::State& state, const char* network_name, pipeline::Driver driver) {
  const models::Network network = *models::zoo(network_name);
  const pipeline::ClusterModel cluster(platforms::load_cluster("jetson-xavier-nx8"));
  const explore::Space space(network, cluster, {});
  const platforms::Efficiencies efficiencies = platforms::load_efficiencies();
  pipeline::Options options;
  options.warm_up = 0;
  options.frames = 20;
  options.driver = driver;
  explore::Evaluator evaluate(space, efficiencies, options);
  const explore::Mapping mapping = stages(space);
  for (auto _ : state) {
    const explore::Worth worth = evaluate(mapping);
    benchmark::DoNotOptimize(worth);
  }
  state.SetItemsProcessed(state.iterations());
}

/// The evaluations of one search, to see that memory stays flat.
void search_sized(benchmark::State& state) {
  const models::Network network = *models::zoo("vgg19");
  const pipeline::ClusterModel cluster(platforms::load_cluster("jetson-xavier-nx8"));
  const explore::Space space(network, cluster, {});
  const platforms::Efficiencies efficiencies = platforms::load_efficiencies();
  explore::Evaluator evaluate(space, efficiencies, {});
  const explore::Mapping mapping = stages(space);
  constexpr int count = 40'000;
  for (auto _ : state) {
    for (int i = 0; i < count; ++i) {
      const explore::Worth worth = evaluate(mapping);
      benchmark::DoNotOptimize(worth);
    }
  }
  state.SetItemsProcessed(state.iterations() * count);
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_memory_MB"] = static_cast<double>(usage.ru_maxrss) / 1000;
}

}  // namespace

int main(int argc, char** argv) {
  for (const char* network : {"vgg19", "resnet101", "densenet121"}) {
    for (const pipeline::Driver driver : {pipeline::Driver::virtual_clock, pipeline::Driver::simgrid}) {
      const std::string name =
          std::string(driver == pipeline::Driver::simgrid ? "simgrid/" : "virtual_clock/") + network;
      benchmark::RegisterBenchmark(name.c_str(), evaluations, network, driver);
    }
  }
  benchmark::RegisterBenchmark("virtual_clock/40000_evaluations", search_sized)->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
