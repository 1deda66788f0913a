#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platforms/board.hpp"
#include "platforms/card.hpp"
#include "platforms/catalogue.hpp"
#include "platforms/cluster.hpp"
#include "platforms/problems.hpp"

namespace spillway::platforms {
namespace {

using ::testing::ElementsAre;

std::string shipped(const std::string& file) {
  std::ifstream stream(data_directory() / "platforms" / file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// The text with one occurrence of `from` replaced.
std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

template <typename Parse>
std::string error_of(Parse parse, const std::string& yaml) {
  try {
    parse(yaml, "f.yaml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::vector<Figure> figures_of(const Board& board) {
  std::vector<Figure> all = {board.sram,       board.flash,      board.clock,        board.compute_overhead,
                             board.contention, board.idle_power, board.compute_power};
  all.insert(all.end(), board.rates.begin(), board.rates.end());
  for (const auto& cost : {board.crypto.cpu, board.crypto.accelerator}) {
    if (cost) all.push_back(*cost);
  }
  return all;
}

std::vector<Figure> figures_of(const Card& card) {
  return {card.read_overhead, card.read_bandwidth, card.write_overhead, card.write_bandwidth,    card.power,
          card.capacity,      card.endurance,      card.erase_block,    card.write_amplification};
}

void expect_sources(const std::vector<Figure>& figures, const std::string& name) {
  for (const Figure& figure : figures) {
    EXPECT_GT(figure.source.size(), 10u) << name;
    EXPECT_EQ(figure.assumed, figure.source.starts_with("assumed, ")) << name << ": " << figure.source;
  }
}

TEST(PartFiles, AllLoadAndEveryFigureHasItsSource) {
  EXPECT_THAT(board_names(), ElementsAre("stm32f746g-disco", "stm32h743", "swapnn-paper"));
  for (const std::string& name : board_names()) {
    const Board board = load_board(name);
    EXPECT_EQ(board.name, name);
    expect_sources(figures_of(board), name);
  }
  EXPECT_THAT(card_names(), ElementsAre("a1-class", "f746-disco-measured", "swapnn-paper", "swapnn-paper-full-buffer",
                                        "teensy41-measured"));
  for (const std::string& name : card_names()) {
    const Card card = load_card(name);
    EXPECT_EQ(card.name, name);
    expect_sources(figures_of(card), name);
  }
  for (const std::string& name : cluster_names()) {
    const Cluster cluster = load_cluster(name);
    EXPECT_EQ(cluster.name, name);
    expect_sources({cluster.link_bandwidth, cluster.link_latency}, name);
  }
}

TEST(PartFiles, PaperBoardAndCards) {
  const Board board = load_board("swapnn-paper");
  EXPECT_EQ(board.sram.value, 512 * 1024);
  std::vector<double> rates;
  for (const Figure& rate : board.rates)
    rates.push_back(rate.value);
  EXPECT_THAT(rates, ElementsAre(25e6, 80e6, 25e6, 80e6, 200e6, 200e6));
  EXPECT_EQ(board.contention.value, 0);
  EXPECT_NEAR(board.compute_power.value, 0.07 * 3600 / 178, 5e-4);

  const Card card = load_card("swapnn-paper");
  EXPECT_EQ(card.read_overhead.value, 0.0009);
  EXPECT_EQ(card.write_bandwidth.value, 4.31e6);
  EXPECT_FALSE(card.full_buffers);
  const Card full = load_card("swapnn-paper-full-buffer");
  EXPECT_TRUE(full.full_buffers);
  // The published time of an operation: 257.824 s / 85,024 and 52.4849 s / 2,248.
  const auto operation_s = [&](double bytes) { return full.read_overhead.value + bytes / full.read_bandwidth.value; };
  EXPECT_NEAR(operation_s(16 * 1024) / (257.824 / 85024), 1, 0.01);
  EXPECT_NEAR(operation_s(128 * 1024) / (52.4849 / 2248), 1, 0.01);
}

TEST(PartFiles, EnergyBenchmarkOfThePaper) {
  const Board board = load_board("stm32f746g-disco");
  EXPECT_NEAR(board.contention.value, 1 - 178.0 / 213, 5e-4);
  const Card card = load_card("f746-disco-measured");
  const double out_of_core_wh = (board.compute_power.value + card.power.value) * 213 / 3600;
  EXPECT_NEAR(out_of_core_wh, 0.10, 5e-4);
}

/// Least squares of time per operation over the fitted points.
struct Fit {
  double overhead_s, bandwidth;
};
Fit fit(const std::vector<MeasuredOperation>& operations) {
  double n = 0, bytes = 0, seconds = 0, bytes_bytes = 0, bytes_seconds = 0;
  for (const MeasuredOperation& operation : operations) {
    if (!operation.fitted) continue;
    const double size = static_cast<double>(operation.size), time = size / operation.rate;
    n += 1, bytes += size, seconds += time, bytes_bytes += size * size, bytes_seconds += size * time;
  }
  const double slope = (n * bytes_seconds - bytes * seconds) / (n * bytes_bytes - bytes * bytes);
  return {(seconds - slope * bytes) / n, 1 / slope};
}

TEST(PartFiles, MeasuredCardIsTheFitOfItsPoints) {
  const Card card = load_card("f746-disco-measured");
  EXPECT_EQ(card.measured.writes.size(), 9u);
  const Fit writes = fit(card.measured.writes);
  EXPECT_NEAR(card.write_overhead.value / writes.overhead_s, 1, 1e-3);
  EXPECT_NEAR(card.write_bandwidth.value / writes.bandwidth, 1, 1e-3);
  EXPECT_NEAR(card.read_bandwidth.value / card.measured.reads.at(0).rate, 1, 1e-3);
}

TEST(PartFiles, A1ClassMeetsItsGuarantees) {
  const Card card = load_card("a1-class");
  EXPECT_NEAR(1 / (card.read_overhead.value + 4096 / card.read_bandwidth.value), 1500, 5);
  EXPECT_NEAR(1 / (card.write_overhead.value + 4096 / card.write_bandwidth.value), 500, 5);
}

TEST(PartFiles, RatesFollowTheMeasuredCycles) {
  const std::array<double, 6> cycles_per_unit = {3.86, 2.00, 11.4, 2.66, 6.07, 6.07};
  for (const std::string name : {"stm32f746g-disco", "stm32h743"}) {
    const Board board = load_board(name);
    for (std::size_t i = 0; i < cycles_per_unit.size(); ++i) {
      EXPECT_NEAR(board.rates[i].value * cycles_per_unit[i] / board.clock.value, 1, 5e-3)
          << name << work_class_names[i];
    }
  }
}

TEST(PartFiles, TwoMistakesTwoProblems) {
  std::string yaml = changed(shipped("boards/swapnn-paper.yaml"), "value: 512 KiB", "value: 512");
  yaml = changed(yaml, "\nclock:", "\nclok:");
  EXPECT_EQ(
      error_of(parse_board, yaml),
      "f.yaml:3:1: clock: is missing\n"
      "f.yaml:5:15: sram.value: \"512\": a size needs a unit: 512 B, 512 kB, 512 KiB, 512 MiB, ...\n"
      "f.yaml:7:1: clok: unknown key; did you mean \"clock\"? known keys: description, sram, flash, clock, rates, "
      "compute_overhead, contention, idle_power, compute_power, crypto");
}

TEST(PartFiles, ChecksOfABoard) {
  const std::string good = shipped("boards/swapnn-paper.yaml");
  EXPECT_EQ(error_of(parse_board, good), "no error");
  EXPECT_EQ(error_of(parse_board, changed(good, "contention: {value: 0,", "contention: {value: 1,")),
            "f.yaml:22:21: contention.value: \"1\" is out of range; expected a ratio at least 0 and below 1");
  EXPECT_EQ(error_of(parse_board, changed(good, "dense: {value: 80 MMAC/s", "dense: {value: 0 MAC/s")),
            "f.yaml:17:18: rates.dense.value: \"0 MAC/s\" is out of range; expected a MAC rate above 0 MAC/s");
  EXPECT_EQ(error_of(parse_board, changed(good, "pooling: {value: 200 Melement/s", "pooling: {value: 200 MMAC/s")),
            "f.yaml:19:20: rates.pooling.value: \"MMAC/s\" is the unit of a MAC rate; an element rate has one of "
            "element/s, kelement/s, Melement/s, Gelement/s");
  EXPECT_EQ(error_of(parse_board, changed(good, "idle_power: {value: 1 W", "idle_power: {value: 1500 mW")),
            "f.yaml:24:16: compute_power: 1.42 W is less than idle_power, 1.5 W");
  EXPECT_EQ(error_of(parse_board, changed(good, "  dense:", "  fully_connected:")),
            "f.yaml:10:3: rates.dense: is missing\n"
            "f.yaml:17:3: rates.fully_connected: unknown key; known keys: convolution, pointwise, depthwise, dense, "
            "elementwise, pooling");
}

// wolfSSL counts in MiB/s; the cycles follow from the clock that it was measured at.
TEST(PartFiles, CryptoFollowsTheMeasuredThroughput) {
  constexpr double mib = 1024 * 1024;
  const double software_cycles = 480e6 / (17.261 * mib) + 480e6 / (17.896 * mib);
  const double hardware_cycles = 14.0 / 16 + (50 + 16) / 64.0;
  for (const std::string& name : board_names()) {
    const Board board = load_board(name);
    ASSERT_TRUE(board.crypto.cpu && board.crypto.accelerator) << name;
    EXPECT_NEAR(board.crypto.cpu->value * board.clock.value / software_cycles, 1, 1e-3) << name;
    EXPECT_NEAR(board.crypto.accelerator->value * board.clock.value / hardware_cycles, 1, 5e-3) << name;
    EXPECT_TRUE(board.crypto.accelerator->assumed) << name;  // no board here has the peripherals
  }
}

TEST(PartFiles, CryptoCostsAreCyclesOrRates) {
  const std::string good = shipped("boards/swapnn-paper.yaml");
  const std::string cost = "value: 52.1 cycles/B";
  EXPECT_DOUBLE_EQ(parse_board(changed(good, cost, "value: 54 cycles/B"), "f.yaml").crypto.cpu->value, 0.25e-6);
  EXPECT_DOUBLE_EQ(parse_board(changed(good, cost, "value: 4 MB/s"), "f.yaml").crypto.cpu->value, 0.25e-6);
  const Board without = parse_board(good.substr(0, good.find("crypto:")), "f.yaml");
  EXPECT_FALSE(without.crypto.cpu || without.crypto.accelerator);
  EXPECT_EQ(error_of(parse_board, changed(good, cost, "value: 0 cycles/B")),
            "f.yaml:28:12: crypto.cpu_cost.value: \"0 cycles/B\" is out of range; expected a number of cycles per byte "
            "above 0 cycles/B");
  EXPECT_EQ(error_of(parse_board, changed(good, cost, "value: 0.5 B/s")),
            "f.yaml:28:12: crypto.cpu_cost.value: \"0.5 B/s\" is out of range; expected a data rate at least 1 B/s");
  EXPECT_EQ(error_of(parse_board, changed(good, cost, "value: 52")),
            "f.yaml:28:12: crypto.cpu_cost.value: \"52\": a data rate needs a unit: 52 B/s, 52 kB/s, 52 MiB/s, 52 Mb/s "
            "(bits), ...; or cycles of the board's clock: 52.1 cycles/B");
  EXPECT_EQ(error_of(parse_board, changed(good, cost, "value: [52]")),
            "f.yaml:28:12: crypto.cpu_cost.value: expected cycles per byte or a data rate, found a list");
  EXPECT_EQ(error_of(parse_board, changed(good, "  cpu_cost:", "  cpu_cots:")),
            "f.yaml:27:3: crypto.cpu_cots: unknown key; did you mean \"cpu_cost\"? known keys: cpu_cost, "
            "accelerator_cost");
}

TEST(PartFiles, ChecksOfACard) {
  const std::string good = shipped("cards/swapnn-paper.yaml");
  EXPECT_EQ(error_of(parse_card, good), "no error");
  EXPECT_EQ(error_of(parse_card, changed(good, "write_amplification: {value: 1", "write_amplification: {value: 0.5")),
            "f.yaml:13:30: write_amplification.value: \"0.5\" is out of range; expected a ratio at least 1");
  EXPECT_EQ(error_of(parse_card, changed(good, "write_bandwidth: {value: 4.31 MB/s", "write_bandwidth: {value: 0 B/s")),
            "f.yaml:8:26: write_bandwidth.value: \"0 B/s\" is out of range; expected a data rate above 0 B/s");
  EXPECT_EQ(error_of(parse_card, changed(good, "erase_block: {value: 4 MiB", "erase_block: {value: 4 TiB")),
            "f.yaml:12:14: erase_block: 4 TiB is more than the card's capacity, 64 GB");
  EXPECT_EQ(error_of(parse_card, good + "full_buffers: 1\n"),
            "f.yaml:14:15: full_buffers: expected true or false, found \"1\"");
}

TEST(PartFiles, ChecksOfACluster) {
  const std::string good = shipped("clusters/disco8.yaml");
  const Cluster cluster = parse_cluster(good, "f.yaml");
  ASSERT_EQ(cluster.members.size(), 1u);
  EXPECT_EQ(cluster.members[0].board, "stm32f746g-disco");
  EXPECT_EQ(cluster.members[0].count, 8u);
  EXPECT_EQ(cluster.link_bandwidth.value, 12.5e6);
  EXPECT_EQ(
      error_of(parse_cluster,
               changed(changed(good, "board: stm32f746g-disco", "board: stm32f746-disco"), "count: 8", "count: 0")),
      "f.yaml:5:13: boards[0].board: unknown \"stm32f746-disco\"; did you mean \"stm32f746g-disco\"? expected one of "
      "stm32f746g-disco, stm32h743, swapnn-paper\n"
      "f.yaml:5:37: boards[0].count: expected a whole number from 1 to 4096, found \"0\"");
}

}  // namespace
}  // namespace spillway::platforms
