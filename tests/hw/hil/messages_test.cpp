#include "hw/hil/messages.hpp"

#include <optional>
#include <vector>

#include <gtest/gtest.h>

namespace spillway::hil {
namespace {

const core::Task task{.frame = 70000, .tile = 5, .index = 300, .layer = 12, .kind = core::TaskKind::read_weights};
const core::Task other{.frame = 1, .tile = 0, .index = 0, .layer = 0, .kind = core::TaskKind::compute};

/// What stands behind the type.
Reader behind_type(const Writer& writer) {
  return Reader(writer.view().subspan(1));
}

TEST(HilMessages, StepsAreReadAsTheyWereWritten) {
  for (int which = 0; which < 16; ++which) {
    Step step{.number = 4000000000U, .now_ns = 1ULL << 62, .ended_io = {}, .ended_compute = {}};
    if ((which & 1) != 0) step.ended_io = task;
    if ((which & 2) != 0) step.ended_compute = other;
    step.select_io = (which & 4) != 0;
    step.select_compute = (which & 8) != 0;
    const std::optional<Step> read = read_step(behind_type(message(step)));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->number, step.number);
    EXPECT_EQ(read->now_ns, step.now_ns);
    EXPECT_EQ(read->ended_io, step.ended_io);
    EXPECT_EQ(read->ended_compute, step.ended_compute);
    EXPECT_EQ(read->select_io, step.select_io);
    EXPECT_EQ(read->select_compute, step.select_compute);
  }
}

TEST(HilMessages, DecisionsAreReadAsTheyWereWritten) {
  for (int which = 0; which < 16; ++which) {
    Decisions decisions{.number = 7, .status = core::Status::not_selected, .io = {}, .compute = {}};
    if ((which & 1) != 0) decisions.io = task;
    if ((which & 2) != 0) decisions.compute = other;
    decisions.done = (which & 4) != 0;
    decisions.stalled = (which & 8) != 0;
    decisions.cycles = 123456;
    EXPECT_EQ(read_decisions(behind_type(message(decisions))), decisions);
  }
}

TEST(HilMessages, TheBytesThatReadmeGives) {
  const Step step{.number = 300, .now_ns = 1000, .ended_io = task, .ended_compute = {}, .select_io = true};
  const std::vector<std::uint8_t> expected = {0x22, 0xAC, 0x02, 0xE8, 0x07, 0x05, 0x01,
                                              0xF0, 0xA2, 0x04, 0x0C, 0x05, 0xAC, 0x02};
  const Writer writer = message(step);
  EXPECT_EQ(std::vector<std::uint8_t>(writer.view().begin(), writer.view().end()), expected);
}

TEST(HilMessages, NothingThatIsCutOrTooLongIsRead) {
  const Writer writer = message(Step{.number = 9, .now_ns = 5, .ended_io = task, .ended_compute = other});
  const auto bytes = writer.view();
  for (std::size_t size = 1; size < bytes.size(); ++size)
    EXPECT_FALSE(read_step(Reader(bytes.subspan(1, size - 1)))) << size;
  std::vector<std::uint8_t> longer(bytes.begin() + 1, bytes.end());
  longer.push_back(0);
  EXPECT_FALSE(read_step(Reader(longer)));
}

TEST(HilMessages, ATaskOfNoKindIsRefused) {
  Writer writer(Type::step);
  writer.integer(1);
  writer.integer(0);
  writer.byte(1);
  writer.byte(4);  // kinds end at 3
  for (int field = 0; field < 4; ++field)
    writer.integer(0);
  EXPECT_FALSE(read_step(behind_type(writer)));
}

TEST(HilMessages, TheLongestFitsAFrame) {
  const core::Task largest{0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFF, core::TaskKind::write_output};
  const Step step{0xFFFFFFFF, ~0ULL, largest, largest, true, true};
  EXPECT_TRUE(read_step(behind_type(message(step))));
  const std::string name(150, 'x');
  const Hello hello{1, ~0ULL, core::Status::ok, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, name};
  const Writer writer = message(hello);
  Reader in = behind_type(writer);
  EXPECT_EQ(in.byte(), protocol_version);
  EXPECT_EQ(read_hello(in)->program.size(), Writer::max_text_bytes);
}

}  // namespace
}  // namespace spillway::hil
