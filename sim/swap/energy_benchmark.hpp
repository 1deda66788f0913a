#pragma once

#include <cstdint>

#include "platforms/board.hpp"
#include "platforms/card.hpp"

namespace spillway::swap {

/// SwapNN's energy benchmark: a computation that is repeated, alone and while the card is written all the time.
/// The defaults are the paper's. The boards' contention and powers are fitted to its published times and energies, so
/// that the model gives them back says nothing about the model.
struct EnergyBenchmark {
  unsigned iterations = 1000;
  double iteration_s = 0.178;              ///< compute time of an iteration without contention: 178 s for 1,000
  std::uint64_t write_bytes = 100 * 1024;  ///< of each asynchronous write (100 KB)
};

struct BenchmarkRun {
  double time_s = 0;
  double energy_j = 0;
  std::uint64_t writes = 0;  ///< operations that ended

  double energy_wh() const { return energy_j / 3600; }
};

struct EnergyBenchmarkResult {
  BenchmarkRun in_core, out_of_core;

  double time_ratio() const { return out_of_core.time_s / in_core.time_s; }
  double energy_ratio() const { return out_of_core.energy_j / in_core.energy_j; }
};

/// The benchmark on a board with a card. In core: iterations x iteration_s at the compute power. Out of core: a new
/// write starts as soon as one ends, so that each iteration takes iteration_s / (1 - contention), and the card draws
/// its power throughout. Contention and powers from the board and card files.
EnergyBenchmarkResult run_energy_benchmark(const platforms::Board& board, const platforms::Card& card,
                                           const EnergyBenchmark& benchmark = {});

}  // namespace spillway::swap
