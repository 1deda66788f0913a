#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/plan.hpp"
#include "sim/trace/dependencies.hpp"
#include "sim/trace/event_text.hpp"
#include "sim/trace/output_file.hpp"
#include "sim/trace/sink.hpp"

namespace spillway::trace {

struct ChromeTraceOptions {
  /// Events after which the trace is cut; metadata does not count.
  std::uint64_t max_events = std::numeric_limits<std::uint64_t>::max();
  std::string board = "board";  ///< name of the process in the viewer
};

/// What a trace file holds.
struct ChromeTraceSummary {
  std::uint64_t events = 0;           ///< without metadata
  std::uint64_t tasks = 0;            ///< slices
  std::uint64_t dependencies = 0;     ///< arrows
  std::uint64_t tasks_left_out = 0;   ///< after the cut
  std::uint64_t levels_left_out = 0;  ///< changes of the pool levels after the cut
  /// Arrows that would point back in time, because a task started before one that it depends on had ended. They are not
  /// drawn. A simulated run has none; a measured one that has some broke the schedule.
  std::uint64_t broken_dependencies = 0;
  std::uint64_t last_end_ns = 0;  ///< end of the last slice

  bool cut() const { return tasks_left_out + levels_left_out > 0; }
};

/// Writes a run as Chrome trace-event JSON, which Perfetto and chrome://tracing open: a track for each resource, the
/// buffers in use as counters, dependencies as flow arrows. Times are decimal microseconds with three digits, so that
/// no nanosecond is lost.
///
/// Tasks of one resource that overlap (several IO operations under way) go to tracks of their own, because slices of
/// one track must nest. An arrow stands in the file after the later of its two slices; viewers sort by time.
class ChromeTrace final : public Sink {
 public:
  /// The tables of `plan` must outlive this object; `layer_names` has one name for each row. Throws FileError, and
  /// std::invalid_argument for a wrong number of names.
  ChromeTrace(std::filesystem::path path, const core::Plan& plan, const std::vector<std::string>& layer_names,
              ChromeTraceOptions options = {});

  /// Throws FileError, and std::invalid_argument for a task that the plan does not have or that ends before it starts.
  void record(const Record& record) override;

  /// Levels of one instant are written once, the last of them. Throws FileError.
  void pools(const PoolLevels& levels) override;

  /// Completes the file and gives it its name; nothing may be recorded afterwards. Without it no file appears. Throws
  /// FileError.
  ChromeTraceSummary finish();

 private:
  struct Track {
    bool io;
    std::uint64_t end_ns;
  };

  std::uint32_t track_for(const Record& record);
  void add_track(bool io);
  bool take(std::uint64_t events);
  void write_slice(const Record& record, std::uint32_t track);
  void write_arrow(const Dependencies::Arrow& arrow, const Slice& to);
  void write_pending_levels();
  EventText& begin_event();
  void flush_if_large();

  OutputFile file_;
  core::Plan plan_;
  ChromeTraceOptions options_;
  Dependencies dependencies_;
  std::vector<std::string> names_;  ///< of layers, escaped, without quotes
  std::vector<Track> tracks_;       ///< track number = index + 1
  std::optional<PoolLevels> pending_levels_, written_levels_;
  ChromeTraceSummary summary_;
  std::size_t event_bytes_ = 0;  ///< no event is longer
  EventText text_;
  bool first_event_ = true;
};

}  // namespace spillway::trace
