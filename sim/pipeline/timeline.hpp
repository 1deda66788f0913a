#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

#include "sim/pipeline/machine.hpp"
#include "sim/pipeline/program.hpp"

namespace spillway::pipeline {

/// What happened in a run: the work and waits of each rank, and each message from send to arrival.
class Timeline {
 public:
  struct Span {
    Rank rank = 0;
    std::uint64_t frame = 0;
    Operation operation;
    std::uint64_t begin_ns = 0, end_ns = 0;
  };
  struct Transfer {
    std::uint32_t message = 0;
    std::uint64_t frame = 0;
    std::uint64_t sent_ns = 0, arrived_ns = 0;
  };

  void work(Rank rank, std::uint64_t frame, const Operation& operation, std::uint64_t begin_ns, std::uint64_t end_ns) {
    spans_.push_back({rank, frame, operation, begin_ns, end_ns});
  }
  void sent(std::uint32_t message, std::uint64_t frame, std::uint64_t now_ns) {
    transfers_.push_back({message, frame, now_ns, 0});
  }
  void arrived(std::uint32_t message, std::uint64_t frame, std::uint64_t now_ns);

  const std::vector<Span>& spans() const { return spans_; }
  const std::vector<Transfer>& transfers() const { return transfers_; }

 private:
  std::vector<Span> spans_;
  std::vector<Transfer> transfers_;
};

/// Writes a timeline as Chrome trace-event JSON, which Perfetto opens: a process for each board, a track for each rank,
/// an arrow for each message. The file appears when it is complete. Throws trace::FileError.
void write_chrome_trace(const std::filesystem::path& path, const Timeline& timeline, const Program& program,
                        const Machine& machine, const Workload& workload);

}  // namespace spillway::pipeline
