#include <filesystem>
#include <fstream>
#include <string>

#include "program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spillway::cli_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const std::string platform =
    "edge01, arm, slots=0-5, gpu=NVIDIAVolta (CUDA)\n"
    "edge_04, arm, slots=0-11\n";

/// Layers of tiny-chain, which has eleven.
const std::string front = "\"conv1\", \"conv1_relu\", \"pool1\", \"conv2\", \"conv2_relu\"";
const std::string back = "\"conv3\", \"conv3_relu\", \"pool2\", \"flatten\", \"fc\", \"softmax\"";

std::string mapping_of(const std::string& first, const std::string& second) {
  return "{\"" + first + "\": [" + front + "],\n\"" + second + "\": [" + back + "]}\n";
}

class Split : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) { std::ofstream(folder / name) << text; }

  Call split(const std::string& mapping, const std::string& devices = platform,
             const std::string& model = "tiny-chain") {
    write("m.json", mapping);
    write("p.txt", devices);
    return spillway({"split", model, "--mapping", "m.json", "--platform", "p.txt", "--output", "out"}, folder.path());
  }

  /// One error, and nothing in the folder but what was there.
  void refused(const Call& call, const ::testing::Matcher<std::string>& message) {
    EXPECT_EQ(call.exit_code, 2) << call.err;
    EXPECT_THAT(call.out, IsEmpty());
    EXPECT_THAT(call.err, message);
    EXPECT_EQ(lines(call.err).size(), 1u) << call.err;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder.path()))
      EXPECT_THAT(entry.path().filename().string(), ::testing::AnyOf("m.json", "p.txt", "model.onnx"));
  }

  const Folder folder;
};

TEST_F(Split, LeavesEverythingThatDevicesNeed) {
  const Call call = split(mapping_of("edge01_arm01", "edge_04_arm:0,10"));
  ASSERT_EQ(call.exit_code, 0) << call.err;
  EXPECT_THAT(call.out, AllOf(HasSubstr("edge_04_arm:0,10"), HasSubstr("front-end "), HasSubstr("packages ")));
  for (const char* file : {"edge01_arm01.onnx", "edge_04_arm:0,10.onnx", "edge01_arm01.weights", "sender.json",
                           "receiver.json", "hostfile", "main.cpp", "split.json", "mapping.json", "platform.txt",
                           "packages/edge01/main.cpp", "packages/edge01/edge01_arm01.weights",
                           "packages/edge_04/CMakeLists.txt", "packages/edge_04/library/Eigen/Core"})
    EXPECT_TRUE(fs::exists(folder.path() / "out" / file)) << file;
  EXPECT_FALSE(fs::exists(folder.path() / "out/packages/edge01/edge_04_arm:0,10.onnx"));
  EXPECT_EQ(contents(folder.path() / "out/rankfile"), "rank 0=edge01 slot=0,1\nrank 1=edge_04 slot=0,10\n");
  const Call inspected = spillway({"inspect", "out/edge01_arm01.onnx"}, folder.path());
  EXPECT_EQ(inspected.exit_code, 0) << inspected.err;
}

TEST_F(Split, AnEarlierSplitIsReplacedWhenAsked) {
  ASSERT_EQ(split(mapping_of("edge01_arm01", "edge01_gpu")).exit_code, 0);
  const Call again = split(mapping_of("edge01_arm01", "edge01_gpu"));
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("--output: \"out\" holds an earlier split; --overwrite replaces it"));
  const Call replaced = spillway(
      {"split", "tiny-chain", "--vertical", "auto:3", "--output", "out", "--overwrite", "--tar"}, folder.path());
  EXPECT_EQ(replaced.exit_code, 0) << replaced.err;
  EXPECT_TRUE(fs::exists(folder.path() / "out/packages/localhost.tar"));
  EXPECT_FALSE(fs::exists(folder.path() / "out/edge01_gpu.onnx"));
  EXPECT_THAT(contents(folder.path() / "out/mapping.json"), HasSubstr("\"localhost_cpu:2\": ["));
}

TEST_F(Split, InconsistentMappingsAreErrors) {
  refused(split(mapping_of("edge02_arm01", "edge01_gpu")),
          StartsWith("spillway split: m.json:1:2: edge02_arm01: unknown device \"edge02\"; did you mean \"edge01\"?"));
  refused(split(mapping_of("edge01_arm6", "edge01_gpu")),
          "spillway split: m.json:1:2: edge01_arm6: core 6 is outside slots 0-5 of edge01\n");
  refused(split(mapping_of("edge01_arm:0,6", "edge01_gpu")),
          "spillway split: m.json:1:2: edge01_arm:0,6: core 6 is outside slots 0-5 of edge01\n");
  refused(split(mapping_of("edge01_arm01", "edge01_arm12")),
          HasSubstr("m.json:2:1: edge01_arm12: core 1 of edge01 belongs to \"edge01_arm01\" already"));
  refused(split("{\"edge01_arm0\": [" + front + ", " + back + ", \"conv9\"]}"),
          HasSubstr("edge01_arm0: unknown layer \"conv9\"; did you mean \"conv1\"?"));
  refused(split("{\"edge01_arm0\": [" + front + "]}"),
          HasSubstr("m.json: 6 of 11 layers are in no key: conv3, conv3_relu, pool2, flatten, fc, softmax; expected"));
  refused(split("{\"edge01_arm0\": [" + front + ", \"conv1\", " + back + "]}"),
          HasSubstr("layer \"conv1\" is given twice, first in line 1"));
}

TEST_F(Split, ModesThatAreNotBuiltAreRefusedByName) {
  refused(
      split("{\"edge01_arm0\": [" + front + ", \"fc\"],\n\"edge01_gpu\": [" + back + "]}"),
      HasSubstr("layer \"fc\" is mapped to \"edge01_arm0\" and \"edge01_gpu\": AutoDiCE's horizontal partitioning"));
  const std::string all = "[" + front + ", " + back + "]";
  refused(
      split("{\"edge01_arm0\": " + all + ",\n\"edge01_gpu\": " + all + "}"),
      HasSubstr("m.json:2:1: edge01_gpu: the whole model is mapped to each of 2 keys: AutoDiCE's data parallelism"));
}

TEST_F(Split, FilesThatCannotBeReadAreErrors) {
  refused(split("edge01_arm0: [conv1]\n"), HasSubstr("m.json:1:1: is no JSON: syntax error"));
  refused(split(mapping_of("edge01_arm01", "edge01_gpu"), "edge01, arm\n"),
          HasSubstr("p.txt:1:1: \"edge01, arm\" has 2 of 3 fields; expected \"NAME, ARCHITECTURE, slots=FIRST-LAST\""));
  ASSERT_EQ(spillway({"export", "tiny-chain", "model.onnx", "--external-data"}, folder.path()).exit_code, 0);
  fs::remove(folder.path() / "model.onnx.data");
  refused(split(mapping_of("edge01_arm01", "edge01_gpu"), platform, "model.onnx"),
          AllOf(StartsWith("spillway split: model.onnx: "), HasSubstr("model.onnx.data")));
}

TEST_F(Split, AllMistakesOfARequestAtOnce) {
  const Call call = spillway({"split", "tiny-chian", "--vertical", "auto:x", "--platform", "p.txt"}, folder.path());
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_THAT(call.err, AllOf(HasSubstr("--output: is missing"), HasSubstr("--vertical: \"x\" is no whole number"),
                              HasSubstr("p.txt: cannot be read"), HasSubstr("did you mean \"tiny-chain\"?")));
  EXPECT_EQ(lines(call.err).size(), 4u) << call.err;
}

TEST_F(Split, RunLocalRefusesGpusBeforeItBuilds) {
  ASSERT_EQ(split(mapping_of("edge01_arm01", "edge01_gpu")).exit_code, 0);
  const Call call = spillway({"run-local", "out"}, folder.path());
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_THAT(call.err,
              HasSubstr("DIR: edge01_gpu compute on GPUs, for which no kernels are built in; expected a mapping "
                        "on cores (`spillway explore --resources all-cores`)"));
  EXPECT_FALSE(fs::exists(folder.path() / "out/build"));
}

TEST_F(Split, RunLocalNeedsASplit) {
  const Call call = spillway({"run-local", "nowhere", "--frames", "0", "--comm", "papper"}, folder.path());
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_THAT(call.err, AllOf(HasSubstr("DIR: \"nowhere\" holds no split"),
                              HasSubstr("--frames: \"0\" is no whole number"), HasSubstr("did you mean \"paper\"?")));
}

}  // namespace
}  // namespace spillway::cli_test
