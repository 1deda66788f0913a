#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "sim/core/scheduler.hpp"
#include "sim/core/task.hpp"
#include "sim/trace/frame.hpp"

/// Lockstep with a firmware: the host keeps virtual time and says which tasks have ended, the device's scheduler
/// decides what starts. README.md describes the bytes. Freestanding: firmware compiles it as well.
namespace spillway::hil {

inline constexpr std::uint8_t protocol_version = 1;

/// First byte of a message; those of a trace (sim/trace/wire.hpp) are below.
enum class Type : std::uint8_t {
  greet = 0x20,      ///< host: Greet
  hello = 0x21,      ///< device, to greet: Hello
  step = 0x22,       ///< host: Step
  decisions = 0x23,  ///< device, to step: Decisions
  stop = 0x24,       ///< host: Stop
  stopped = 0x25,    ///< device, to stop: Stop with the same code
  refused = 0x26,    ///< device: Refusal
};

/// Begins a run; the device starts its plan anew, unless the session is the one that it is in and no step was made.
struct Greet {
  std::uint32_t session = 0;  ///< another one for each run
};

struct Hello {
  std::uint32_t session = 0;
  std::uint64_t plan_hash = 0;             ///< execution::hash_of
  core::Status status = core::Status::ok;  ///< of Scheduler::start
  std::uint32_t layers = 0, frames = 0, window = 0;
  std::string_view program;  ///< at most 100 bytes
};

/// An instant of virtual time. Ended tasks are finished first, compute before IO; then IO is selected, then compute,
/// where the host says that the resource is free.
struct Step {
  std::uint32_t number = 0;  ///< 1, 2, ...: a number that comes again is answered with the same decisions
  std::uint64_t now_ns = 0;
  std::optional<core::Task> ended_io, ended_compute;
  bool select_io = false, select_compute = false;
};

struct Decisions {
  std::uint32_t number = 0;                ///< of the step
  core::Status status = core::Status::ok;  ///< of the first finish() that was not ok; then nothing was selected
  std::optional<core::Task> io, compute;   ///< that start now
  bool done = false, stalled = false;
  std::uint32_t cycles = 0;  ///< of the device's processor, spent in the scheduler; 0: not measured

  friend constexpr bool operator==(const Decisions&, const Decisions&) = default;
};

enum class StopCode : std::uint8_t { well = 0, difference = 1, given_up = 2 };

struct Stop {
  StopCode code = StopCode::well;
};

/// The device cannot do what a message asks for.
struct Refusal {
  enum class Reason : std::uint8_t {
    version = 1,   ///< of another protocol; `detail`: its own
    no_greet = 2,  ///< a step before a greet
    order = 3,     ///< another step was due; `detail`: its number
    message = 4,   ///< not of the form of its type; `detail`: the type
  };
  Reason reason = Reason::message;
  std::uint32_t detail = 0;
};

/// A message in the making.
class Writer {
 public:
  constexpr explicit Writer(Type type) { byte(static_cast<std::uint8_t>(type)); }

  constexpr void byte(std::uint8_t value) {
    if (size_ < bytes_.size()) bytes_[size_++] = value;
  }
  /// Seven bits to a byte, the lowest first; the highest bit says that more follow (LEB128).
  constexpr void integer(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      byte(static_cast<std::uint8_t>(value | 0x80));
    byte(static_cast<std::uint8_t>(value));
  }
  constexpr void task(const core::Task& task) {
    byte(static_cast<std::uint8_t>(task.kind));
    integer(task.frame);
    integer(task.layer);
    integer(task.tile);
    integer(task.index);
  }
  constexpr void text(std::string_view text) {
    for (const char character : text.substr(0, max_text_bytes))
      byte(static_cast<std::uint8_t>(character));
  }
  constexpr std::span<const std::uint8_t> view() const { return {bytes_.data(), size_}; }

  static constexpr std::size_t max_text_bytes = 100;

 private:
  std::array<std::uint8_t, trace::max_payload_bytes> bytes_{};
  std::size_t size_ = 0;
};

/// Takes a message apart. After a byte that is not there or a number that is too large, ok() is false.
class Reader {
 public:
  constexpr explicit Reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  constexpr std::uint8_t byte() {
    if (at_ < bytes_.size()) return bytes_[at_++];
    ok_ = false;
    return 0;
  }
  constexpr std::uint64_t integer() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t next = byte();
      value |= std::uint64_t{next & 0x7FU} << shift;
      if ((next & 0x80) == 0) return value;
    }
    ok_ = false;
    return 0;
  }
  constexpr std::uint32_t integer32() {
    const std::uint64_t value = integer();
    if (value > 0xFFFFFFFF) ok_ = false;
    return static_cast<std::uint32_t>(value);
  }
  constexpr core::Task task() {
    core::Task task;
    const std::uint8_t kind = byte();
    if (kind > static_cast<std::uint8_t>(core::TaskKind::write_output)) ok_ = false;
    task.kind = static_cast<core::TaskKind>(kind);
    task.frame = integer32();
    const std::uint32_t layer = integer32();
    if (layer > 0xFFFF) ok_ = false;
    task.layer = static_cast<std::uint16_t>(layer);
    task.tile = integer32();
    task.index = integer32();
    return task;
  }
  std::string_view text() {
    const auto* const begin = reinterpret_cast<const char*>(bytes_.data());
    const std::string_view rest(begin + at_, bytes_.size() - at_);
    at_ = bytes_.size();
    return rest;
  }
  /// Nothing was missing, too large, or left over.
  constexpr bool complete() const { return ok_ && at_ == bytes_.size(); }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

constexpr Writer message(const Greet& greet) {
  Writer out(Type::greet);
  out.byte(protocol_version);
  out.integer(greet.session);
  return out;
}

constexpr Writer message(const Hello& hello) {
  Writer out(Type::hello);
  out.byte(protocol_version);
  out.integer(hello.session);
  out.integer(hello.plan_hash);
  out.byte(static_cast<std::uint8_t>(hello.status));
  out.integer(hello.layers);
  out.integer(hello.frames);
  out.integer(hello.window);
  out.text(hello.program);
  return out;
}

constexpr Writer message(const Step& step) {
  Writer out(Type::step);
  out.integer(step.number);
  out.integer(step.now_ns);
  out.byte(static_cast<std::uint8_t>((step.ended_io ? 1U : 0U) | (step.ended_compute ? 2U : 0U) |
                                     (step.select_io ? 4U : 0U) | (step.select_compute ? 8U : 0U)));
  if (step.ended_io) out.task(*step.ended_io);
  if (step.ended_compute) out.task(*step.ended_compute);
  return out;
}

constexpr Writer message(const Decisions& decisions) {
  Writer out(Type::decisions);
  out.integer(decisions.number);
  out.byte(static_cast<std::uint8_t>(decisions.status));
  out.byte(static_cast<std::uint8_t>((decisions.io ? 1U : 0U) | (decisions.compute ? 2U : 0U) |
                                     (decisions.done ? 4U : 0U) | (decisions.stalled ? 8U : 0U)));
  if (decisions.io) out.task(*decisions.io);
  if (decisions.compute) out.task(*decisions.compute);
  out.integer(decisions.cycles);
  return out;
}

constexpr Writer message(Type type, const Stop& stop) {
  Writer out(type);
  out.byte(static_cast<std::uint8_t>(stop.code));
  return out;
}

constexpr Writer message(const Refusal& refusal) {
  Writer out(Type::refused);
  out.byte(static_cast<std::uint8_t>(refusal.reason));
  out.integer(refusal.detail);
  return out;
}

// Each reads what follows the type, and a version where there is one. Empty: not of that form.

constexpr std::optional<Greet> read_greet(Reader in) {
  const Greet greet{in.integer32()};
  return in.complete() ? std::optional(greet) : std::nullopt;
}

inline std::optional<Hello> read_hello(Reader in) {
  Hello hello;
  hello.session = in.integer32();
  hello.plan_hash = in.integer();
  hello.status = static_cast<core::Status>(in.byte());
  hello.layers = in.integer32();
  hello.frames = in.integer32();
  hello.window = in.integer32();
  hello.program = in.text();
  return in.complete() ? std::optional(hello) : std::nullopt;
}

constexpr std::optional<Step> read_step(Reader in) {
  Step step;
  step.number = in.integer32();
  step.now_ns = in.integer();
  const std::uint8_t flags = in.byte();
  if ((flags & 1) != 0) step.ended_io = in.task();
  if ((flags & 2) != 0) step.ended_compute = in.task();
  step.select_io = (flags & 4) != 0;
  step.select_compute = (flags & 8) != 0;
  return in.complete() ? std::optional(step) : std::nullopt;
}

constexpr std::optional<Decisions> read_decisions(Reader in) {
  Decisions decisions;
  decisions.number = in.integer32();
  decisions.status = static_cast<core::Status>(in.byte());
  const std::uint8_t flags = in.byte();
  if ((flags & 1) != 0) decisions.io = in.task();
  if ((flags & 2) != 0) decisions.compute = in.task();
  decisions.done = (flags & 4) != 0;
  decisions.stalled = (flags & 8) != 0;
  decisions.cycles = in.integer32();
  return in.complete() ? std::optional(decisions) : std::nullopt;
}

constexpr std::optional<Stop> read_stop(Reader in) {
  const Stop stop{static_cast<StopCode>(in.byte())};
  return in.complete() ? std::optional(stop) : std::nullopt;
}

constexpr std::optional<Refusal> read_refusal(Reader in) {
  Refusal refusal;
  refusal.reason = static_cast<Refusal::Reason>(in.byte());
  refusal.detail = in.integer32();
  return in.complete() ? std::optional(refusal) : std::nullopt;
}

}  // namespace spillway::hil
