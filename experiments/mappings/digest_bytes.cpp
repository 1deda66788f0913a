#include "experiments/mappings/digest_bytes.hpp"

#include <utility>

#include "experiments/crew/bytes.hpp"

namespace spillway::experiments {
namespace {

/// `both`: a crew::Writer or crew::Reader.
template <typename Run, typename Both>
void visit(Run& run, Both& both) {
  both(run.devices);
  both(run.throughput_per_s);
  both(run.energy_j);
  both(run.memory_bytes);
  both(run.latency_s);
  both(run.without_messages_per_s);
  both(run.cores);
  both(run.gpus);
  both(run.mapping);
  both(run.fastest_of_fewer_per_s);
  both(run.least_energy_j);
  both(run.least_memory_bytes);
  both(run.mappings);
  both(run.one_resource_per_s);
}

}  // namespace

std::string bytes_of(const Digest& digest) {
  crew::Writer write;
  write(digest.rows());
  write(std::uint64_t{digest.runs().size()});
  for (const std::optional<PipelineRun>& run : digest.runs()) {
    write(run.has_value());
    if (run) visit(*run, write);
  }
  return write.bytes();
}

Digest digest_of(const std::string& bytes) {
  crew::Reader read(bytes);
  std::vector<EvaluatedRow> rows;
  read(rows);
  std::uint64_t count = 0;
  read(count);
  std::vector<std::optional<PipelineRun>> runs;
  for (; count > 0; --count) {
    std::optional<PipelineRun>& run = runs.emplace_back();
    bool there = false;
    read(there);
    if (there) visit(run.emplace(), read);
  }
  return {std::move(rows), std::move(runs)};
}

}  // namespace spillway::experiments
