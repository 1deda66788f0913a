#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "sim/trace/record.hpp"
#include "sim/trace/sink.hpp"
#include "sim/trace/wire.hpp"

namespace spillway::trace {

/// The text of a message, which outlives the bytes that it came in.
struct Started {
  std::uint32_t clock_hz = 0;
  std::uint32_t plan_hash = 0;
  std::string program;
};
struct Value {
  std::uint64_t value = 0;
  std::string name;
};
struct Text {
  std::string text;
};

/// A message that arrived whole.
using WireMessage = std::variant<Started, Record, PoolLevels, Value, Text, EndMessage>;

/// What a line carried, and what of it could not be used.
struct WireStatistics {
  std::uint64_t bytes = 0;           ///< in all
  std::uint64_t messages = 0;        ///< that arrived whole
  std::uint64_t damaged_frames = 0;  ///< between two zero bytes, but no message: stuffing, checksum or content is wrong
  std::uint64_t damaged_bytes = 0;   ///< of those
  /// Messages that were sent and did not arrive, by the gaps in their numbers. A gap of 65,536 looks like none; what
  /// was lost before the first message that arrived is counted where that is not a StartMessage.
  std::uint64_t lost_messages = 0;
  std::uint64_t restarts = 0;  ///< StartMessages after the first one: the device began again
};

/// Takes the bytes of a line as they come, in pieces of any size, and gives the messages in them to a function. Garbage
/// costs the frame that it falls into and no other.
class WireReader {
 public:
  explicit WireReader(std::function<void(const WireMessage&)> take) : take_(std::move(take)) {}

  void feed(std::span<const std::uint8_t> bytes);

  /// The line has ended: a frame in progress will not be completed and counts as damaged.
  void finish();

  const WireStatistics& statistics() const { return statistics_; }

 private:
  void end_frame();
  void count_lost(std::uint16_t number, bool start);

  std::function<void(const WireMessage&)> take_;
  std::vector<std::uint8_t> frame_;  ///< of the frame in progress, no more than the longest frame can have
  std::uint64_t frame_bytes_ = 0;    ///< of the frame in progress
  std::optional<std::uint16_t> next_number_;
  WireStatistics statistics_;
};

/// Decodes a payload. Empty: its type is unknown, its version another, or it does not have the form of its type.
std::optional<WireMessage> parse_message(std::span<const std::uint8_t> payload);

/// The trace of one run.
struct WireTrace {
  std::optional<Started> start;  ///< of the last program that began
  std::vector<WireMessage> messages;
  std::optional<EndMessage> end;
  WireStatistics statistics;

  std::vector<Record> records() const;
  /// The figure of that name; the last one if there are several.
  std::optional<std::uint64_t> value(std::string_view name) const;
  /// Gives records and pool levels, in the order of arrival, to a writer.
  void replay(Sink& sink) const;
};

WireTrace parse_wire_trace(std::span<const std::uint8_t> bytes);

/// Reads a file of the bytes that came over the line. Throws FileError.
WireTrace read_wire_trace(const std::filesystem::path& path);

}  // namespace spillway::trace
