#include <fstream>
#include <regex>
#include <string>

#include "program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/paths/paths.hpp"

namespace spillway::cli_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string cluster_of(const std::string& board, const std::string& bandwidth = "112 MB/s") {
  return "description: two boards\n"
         "devices:\n"
         "  - {names: [edge01, edge02], board: " +
         board +
         "}\n"
         "link_bandwidth: {value: " +
         bandwidth +
         ", source: \"assumed, a test\"}\n"
         "link_latency: {value: 150 us, source: \"assumed, a test\"}\n"
         "messages:\n"
         "  eager_limit: {value: 64 KiB, source: \"assumed, a test\"}\n"
         "  rendezvous_latencies: {value: 3, source: \"assumed, a test\"}\n"
         "  overhead: {value: 10 us, source: \"assumed, a test\"}\n"
         "  send_bandwidth: {value: 2 GB/s, source: \"assumed, a test\"}\n"
         "  receive_bandwidth: {value: 2 GB/s, source: \"assumed, a test\"}\n"
         "  local_latency: {value: 2 us, source: \"assumed, a test\"}\n"
         "  local_bandwidth: {value: 5 GB/s, source: \"assumed, a test\"}\n";
}

/// Layers of tiny-chain.
const std::string front = "\"conv1\", \"conv1_relu\", \"pool1\", \"conv2\", \"conv2_relu\"";
const std::string back = "\"conv3\", \"conv3_relu\", \"pool2\", \"flatten\", \"fc\", \"softmax\"";

std::string mapping_of(const std::string& first, const std::string& second) {
  return "{\"" + first + "\": [" + front + "],\n\"" + second + "\": [" + back + "]}\n";
}

class Pipeline : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) { std::ofstream(folder / name) << text; }

  Call pipeline(const std::string& cluster, const std::string& mapping, std::vector<std::string> more = {}) {
    write("c.yaml", cluster);
    write("m.json", mapping);
    std::vector<std::string> call = {"pipeline", "tiny-chain", "--platform", "c.yaml", "--mapping", "m.json"};
    call.insert(call.end(), more.begin(), more.end());
    return spillway(call, folder.path());
  }

  static void refused(const Call& call, const ::testing::Matcher<std::string>& message) {
    EXPECT_EQ(call.exit_code, 2) << call.err;
    EXPECT_THAT(call.out, IsEmpty());
    EXPECT_THAT(call.err, message);
    EXPECT_EQ(lines(call.err).size(), 1u) << call.err;
  }

  const Folder folder;
};

TEST_F(Pipeline, ShowsRatesRanksAndBoards) {
  const Call call = pipeline(cluster_of("jetson-xavier-nx"), mapping_of("edge01_arm01", "edge02_gpu"));
  ASSERT_EQ(call.exit_code, 0) << call.err;
  EXPECT_THAT(call.err, IsEmpty());
  EXPECT_THAT(call.out, AllOf(StartsWith("tiny-chain on c: 2 ranks\n"), HasSubstr("\nthroughput  "),
                              HasSubstr("   0  edge01_arm01       5 "), HasSubstr("\nedge02 ")));
}

TEST_F(Pipeline, BothDriversAgreeAndTheJsonSaysSo) {
  double periods[2];
  int i = 0;
  for (const char* driver : {"virtual-clock", "simgrid"}) {
    const Call call = pipeline(cluster_of("jetson-xavier-nx"), mapping_of("edge01_arm01", "edge02_gpu"),
                               {"--driver", driver, "--json", "run.json", "--output", "results"});
    ASSERT_EQ(call.exit_code, 0) << call.err;
    const nlohmann::json run = nlohmann::json::parse(contents(folder / "run.json"));
    EXPECT_EQ(run["driver"], driver);
    EXPECT_EQ(run["ranks"].size(), 2u);
    double parts = 0;
    for (const char* part : {"idle_j", "compute_j", "gpu_j", "wait_j", "network_j"})
      parts += run["boards"][0][part].get<double>();
    EXPECT_NEAR(parts, run["boards"][0]["energy_j"], 1e-9 * parts);
    periods[i++] = run["period_s"];
    EXPECT_EQ(lines(contents(folder / "results/ranks.csv")).size(), 3u);
    EXPECT_EQ(lines(contents(folder / "results/boards.csv")).size(), 3u);
  }
  EXPECT_NEAR(periods[0] / periods[1], 1, 1e-3);
}

TEST_F(Pipeline, WritesATimelineOfEveryLayer) {
  const Call call = pipeline(cluster_of("jetson-xavier-nx"), mapping_of("edge01_arm01", "edge02_gpu"),
                             {"--trace", "t.json", "--frames", "2", "--warm-up", "0"});
  ASSERT_EQ(call.exit_code, 0) << call.err;
  const nlohmann::json trace = nlohmann::json::parse(contents(folder / "t.json"));
  int convolutions = 0, begins = 0, ends = 0;
  for (const nlohmann::json& event : trace["traceEvents"]) {
    if (event["ph"] == "X" && event["name"] == "conv3") ++convolutions;
    if (event["ph"] == "s") ++begins;
    if (event["ph"] == "f") ++ends;
  }
  EXPECT_EQ(convolutions, 2);
  EXPECT_EQ(begins, 2);
  EXPECT_EQ(ends, 2);
}

TEST_F(Pipeline, CutsTheNetworkWithoutAMapping) {
  const Call call = spillway("pipeline squeezenet --platform jetson-xavier-nx8 --vertical auto:3");
  EXPECT_EQ(call.exit_code, 0) << call.err;
  EXPECT_THAT(call.out, HasSubstr("   2  nx03_arm:0,1,2,3,4,5 "));
}

TEST_F(Pipeline, RefusesClustersThatCannotBe) {
  const std::string mapping = mapping_of("edge01_arm01", "edge02_arm0");
  refused(pipeline(cluster_of("jetson-xavier"), mapping),
          StartsWith("spillway pipeline: c.yaml:3:38: devices[0].board: unknown \"jetson-xavier\"; did you mean "
                     "\"jetson-xavier-nx\"?"));
  refused(pipeline(cluster_of("jetson-xavier-nx", "0 B/s"), mapping),
          HasSubstr("c.yaml:4:25: link_bandwidth.value: \"0 B/s\" is out of range; expected"));
  refused(pipeline(cluster_of("raspberry-pi-4"), mapping_of("edge01_arm01", "edge02_gpu")),
          HasSubstr("m.json:2:1: edge02_gpu: edge02 has no GPU"));
  refused(pipeline(cluster_of("jetson-xavier-nx"), mapping, {"--comm", "papr"}),
          HasSubstr("--comm: unknown mode of communication \"papr\"; did you mean \"paper\"?"));
  write("p.txt", "edge01, arm, slots=0-5\n");
  refused(spillway({"pipeline", "tiny-chain", "--platform", "p.txt", "--vertical", "auto:2"}, folder.path()),
          HasSubstr("--platform: \"p.txt\" names devices, but not what they are; expected a cluster"));
}

TEST_F(Pipeline, TellsOfTheNetworkAlsoWhereTheClusterIsWrong) {
  const Call call = spillway("pipeline vgg99 --platform nowhere --vertical auto:2");
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_THAT(call.err, AllOf(HasSubstr("there is no cluster \"nowhere\""), HasSubstr("unknown network \"vgg99\"")));
}

TEST_F(Pipeline, RefusesMoreMemoryThanABoardHasUnlessAllowed) {
  std::string board = contents(paths::source("platforms/computers/raspberry-pi-4.yaml"));
  board = std::regex_replace(board, std::regex("memory: \\{value: 4 GiB"), "memory: {value: 13 MiB");
  write("small.yaml", board);
  const std::string mapping = mapping_of("edge01_arm01", "edge02_arm0");
  const Call call = pipeline(cluster_of("small.yaml"), mapping);
  EXPECT_EQ(call.exit_code, 0) << call.err;
  write("small.yaml", std::regex_replace(board, std::regex("13 MiB"), "12 MiB"));
  const Call refusal = pipeline(cluster_of("small.yaml"), mapping);
  EXPECT_EQ(refusal.exit_code, 2);
  EXPECT_THAT(refusal.err, AllOf(HasSubstr("--mapping: edge01 needs 12."), HasSubstr(" but has 12 MiB: weights "),
                                 HasSubstr("edge02 needs 12."), HasSubstr("--allow-overcommit")));
  const Call allowed = pipeline(cluster_of("small.yaml"), mapping, {"--allow-overcommit"});
  EXPECT_EQ(allowed.exit_code, 0) << allowed.err;
  EXPECT_THAT(allowed.out, HasSubstr("more than a board has"));
}

}  // namespace
}  // namespace spillway::cli_test
