#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace spillway::cli_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string cluster = "jetson-xavier-nx8";

/// A split of a tiny network with a GPU.
class PipelineSmpi : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(folder / "m.json") << R"({"nx01_arm01": ["conv1", "conv1_relu", "pool1", "conv2", "conv2_relu"],
"nx02_gpu": ["conv3", "conv3_relu", "pool2", "flatten", "fc", "softmax"]})";
    const Call call = spillway({"split", "tiny-chain", "--mapping", "m.json", "--platform", cluster, "--output", "out"},
                               folder.path());
    ASSERT_EQ(call.exit_code, 0) << call.err;
  }

  Call pipeline(const std::vector<std::string>& arguments) const {
    std::vector<std::string> words = {"pipeline"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return spillway(words, folder.path());
  }

  void refused(const std::vector<std::string>& arguments, const std::string& message) const {
    const Call call = pipeline(arguments);
    EXPECT_EQ(call.exit_code, 2) << call.command;
    EXPECT_THAT(call.out, IsEmpty());
    EXPECT_EQ(call.err, "spillway pipeline: " + message + "\n");
  }

  const Folder folder;
};

TEST_F(PipelineSmpi, ShowsTheProgramBesideTheSimulator) {
  const Call call = pipeline({"--smpi", "out", "--platform", cluster, "--comm", "paper", "--frames", "5", "--warm-up",
                              "1", "--json", "o.json"});
  ASSERT_EQ(call.exit_code, 0) << call.err;
  EXPECT_THAT(call.err, IsEmpty());
  EXPECT_THAT(call.out, HasSubstr("tiny-chain on jetson-xavier-nx8: 2 ranks, 6 frames, the first 1 to warm up; "
                                  "--comm paper\n"));
  const nlohmann::json json = nlohmann::json::parse(contents(folder / "o.json"));
  EXPECT_NEAR(json.at("makespan_ratio").get<double>(), 1, 0.01);
  EXPECT_EQ(json.at("measured_frames"), 5);
  for (const char* key : {"smpirun", "simulator"}) {
    EXPECT_GT(json.at(key).at("makespan_s"), 0) << key;
    EXPECT_DOUBLE_EQ(json.at(key).at("throughput_per_s").get<double>() * json.at(key).at("period_s").get<double>(), 1);
  }
}

TEST_F(PipelineSmpi, RefusesWhatIsNoSplit) {
  refused({"--smpi", "nowhere", "--platform", cluster},
          "--smpi: there is no folder \"nowhere\"; expected one that `spillway split` made");
  fs::create_directory(folder / "empty");
  refused({"--smpi", "empty", "--platform", cluster},
          "--smpi: \"empty\" holds no split; expected a folder that `spillway split` made");
  std::ofstream(folder / "out/main.cpp", std::ios::app) << "// changed\n";
  refused({"--smpi", "out", "--platform", cluster},
          "--smpi: \"out/main.cpp\" is not the program of that folder's model and mapping; split again");
  std::ofstream(folder / "out/split.json") << "{";
  refused({"--smpi", "out", "--platform", cluster},
          "--smpi: \"out/split.json\" is damaged or of another version; split again");
}

TEST_F(PipelineSmpi, RefusesAClusterWithoutTheDevices) {
  std::ofstream(folder / "other.yaml") << R"(description: another
devices:
  - names: [nx01, tx]
    board: jetson-xavier-nx
link_bandwidth: {value: 112 MB/s, source: "assumed, for the test"}
link_latency: {value: 150 us, source: "assumed, for the test"}
messages:
  eager_limit: {value: 64 KiB, source: "assumed, for the test"}
  rendezvous_latencies: {value: 3, source: "assumed, for the test"}
  overhead: {value: 10 us, source: "assumed, for the test"}
  send_bandwidth: {value: 2 GB/s, source: "assumed, for the test"}
  receive_bandwidth: {value: 1 GB/s, source: "assumed, for the test"}
  local_latency: {value: 2 us, source: "assumed, for the test"}
  local_bandwidth: {value: 5 GB/s, source: "assumed, for the test"}
)";
  refused({"--smpi", "out", "--platform", "other.yaml"},
          "--platform: other has no device nx02, for which the split was made; it has nx01, tx");
}

TEST_F(PipelineSmpi, RefusesWhatTheFolderSays) {
  refused({"tiny-chain", "--smpi", "out", "--platform", cluster},
          "NETWORK: is given, but --smpi takes it from its folder");
  refused({"--smpi", "out", "--platform", cluster, "--trace", "t.json"},
          "--trace: is not for --smpi; expected --comm, --frames, --warm-up or --json");
}

}  // namespace
}  // namespace spillway::cli_test
