// Rates of the two drivers in tasks (selections of IO and compute) per second, through the same core and plans that
// firmware will use.
#include <string>

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "models/zoo.hpp"
#include "platforms/board.hpp"
#include "platforms/card.hpp"
#include "sim/swap/simulate.hpp"

namespace {

using namespace spillway;

constexpr std::uint64_t kib = 1024;

struct Case {
  const char* network;
  std::uint64_t sram_kib, buffer_kib;
  std::uint32_t frames;
};

class NullSink : public trace::Sink {
 public:
  void record(const trace::Record& record) override { benchmark::DoNotOptimize(record); }
  void pools(const trace::PoolLevels& levels) override { benchmark::DoNotOptimize(levels); }
};

void run(benchmark::State& state, const Case& which, swap::Driver driver, bool traced) {
  tiling::Request request;
  request.sram_bytes = which.sram_kib * kib;
  request.buffer_bytes = which.buffer_kib * kib;
  request.frames = which.frames;
  const tiling::SwapPlan plan = tiling::make_plan(*models::zoo(which.network), request);
  const platforms::Board board = platforms::load_board("swapnn-paper");
  const platforms::Card card = platforms::load_card("swapnn-paper");
  NullSink sink;
  swap::Options options;
  options.driver = driver;
  options.sink = traced ? &sink : nullptr;
  std::uint64_t tasks = 0;
  for (auto _ : state) {
    const swap::Result result = swap::simulate(plan, board, card, options);
    tasks += result.io_tasks() + result.compute_tasks();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(tasks));
}

/// The grid of Figures 6 to 8: 3 networks, SRAM 512 KiB to 8 MiB, buffers 16 to 512 KiB, both modes, 1 and 10 frames.
void grid(benchmark::State& state) {
  const platforms::Board board = platforms::load_board("swapnn-paper");
  const platforms::Card card = platforms::load_card("swapnn-paper");
  std::uint64_t tasks = 0;
  for (auto _ : state) {
    for (const char* network : {"vgg16", "alexnet", "mobilenet-dense-depthwise"}) {
      const models::Network net = *models::zoo(network);
      for (std::uint64_t sram : {512, 1024, 2048, 4096, 8192}) {
        for (std::uint64_t buffer : {16, 32, 64, 128, 256, 512}) {
          if (sram / buffer < 4) continue;
          for (std::uint32_t frames : {1U, 10U}) {
            tiling::Request request;
            request.sram_bytes = sram * kib;
            request.buffer_bytes = buffer * kib;
            request.frames = frames;
            const tiling::SwapPlan plan = tiling::make_plan(net, request);
            for (const swap::Mode mode : {swap::Mode::sequential, swap::Mode::parallel}) {
              swap::Options options;
              options.mode = mode;
              const swap::Result result = swap::simulate(plan, board, card, options);
              tasks += result.io_tasks() + result.compute_tasks();
            }
          }
        }
      }
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(tasks));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_memory_MB"] = static_cast<double>(usage.ru_maxrss) / 1024;
}

const Case cases[] = {
    {"vgg16", 512, 16, 10}, {"vgg16", 8192, 16, 10}, {"resnet18", 512, 16, 10}, {"googlenet", 512, 16, 10}};

}  // namespace

int main(int argc, char** argv) {
  for (const Case& which : cases) {
    const std::string name = std::string(which.network) + "/sram:" + std::to_string(which.sram_kib) +
                             "KiB/buffer:" + std::to_string(which.buffer_kib) +
                             "KiB/frames:" + std::to_string(which.frames);
    for (const bool traced : {false, true}) {
      const std::string trace = traced ? "/trace:on" : "/trace:off";
      benchmark::RegisterBenchmark(("virtual_clock/" + name + trace).c_str(), run, which, swap::Driver::virtual_clock,
                                   traced)
          ->Unit(benchmark::kMillisecond);
      benchmark::RegisterBenchmark(("simgrid/" + name + trace).c_str(), run, which, swap::Driver::simgrid, traced)
          ->Unit(benchmark::kMillisecond);
    }
  }
  benchmark::RegisterBenchmark("virtual_clock/grid_of_figures_6_to_8", grid)
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
