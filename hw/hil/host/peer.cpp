#include "hw/hil/host/peer.hpp"

#include <array>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "sim/trace/wire_reader.hpp"

namespace spillway::hil {
namespace {

using Clock = std::chrono::steady_clock;

std::string reason_of(const Refusal& refusal) {
  switch (refusal.reason) {
    case Refusal::Reason::version:
      return fmt::format("it speaks version {} of the protocol, this program {}", refusal.detail, protocol_version);
    case Refusal::Reason::no_greet:
      return "it was not greeted: it has begun again";
    case Refusal::Reason::order:
      return fmt::format("step {} was due: it has begun again, or a step was lost", refusal.detail);
    case Refusal::Reason::message:
      return fmt::format("a message of type {:#04x} does not have its form", refusal.detail);
  }
  return fmt::format("for a reason that this program does not know ({})", static_cast<int>(refusal.reason));
}

}  // namespace

Peer::Device Peer::greet(std::uint32_t session) {
  Device device;
  ask(message(Greet{session}), "the greeting", [&](Type type, Reader in) {
    if (type != Type::hello) return false;
    if (const std::uint8_t version = in.byte(); version != protocol_version)
      throw PeerError(reason_of({Refusal::Reason::version, version}));
    const std::optional<Hello> hello = read_hello(in);
    if (!hello || hello->session != session) return false;
    device = {*hello, std::string(hello->program)};
    device.hello.program = {};
    return true;
  });
  return device;
}

Decisions Peer::step(const Step& step) {
  Decisions decisions;
  ask(message(step), fmt::format("step {}", step.number), [&](Type type, Reader in) {
    if (type != Type::decisions) return false;
    const std::optional<Decisions> found = read_decisions(in);
    if (!found || found->number != step.number) return false;
    decisions = *found;
    return true;
  });
  return decisions;
}

void Peer::stop(StopCode code) {
  try {
    const Writer question = message(Type::stop, Stop{code});
    std::array<std::uint8_t, trace::frame_bytes(trace::max_payload_bytes)> frame;
    line_.send(std::span(frame).first(trace::encode_frame(question.view(), frame)));
    ++statistics_.sent;
    await(Clock::now() + patience_.answer, [](Type type, Reader) { return type == Type::stopped; });
  } catch (const LineError&) {
    // A device that ends closes its line.
  } catch (const PeerError&) {
    // Whatever it says, nothing follows.
  }
}

void Peer::ask(const Writer& question, const std::string& what, const std::function<bool(Type, Reader)>& accept) {
  // A zero byte in front ends whatever garbage the other end has taken for the beginning of a frame.
  std::array<std::uint8_t, 1 + trace::frame_bytes(trace::max_payload_bytes)> frame{};
  const std::size_t size = 1 + trace::encode_frame(question.view(), std::span(frame).subspan(1));
  for (unsigned attempt = 0; attempt <= patience_.repeats; ++attempt) {
    line_.send(std::span(frame).first(size));
    ++statistics_.sent;
    if (attempt > 0) ++statistics_.repeated;
    if (await(Clock::now() + patience_.answer, accept)) return;
  }
  throw PeerError(fmt::format("no answer to {} within {} ms, asked {} times", what, patience_.answer.count(),
                              patience_.repeats + 1));
}

bool Peer::await(Clock::time_point deadline, const std::function<bool(Type, Reader)>& accept) {
  for (;;) {
    while (!waiting_.empty()) {
      const Payload payload = std::move(waiting_.front());
      waiting_.erase(waiting_.begin());
      if (take(payload, accept)) return true;
    }
    if (Clock::now() >= deadline) return false;
    for (const std::uint8_t byte : line_.receive(deadline)) {
      if (byte != 0) {
        if (frame_.size() < trace::frame_bytes(trace::max_payload_bytes)) frame_.push_back(byte);
        continue;
      }
      if (frame_.empty()) continue;
      Payload payload(trace::max_payload_bytes);
      if (const auto bytes = trace::decode_frame(frame_, payload); bytes && *bytes > 0) {
        payload.resize(*bytes);
        waiting_.push_back(std::move(payload));
      } else {
        ++statistics_.damaged_frames;
      }
      frame_.clear();
    }
  }
}

bool Peer::take(const Payload& payload, const std::function<bool(Type, Reader)>& accept) {
  Reader in(payload);
  const auto type = static_cast<Type>(in.byte());
  if (accept(type, in)) return true;
  if (type == Type::refused) {
    if (const std::optional<Refusal> refusal = read_refusal(in))
      throw PeerError("the device refuses: " + reason_of(*refusal));
  }
  // A firmware that fails says so in the messages of its trace.
  if (const std::optional<trace::WireMessage> told = trace::parse_message(payload)) {
    if (const auto* const end = std::get_if<trace::EndMessage>(&*told); end != nullptr && end->code != 0)
      throw PeerError(fmt::format("the firmware ended with error {} (detail {:#x})", end->code, end->detail));
  }
  ++statistics_.other_messages;
  return false;
}

}  // namespace spillway::hil
