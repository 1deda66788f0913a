#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "hw/hil/messages.hpp"
#include "sim/core/plan.hpp"
#include "sim/core/scheduler.hpp"
#include "sim/trace/frame.hpp"

namespace spillway::hil {

/// The device's side of lockstep: takes the bytes of the line one by one and gives those of the answers. It knows no
/// port and no clock. Freestanding.
class Responder {
 public:
  /// `plan` and `storage` (Scheduler::storage_words) must outlive it. `cycles`: a counter of the processor's cycles
  /// that runs on and wraps at 32 bits; null: nothing is measured.
  Responder(const core::Plan& plan, std::uint64_t plan_hash, std::string_view program, std::span<std::uint32_t> storage,
            std::uint32_t (*cycles)() = nullptr)
      : plan_(plan), plan_hash_(plan_hash), program_(program), storage_(storage), cycles_(cycles) {}

  /// Takes a byte. Not empty: a frame to be sent before the next byte is taken.
  std::span<const std::uint8_t> take(std::uint8_t byte) {
    if (byte != 0) {
      // What is longer than any frame is garbage; it ends with the next zero byte.
      if (frame_size_ < frame_.size()) frame_[frame_size_] = byte;
      if (frame_size_ <= frame_.size()) ++frame_size_;
      return {};
    }
    const std::size_t size = frame_size_;
    frame_size_ = 0;
    if (size > frame_.size()) return {};
    const std::optional<std::size_t> payload = trace::decode_frame({frame_.data(), size}, payload_);
    if (!payload || *payload == 0) return {};
    return answer({payload_.data(), *payload});
  }

  /// The host has ended the run, and why.
  std::optional<StopCode> stopped() const { return stopped_; }

 private:
  std::span<const std::uint8_t> answer(std::span<const std::uint8_t> payload) {
    Reader in(payload);
    const std::uint8_t type = in.byte();
    switch (static_cast<Type>(type)) {
      case Type::greet:
        return greet(in);
      case Type::step:
        if (const std::optional<Step> step = read_step(in)) return take_step(*step);
        break;
      case Type::stop:
        if (const std::optional<Stop> stop = read_stop(in)) {
          stopped_ = stop->code;
          return send(message(Type::stopped, *stop));
        }
        break;
      default:
        return {};  // not for a device
    }
    return send(message(Refusal{Refusal::Reason::message, type}));
  }

  std::span<const std::uint8_t> greet(Reader in) {
    if (in.byte() != protocol_version) return send(message(Refusal{Refusal::Reason::version, protocol_version}));
    const std::optional<Greet> greet = read_greet(in);
    if (!greet) return send(message(Refusal{Refusal::Reason::message, static_cast<std::uint8_t>(Type::greet)}));
    if (session_ != greet->session || last_.number != 0) {
      session_ = greet->session;
      stopped_.reset();
      last_ = {};
      status_ = scheduler_.start(plan_, storage_);
    }
    return send(message(Hello{*session_, plan_hash_, status_, static_cast<std::uint32_t>(plan_.layers.size()),
                              plan_.frames, plan_.window, program_}));
  }

  std::span<const std::uint8_t> take_step(const Step& step) {
    if (!session_ || status_ != core::Status::ok) return send(message(Refusal{Refusal::Reason::no_greet, 0}));
    if (step.number == last_.number + 1)
      decide(step);
    else if (step.number != last_.number)
      return send(message(Refusal{Refusal::Reason::order, last_.number + 1}));
    return send(message(last_));
  }

  void decide(const Step& step) {
    const std::uint32_t begin = cycles_ != nullptr ? cycles_() : 0;
    last_ = {};
    last_.number = step.number;
    for (const std::optional<core::Task>& ended : {step.ended_compute, step.ended_io})
      if (ended && last_.status == core::Status::ok) last_.status = scheduler_.finish(*ended);
    if (last_.status == core::Status::ok) {
      if (step.select_io) last_.io = scheduler_.select_io();
      if (step.select_compute) last_.compute = scheduler_.select_compute();
    }
    if (cycles_ != nullptr) last_.cycles = cycles_() - begin;
    last_.done = scheduler_.done();
    last_.stalled = scheduler_.stalled();
  }

  std::span<const std::uint8_t> send(const Writer& message) {
    return {out_.data(), trace::encode_frame(message.view(), out_)};
  }

  core::Plan plan_;
  std::uint64_t plan_hash_;
  std::string_view program_;
  std::span<std::uint32_t> storage_;
  std::uint32_t (*cycles_)();

  core::Scheduler scheduler_;
  std::optional<std::uint32_t> session_;
  core::Status status_ = core::Status::ok;
  Decisions last_;  ///< the answer to the last step; number 0: none was made
  std::optional<StopCode> stopped_;

  static constexpr std::size_t stuffed_bytes = trace::frame_bytes(trace::max_payload_bytes) - 1;
  std::array<std::uint8_t, stuffed_bytes> frame_{};  ///< as far as it has come
  std::size_t frame_size_ = 0;                       ///< one more than there is room for: too long
  std::array<std::uint8_t, trace::max_payload_bytes> payload_{};
  std::array<std::uint8_t, trace::frame_bytes(trace::max_payload_bytes)> out_{};
};

}  // namespace spillway::hil
