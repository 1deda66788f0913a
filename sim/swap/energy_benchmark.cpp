#include "sim/swap/energy_benchmark.hpp"

#include "sim/swap/energy.hpp"
#include "sim/swap/service_times.hpp"

namespace spillway::swap {
namespace {

BenchmarkRun run_of(const Result& result, const platforms::Board& board, const platforms::Card& card) {
  return {static_cast<double>(result.makespan_ns) * 1e-9, energy_of(result, board, card).total_j(),
          result.tasks[static_cast<std::size_t>(core::TaskKind::write_output)]};
}

}  // namespace

EnergyBenchmarkResult run_energy_benchmark(const platforms::Board& board, const platforms::Card& card,
                                           const EnergyBenchmark& benchmark) {
  Result in_core;
  in_core.makespan_ns = in_core.compute_busy_ns = benchmark.iterations * round_to_10_ns(benchmark.iteration_s);

  Result out_of_core;
  const double iteration_s = benchmark.iteration_s / (1 - board.contention.value);
  out_of_core.makespan_ns = benchmark.iterations * round_to_10_ns(iteration_s);
  out_of_core.compute_busy_ns = out_of_core.io_busy_ns = out_of_core.makespan_ns;
  const double write_s =
      card.write_overhead.value + static_cast<double>(benchmark.write_bytes) / card.write_bandwidth.value;
  out_of_core.tasks[static_cast<std::size_t>(core::TaskKind::write_output)] =
      static_cast<std::uint64_t>(static_cast<double>(out_of_core.makespan_ns) * 1e-9 / write_s);
  return {run_of(in_core, board, card), run_of(out_of_core, board, card)};
}

}  // namespace spillway::swap
