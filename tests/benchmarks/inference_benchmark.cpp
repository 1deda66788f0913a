// Time of a frame, by network, back-end and threads. Against ONNX Runtime, in turns: tests/hw/kernels/onnxruntime.
#include <random>
#include <string>

#include <benchmark/benchmark.h>

#include "hw/kernels/session/load_program.hpp"
#include "hw/kernels/session/session.hpp"

namespace {

using namespace spillway;

void run(benchmark::State& state, const char* network, kernels::Backend backend) {
  kernels::Session session(kernels::load_program(network), {static_cast<int>(state.range(0)), backend});
  std::mt19937 random(1);
  std::int64_t frames = 0;
  for (auto _ : state) {
    state.PauseTiming();  // the input's memory is used again
    for (float& number : session.input(0))
      number = static_cast<float>(random() % 2001) / 1000 - 1;
    state.ResumeTiming();
    session.run();
    benchmark::DoNotOptimize(session.output(0).data());
    ++frames;
  }
  state.SetItemsProcessed(frames);
  constexpr double mib = 1 << 20;
  state.counters["arena_MiB"] = static_cast<double>(session.memory().arena) / mib;
  state.counters["scratch_MiB"] = static_cast<double>(session.memory().scratch) / mib;
  state.counters["prepared_MiB"] = static_cast<double>(session.memory().prepared) / mib;
}

}  // namespace

int main(int argc, char** argv) {
  for (const char* network : {"vgg19", "resnet101", "densenet121", "googlenet", "mobilenet"})
    for (const kernels::Backend backend : kernels::backends())
      benchmark::RegisterBenchmark(
          (std::string("inference/") + network + "/" + std::string(to_string(backend))).c_str(),
          [network, backend](benchmark::State& state) { run(state, network, backend); })
          ->ArgName("threads")
          ->Arg(1)
          ->Arg(2)
          ->UseRealTime()
          ->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
