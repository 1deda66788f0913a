#pragma once

#include <cstdint>

#ifdef __SANITIZE_THREAD__
#include <atomic>
#include <thread>
#include <vector>
#elif defined(_OPENMP)
#include <omp.h>
#endif

#include "hw/kernels/run.hpp"

/// How a layer's blocks are shared among threads. Of the folder's own.
namespace spillway::kernels {

/// Calls body(block, thread) once for each of `count` blocks. Which thread takes a block is open, so that the results
/// of a block must not depend on it. Progress is called by the calling thread alone, which MPI_THREAD_FUNNELED asks
/// for.
template <typename Body>
void for_each_block(std::int64_t count, const Execution& execution, const Body& body) {
  if (execution.threads <= 1 || count <= 1) {
    for (std::int64_t block = 0; block < count; ++block) {
      body(block, 0);
      if (execution.progress != nullptr) execution.progress(execution.progress_argument);
    }
    return;
  }
  const auto run_block = [&](std::int64_t block, int thread) {
    body(block, thread);
    if (thread == 0 && execution.progress != nullptr) execution.progress(execution.progress_argument);
  };
#ifdef __SANITIZE_THREAD__
  // The sanitizer does not see the barriers of OpenMP's library, but those of plain threads.
  std::atomic<std::int64_t> next{0};
  const auto work = [&](int thread) {
    for (std::int64_t block = next++; block < count; block = next++)
      run_block(block, thread);
  };
  std::vector<std::thread> threads;
  for (int thread = 1; thread < execution.threads; ++thread)
    threads.emplace_back(work, thread);
  work(0);
  for (std::thread& thread : threads)
    thread.join();
#elif defined(_OPENMP)
#pragma omp parallel for num_threads(execution.threads) schedule(dynamic, 1)
  for (std::int64_t block = 0; block < count; ++block)
    run_block(block, omp_get_thread_num());
#else
  for (std::int64_t block = 0; block < count; ++block)
    run_block(block, 0);
#endif
}

/// The part of `total` items that a block of at most `size` has.
struct Range {
  std::int64_t begin = 0, end = 0;

  std::int64_t size() const { return end - begin; }
};

inline std::int64_t divide_up(std::int64_t total, std::int64_t size) {
  return (total + size - 1) / size;
}

inline Range range_of(std::int64_t block, std::int64_t size, std::int64_t total) {
  const std::int64_t begin = block * size;
  return {begin, begin + size < total ? begin + size : total};
}

}  // namespace spillway::kernels
