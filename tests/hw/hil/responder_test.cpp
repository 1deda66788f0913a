#include "hw/hil/responder.hpp"

#include <array>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

namespace spillway::hil {
namespace {

constexpr std::uint64_t plan_hash = 0x0123456789abcdef;

/// A layer of two tiles without weights: read, compute, write, each twice.
struct TwoTiles {
  std::array<core::Layer, 1> layers{};
  std::array<core::Part, 1> parts{core::Part{0, 1, 0, core::network_input, false}};
  core::Plan plan;

  TwoTiles() {
    core::Layer& layer = layers[0];
    layer.channels = 1;
    layer.height = 2;
    layer.width = 1;
    layer.tile_channels = layer.tile_height = layer.tile_width = 1;
    layer.rows = 2;
    layer.input_height = 2;
    layer.input_width = 1;
    layer.parts = 1;
    layer.filter_work = 1;
    plan.layers = layers;
    plan.parts = parts;
    plan.pools = core::Pools::quarters(4);
    plan.buffer_bytes = 512;
  }
};

class HilResponder : public ::testing::Test {
 protected:
  HilResponder()
      : words_(core::Scheduler::storage_words(core::size_of(tiles_.plan))),
        responder_(tiles_.plan, plan_hash, "test", words_) {}

  /// What comes back for a frame: its payload, or nothing.
  std::vector<std::uint8_t> send(const Writer& message) {
    std::array<std::uint8_t, trace::frame_bytes(trace::max_payload_bytes)> frame{};
    const std::size_t size = trace::encode_frame(message.view(), frame);
    return feed({frame.data(), size});
  }

  std::vector<std::uint8_t> feed(std::span<const std::uint8_t> bytes) {
    std::vector<std::uint8_t> payload;
    for (const std::uint8_t byte : bytes) {
      const auto answer = responder_.take(byte);
      if (answer.empty()) continue;
      EXPECT_TRUE(payload.empty()) << "one answer to one question";
      payload.resize(trace::max_payload_bytes);
      const auto length = trace::decode_frame(answer.first(answer.size() - 1), payload);
      payload.resize(length.value_or(0));
    }
    return payload;
  }

  Decisions step(const Step& step) {
    const std::vector<std::uint8_t> answer = send(message(step));
    EXPECT_FALSE(answer.empty());
    Reader in(answer);
    EXPECT_EQ(in.byte(), static_cast<std::uint8_t>(Type::decisions));
    return read_decisions(in).value_or(Decisions{});
  }

  Refusal refusal(const std::vector<std::uint8_t>& answer) {
    Reader in(answer);
    EXPECT_EQ(in.byte(), static_cast<std::uint8_t>(Type::refused));
    return read_refusal(in).value_or(Refusal{});
  }

  TwoTiles tiles_;
  std::vector<std::uint32_t> words_;
  Responder responder_;
};

const Step first{
    .number = 1, .now_ns = 0, .ended_io = {}, .ended_compute = {}, .select_io = true, .select_compute = true};

TEST_F(HilResponder, SaysWhatItRuns) {
  const std::vector<std::uint8_t> answer = send(message(Greet{42}));
  Reader in(answer);
  EXPECT_EQ(in.byte(), static_cast<std::uint8_t>(Type::hello));
  EXPECT_EQ(in.byte(), protocol_version);
  const std::optional<Hello> hello = read_hello(in);
  ASSERT_TRUE(hello);
  EXPECT_EQ(hello->session, 42u);
  EXPECT_EQ(hello->plan_hash, plan_hash);
  EXPECT_EQ(hello->layers, 1u);
  EXPECT_EQ(hello->program, "test");
}

TEST_F(HilResponder, RunsAPlanToItsEnd) {
  send(message(Greet{1}));
  Step next = first;
  std::optional<core::Task> io, compute;
  int tasks = 0;
  for (; next.number < 20; ++next.number) {
    const Decisions decisions = step(next);
    ASSERT_EQ(decisions.status, core::Status::ok);
    if (decisions.io) io = decisions.io;
    if (decisions.compute) compute = decisions.compute;
    tasks += (decisions.io ? 1 : 0) + (decisions.compute ? 1 : 0);
    if (decisions.done) break;
    // IO ends first.
    next.ended_io = io;
    next.ended_compute = io ? std::nullopt : compute;
    if (io)
      io.reset();
    else
      compute.reset();
    next.select_io = !io;
    next.select_compute = !compute;
  }
  EXPECT_EQ(tasks, 6);
  EXPECT_LT(next.number, 20u);
}

TEST_F(HilResponder, AStepThatComesAgainHasTheSameAnswer) {
  send(message(Greet{1}));
  const Decisions decided = step(first);
  ASSERT_TRUE(decided.io);
  EXPECT_EQ(step(first), decided);
  EXPECT_EQ(step(first), decided);
}

TEST_F(HilResponder, RefusesWhatIsNotDue) {
  EXPECT_EQ(refusal(send(message(first))).reason, Refusal::Reason::no_greet);
  send(message(Greet{1}));
  Step late = first;
  late.number = 3;
  const Refusal order = refusal(send(message(late)));
  EXPECT_EQ(order.reason, Refusal::Reason::order);
  EXPECT_EQ(order.detail, 1u);
  Writer other(Type::greet);
  other.byte(protocol_version + 1);
  other.integer(1);
  EXPECT_EQ(refusal(send(other)).reason, Refusal::Reason::version);
  Writer cut(Type::step);
  cut.integer(1);
  EXPECT_EQ(refusal(send(cut)).reason, Refusal::Reason::message);
}

TEST_F(HilResponder, SaysWhereItDoesNotKnowWhatEnded) {
  send(message(Greet{1}));
  Step wrong = first;
  wrong.ended_compute = core::Task{.frame = 0, .tile = 1, .index = 0, .layer = 0, .kind = core::TaskKind::compute};
  const Decisions decisions = step(wrong);
  EXPECT_EQ(decisions.status, core::Status::not_selected);
  EXPECT_FALSE(decisions.io);
}

TEST_F(HilResponder, ANewSessionBeginsAnew) {
  send(message(Greet{1}));
  const Decisions decided = step(first);
  send(message(Greet{2}));
  EXPECT_EQ(step(first), decided);
}

TEST_F(HilResponder, GarbageCostsNoMoreThanTheFrameItFallsInto) {
  send(message(Greet{1}));
  std::vector<std::uint8_t> garbage(5000, 0x7F);
  garbage.push_back(0);
  EXPECT_TRUE(feed(garbage).empty());
  std::array<std::uint8_t, trace::frame_bytes(trace::max_payload_bytes)> frame{};
  const std::size_t size = trace::encode_frame(message(first).view(), frame);
  for (std::size_t at = 0; at + 1 < size; ++at) {
    for (const std::uint8_t flip : {std::uint8_t{0x01}, std::uint8_t{0x80}}) {
      auto damaged = frame;
      damaged[at] ^= flip;
      // A new zero byte may leave the beginning of a frame behind it.
      std::vector<std::uint8_t> bytes(damaged.begin(), damaged.begin() + static_cast<std::ptrdiff_t>(size));
      bytes.push_back(0);
      EXPECT_TRUE(feed(bytes).empty()) << "byte " << at;
    }
  }
  EXPECT_TRUE(step(first).io);
}

TEST_F(HilResponder, StopsWithTheHostsCode) {
  send(message(Greet{1}));
  EXPECT_FALSE(responder_.stopped());
  send(message(Type::stop, Stop{StopCode::difference}));
  EXPECT_EQ(responder_.stopped(), StopCode::difference);
  send(message(Greet{2}));
  EXPECT_FALSE(responder_.stopped());
}

}  // namespace
}  // namespace spillway::hil
