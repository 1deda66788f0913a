#include "sim/trace/wire_reader.hpp"

#include <array>
#include <limits>

#include "sim/trace/frame.hpp"
#include "sim/trace/input_file.hpp"
#include "sim/trace/names.hpp"

namespace spillway::trace {
namespace {

/// Longest frame without its end.
constexpr std::size_t longest_frame = frame_bytes(max_payload_bytes) - 1;

/// Reads a payload from its front; once something is missing or too large, everything that follows fails.
class Fields {
 public:
  explicit Fields(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::uint8_t byte() {
    if (bytes_.empty()) {
      good_ = false;
      return 0;
    }
    const std::uint8_t first = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return first;
  }

  template <class Integer = std::uint64_t>
  Integer integer() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t next = byte();
      const std::uint64_t bits = next & 0x7F;
      if (shift > 63 || bits << shift >> shift != bits) {
        good_ = false;
        return 0;
      }
      value |= bits << shift;
      if ((next & 0x80) == 0) break;
    }
    if (value > std::numeric_limits<Integer>::max()) good_ = false;
    return static_cast<Integer>(value);
  }

  std::string text() {
    std::string all(bytes_.begin(), bytes_.end());
    bytes_ = {};
    return all;
  }

  bool complete() const { return good_ && bytes_.empty(); }
  void refuse() { good_ = false; }

 private:
  std::span<const std::uint8_t> bytes_;
  bool good_ = true;
};

Started start_of(Fields& fields) {
  if (fields.byte() != wire_version) fields.refuse();
  Started start;
  start.clock_hz = fields.integer<std::uint32_t>();
  start.plan_hash = fields.integer<std::uint32_t>();
  start.program = fields.text();
  return start;
}

Record record_of(Fields& fields) {
  Record record;
  const std::uint8_t kind = fields.byte();
  if (kind >= task_kinds.size()) fields.refuse();
  record.task.kind = static_cast<core::TaskKind>(kind);
  record.task.frame = fields.integer<std::uint32_t>();
  record.task.layer = fields.integer<std::uint16_t>();
  record.task.tile = fields.integer<std::uint32_t>();
  record.task.index = fields.integer<std::uint32_t>();
  record.start_ns = fields.integer();
  const std::uint64_t duration_ns = fields.integer();
  if (duration_ns > std::numeric_limits<std::uint64_t>::max() - record.start_ns) fields.refuse();
  record.end_ns = record.start_ns + duration_ns;
  record.bytes = fields.integer();
  return record;
}

PoolLevels levels_of(Fields& fields) {
  PoolLevels levels;
  levels.time_ns = fields.integer();
  levels.input = fields.integer<std::uint16_t>();
  levels.weights = fields.integer<std::uint16_t>();
  levels.output = fields.integer<std::uint16_t>();
  return levels;
}

Value value_of(Fields& fields) {
  Value value;
  value.value = fields.integer();
  value.name = fields.text();
  return value;
}

EndMessage end_of(Fields& fields) {
  EndMessage end;
  end.code = fields.byte();
  end.detail = fields.integer<std::uint32_t>();
  end.dropped = fields.integer<std::uint32_t>();
  return end;
}

std::optional<WireMessage> message_of(MessageType type, Fields& fields) {
  switch (type) {
    case MessageType::start:
      return start_of(fields);
    case MessageType::record:
      return record_of(fields);
    case MessageType::pools:
      return levels_of(fields);
    case MessageType::value:
      return value_of(fields);
    case MessageType::text:
      return Text{fields.text()};
    case MessageType::end:
      return end_of(fields);
  }
  return std::nullopt;
}

constexpr std::size_t head_bytes = 3;  // type and number

std::uint16_t number_of(std::span<const std::uint8_t> payload) {
  return static_cast<std::uint16_t>(payload[1] | payload[2] << 8);
}

}  // namespace

std::optional<WireMessage> parse_message(std::span<const std::uint8_t> payload) {
  if (payload.size() < head_bytes) return std::nullopt;
  Fields fields(payload.subspan(head_bytes));
  std::optional<WireMessage> message = message_of(static_cast<MessageType>(payload[0]), fields);
  if (message && !fields.complete()) message.reset();
  return message;
}

void WireReader::feed(std::span<const std::uint8_t> bytes) {
  statistics_.bytes += bytes.size();
  for (const std::uint8_t byte : bytes) {
    if (byte == 0) {
      end_frame();
      continue;
    }
    ++frame_bytes_;
    if (frame_.size() < longest_frame) frame_.push_back(byte);
  }
}

void WireReader::finish() {
  end_frame();
}

void WireReader::end_frame() {
  if (frame_bytes_ == 0) return;
  std::array<std::uint8_t, max_payload_bytes> payload;
  const std::optional<std::size_t> size =
      frame_bytes_ == frame_.size() ? decode_frame(frame_, payload) : std::optional<std::size_t>();
  const std::optional<WireMessage> message =
      size ? parse_message(std::span(payload).first(*size)) : std::optional<WireMessage>();
  if (message) {
    ++statistics_.messages;
    count_lost(number_of(payload), std::holds_alternative<Started>(*message));
    take_(*message);
  } else {
    ++statistics_.damaged_frames;
    statistics_.damaged_bytes += frame_bytes_;
  }
  frame_.clear();
  frame_bytes_ = 0;
}

void WireReader::count_lost(std::uint16_t number, bool start) {
  if (start) {
    if (next_number_) ++statistics_.restarts;
  } else {
    statistics_.lost_messages += static_cast<std::uint16_t>(number - next_number_.value_or(0));
  }
  next_number_ = static_cast<std::uint16_t>(number + 1);
}

std::vector<Record> WireTrace::records() const {
  std::vector<Record> found;
  for (const WireMessage& message : messages) {
    if (const auto* record = std::get_if<Record>(&message)) found.push_back(*record);
  }
  return found;
}

std::optional<std::uint64_t> WireTrace::value(std::string_view name) const {
  std::optional<std::uint64_t> found;
  for (const WireMessage& message : messages) {
    const auto* value = std::get_if<Value>(&message);
    if (value != nullptr && value->name == name) found = value->value;
  }
  return found;
}

void WireTrace::replay(Sink& sink) const {
  for (const WireMessage& message : messages) {
    if (const auto* record = std::get_if<Record>(&message)) sink.record(*record);
    if (const auto* levels = std::get_if<PoolLevels>(&message)) sink.pools(*levels);
  }
}

WireTrace parse_wire_trace(std::span<const std::uint8_t> bytes) {
  WireTrace trace;
  WireReader reader([&](const WireMessage& message) {
    if (const auto* start = std::get_if<Started>(&message)) trace.start = *start;
    if (const auto* end = std::get_if<EndMessage>(&message)) trace.end = *end;
    trace.messages.push_back(message);
  });
  reader.feed(bytes);
  reader.finish();
  trace.statistics = reader.statistics();
  return trace;
}

WireTrace read_wire_trace(const std::filesystem::path& path) {
  const std::string bytes = read_file(path);
  return parse_wire_trace({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

}  // namespace spillway::trace
