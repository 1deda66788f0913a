#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/trace/chrome_trace.hpp"
#include "sim/trace/csv_trace.hpp"
#include "sim/trace/tee.hpp"
#include "sim/trace/wire_file.hpp"
#include "sim/trace/wire_reader.hpp"
#include "tests/sim/trace/run.hpp"

namespace spillway::trace {
namespace {

using Bytes = std::vector<std::uint8_t>;

template <class Content>
Bytes sent(std::uint16_t number, const Content& content) {
  Bytes frame(frame_bytes(max_payload_bytes));
  frame.resize(encode_frame(message(number, content).view(), frame));
  return frame;
}

void append(Bytes& line, const Bytes& more) {
  line.insert(line.end(), more.begin(), more.end());
}

Record random_record(std::mt19937_64& random) {
  // Numbers of every length.
  const auto number = [&](unsigned bits) { return random() >> (64 - bits) >> random() % bits; };
  Record record;
  record.task.frame = static_cast<std::uint32_t>(number(32));
  record.task.tile = static_cast<std::uint32_t>(number(32));
  record.task.index = static_cast<std::uint32_t>(number(32));
  record.task.layer = static_cast<std::uint16_t>(number(16));
  record.task.kind = static_cast<core::TaskKind>(random() % 4);
  record.start_ns = number(63);
  record.end_ns = record.start_ns + number(63);
  record.bytes = number(64);
  return record;
}

void expect_equal(const Record& read, const Record& written) {
  EXPECT_EQ(read.task, written.task);
  EXPECT_EQ(read.start_ns, written.start_ns);
  EXPECT_EQ(read.end_ns, written.end_ns);
  EXPECT_EQ(read.bytes, written.bytes);
}

/// Messages numbered from 0, with one value for each.
std::vector<Bytes> numbered_values(std::uint32_t count) {
  std::vector<Bytes> frames;
  frames.push_back(sent(0, StartMessage{216000000, 0, "test"}));
  for (std::uint32_t i = 1; i < count; ++i)
    frames.push_back(sent(static_cast<std::uint16_t>(i), ValueMessage{i, "i"}));
  return frames;
}

TEST(Wire, GivesBackEveryKindOfMessage) {
  Bytes line = sent(0, StartMessage{216000000, 0xDEADBEEF, "self-test"});
  append(line, sent(1, PoolLevels{123456789012, 1, 0xFFFF, 300}));
  append(line, sent(2, ValueMessage{1024, "stack_bytes"}));
  append(line, sent(3, std::string_view("a line")));
  append(line, sent(4, EndMessage{17, 0xFFFFFFFF, 2}));
  const WireTrace trace = parse_wire_trace(line);

  ASSERT_TRUE(trace.start && trace.end);
  EXPECT_EQ(trace.start->program, "self-test");
  EXPECT_EQ(trace.start->clock_hz, 216000000u);
  EXPECT_EQ(trace.start->plan_hash, 0xDEADBEEF);
  const auto levels = std::get<PoolLevels>(trace.messages[1]);
  EXPECT_EQ(levels.time_ns, 123456789012u);
  EXPECT_EQ(levels.weights, 0xFFFF);
  EXPECT_EQ(trace.value("stack_bytes"), 1024u);
  EXPECT_EQ(trace.value("other"), std::nullopt);
  EXPECT_EQ(std::get<Text>(trace.messages[3]).text, "a line");
  EXPECT_EQ(trace.end->code, 17);
  EXPECT_EQ(trace.end->detail, 0xFFFFFFFF);
  EXPECT_EQ(trace.end->dropped, 2u);
  EXPECT_EQ(trace.statistics.messages, 5u);
  EXPECT_EQ(trace.statistics.bytes, line.size());
  EXPECT_EQ(trace.statistics.damaged_frames + trace.statistics.lost_messages + trace.statistics.restarts, 0u);
}

TEST(Wire, ARecordHasTheBytesThatTheDocumentSays) {
  Record record{{2, 300, 1, 5, core::TaskKind::compute}, 1000, 1005, 0};
  const MessageBytes bytes = message(0x0102, record);
  EXPECT_THAT(std::vector(bytes.view().begin(), bytes.view().end()),
              testing::ElementsAre(2, 0x02, 0x01, 2, 2, 5, 0xAC, 0x02, 1, 0xE8, 0x07, 5, 0));
}

TEST(Wire, GivesBackRandomRecordsInPiecesOfAnySize) {
  std::mt19937_64 random(1);
  std::vector<Record> written(5000);
  Bytes line = sent(0, StartMessage{});
  for (std::size_t i = 0; i < written.size(); ++i) {
    written[i] = random_record(random);
    append(line, sent(static_cast<std::uint16_t>(i + 1), written[i]));
  }
  std::vector<Record> read;
  WireReader reader([&](const WireMessage& message) {
    if (const auto* record = std::get_if<Record>(&message)) read.push_back(*record);
  });
  for (std::size_t from = 0; from < line.size();) {
    const std::size_t size = std::min<std::size_t>(1 + random() % 100, line.size() - from);
    reader.feed(std::span(line).subspan(from, size));
    from += size;
  }
  reader.finish();
  ASSERT_EQ(read.size(), written.size());
  for (std::size_t i = 0; i < read.size(); ++i)
    expect_equal(read[i], written[i]);
  EXPECT_EQ(reader.statistics().lost_messages, 0u);
}

TEST(Wire, CountsWhatWasLostAndFindsTheNextFrame) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const std::vector<Bytes> frames = numbered_values(200);
    Bytes line;
    std::vector<std::uint64_t> kept;
    std::uint64_t damaged = 0;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      Bytes frame = frames[i];
      const bool spare = i == 0 || i + 1 == frames.size();
      switch (spare ? 9 : random() % 10) {
        case 0:  // not sent at all
          continue;
        case 1: {  // a wrong bit, which must not make a zero of a byte: that would end the frame early
          const std::size_t at = random() % (frame.size() - 1);
          frame[at] = static_cast<std::uint8_t>(frame[at] ^ (frame[at] == 0x40 ? 0x20 : 0x40));
          ++damaged;
          break;
        }
        case 2: {  // garbage in front, ended by a zero: a frame that nobody sent
          append(line, {0x7F, 0x03, 0x01, 0x00});
          ++damaged;
          kept.push_back(i);
          break;
        }
        default:
          kept.push_back(i);
      }
      append(line, frame);
    }
    const WireTrace trace = parse_wire_trace(line);
    std::vector<std::uint64_t> read{0};
    for (const WireMessage& message : trace.messages) {
      if (const auto* value = std::get_if<Value>(&message)) read.push_back(value->value);
    }
    ASSERT_EQ(read, kept);
    EXPECT_EQ(trace.statistics.damaged_frames, damaged);
    EXPECT_EQ(trace.statistics.lost_messages, frames.size() - kept.size());
  }
}

TEST(Wire, ALostEndOfAFrameCostsTwo) {
  const std::vector<Bytes> frames = numbered_values(5);
  Bytes line = frames[0];
  append(line, frames[1]);
  line.pop_back();
  append(line, frames[2]);
  append(line, frames[3]);
  const WireTrace trace = parse_wire_trace(line);
  EXPECT_EQ(trace.statistics.messages, 2u);
  EXPECT_EQ(trace.statistics.lost_messages, 2u);
  EXPECT_EQ(trace.statistics.damaged_frames, 1u);
}

TEST(Wire, AReaderThatComesLateAndADeviceThatBeginsAgain) {
  const std::vector<Bytes> frames = numbered_values(4);
  Bytes line(frames[2].begin() + 3, frames[2].end());  // the rest of a frame
  append(line, frames[3]);
  append(line, frames[0]);
  append(line, frames[1]);
  line.insert(line.end(), frames[2].begin(), frames[2].end() - 2);  // the line ends within a frame
  const WireTrace trace = parse_wire_trace(line);
  EXPECT_EQ(trace.statistics.messages, 3u);
  EXPECT_EQ(trace.statistics.lost_messages, 3u);
  EXPECT_EQ(trace.statistics.restarts, 1u);
  EXPECT_EQ(trace.statistics.damaged_frames, 2u);
}

TEST(Wire, RefusesMessagesThatAreNotOfTheirForm) {
  const auto read = [](Bytes payload) { return parse_message(payload).has_value(); };
  const auto whole = message(1, Record{});
  Bytes record(whole.view().begin(), whole.view().end());
  EXPECT_TRUE(read(record));
  record.push_back(0);
  EXPECT_FALSE(read(record)) << "too long";
  record.resize(record.size() - 2);
  EXPECT_FALSE(read(record)) << "too short";
  EXPECT_FALSE(read({}));
  EXPECT_FALSE(read({2, 0}));
  EXPECT_FALSE(read({99, 0, 0})) << "unknown type";
  EXPECT_FALSE(read({2, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0})) << "unknown kind of task";
  EXPECT_FALSE(read({1, 0, 0, 2, 0, 0})) << "another version";
  EXPECT_TRUE(read({1, 0, 0, 1, 0, 0}));
  EXPECT_FALSE(read({3, 0, 0, 1, 0x80, 0x80, 4, 1, 1})) << "65,536 buffers";
  EXPECT_FALSE(read({4, 0, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02})) << "65 bits";
}

TEST(Wire, TheOtherWritersTakeWhatItReads) {
  const tests::Network network = tests::three_layers(4, 3, 2);
  const tests::Folder folder;
  WireFile wire(folder / "run.bin", {216000000, 7, "simulated"});
  CsvTrace direct_csv(folder / "direct.csv", network.names);
  ChromeTrace direct_chrome(folder / "direct.json", network.plan(), network.names);
  Tee tee({&wire, &direct_csv, &direct_chrome});
  ASSERT_GT(tests::run(network.plan(), tee), 0u);
  wire.finish();
  direct_csv.finish();
  direct_chrome.finish();

  const WireTrace trace = read_wire_trace(folder / "run.bin");
  ASSERT_TRUE(trace.end.has_value());
  CsvTrace csv(folder / "read.csv", network.names);
  ChromeTrace chrome(folder / "read.json", network.plan(), network.names);
  Tee replayed({&csv, &chrome});
  trace.replay(replayed);
  csv.finish();
  chrome.finish();
  EXPECT_EQ(tests::text_of(folder / "read.csv"), tests::text_of(folder / "direct.csv"));
  EXPECT_EQ(tests::text_of(folder / "read.json"), tests::text_of(folder / "direct.json"));
  EXPECT_FALSE(trace.records().empty());
}

TEST(Wire, AFileThatIsNotThereIsAnError) {
  const tests::Folder folder;
  EXPECT_THROW(read_wire_trace(folder / "none.bin"), FileError);
}

}  // namespace
}  // namespace spillway::trace
