#include "platforms/devices.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platforms/cluster.hpp"
#include "platforms/problems.hpp"

namespace spillway::platforms {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> problems_of(const std::string& text) {
  std::vector<std::string> lines;
  try {
    parse_devices(text, "platform.txt");
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems())
      lines.push_back(to_string(problem));
  }
  return lines;
}

TEST(Devices, AutoDiceOwnPlatformFile) {
  const std::vector<Device> devices = parse_devices(
      "# three boards\n"
      "edge01, arm, slots=0-5, gpu=NVIDIAVolta (CUDA)\n"
      "\n"
      "  edge_02 ,x86,slots = 0 - 11\r\n"
      "edge04, arm, slots=3\n",
      "platform.txt");
  ASSERT_EQ(devices.size(), 3u);
  EXPECT_EQ(devices[0], (Device{"edge01", "arm", {0, 1, 2, 3, 4, 5}, Gpu{"NVIDIAVolta", "CUDA"}}));
  EXPECT_EQ(devices[1].name, "edge_02");
  EXPECT_EQ(devices[1].cores.size(), 12u);
  EXPECT_FALSE(devices[1].gpu);
  EXPECT_THAT(devices[2].cores, ElementsAre(3));
}

TEST(Devices, EveryProblemOfAFileAtOnce) {
  EXPECT_THAT(problems_of("edge01, arm\n"
                          "edge01, arm, slots=0-5\n"
                          "edge01, arm, slots=0-5\n"
                          "edge 02, gpu, slots=0-5\n"
                          "edge03, arm, slot=0-5\n"
                          "edge04, arm, slots=5-0\n"
                          "edge05, arm, slots=0-5, gpu=Volta\n"
                          "edge06, arm, gpu=Volta (CUDA)\n"
                          "edge07, arm, slots=0, slots=1\n"),
              ElementsAre(HasSubstr("platform.txt:1:1: \"edge01, arm\" has 2 of 3 fields; expected \"NAME, ARCH"),
                          "platform.txt:3:1: edge01: is given twice; expected one line for each device",
                          HasSubstr("platform.txt:4:1: \"edge 02\" is no name of a device"),
                          HasSubstr("platform.txt:4:10: \"gpu\" is no CPU architecture"),
                          HasSubstr("platform.txt:5:14: edge03: unknown field \"slot=0-5\"; did you mean \"slots\"?"),
                          HasSubstr("platform.txt:6:14: edge04: \"slots=5-0\" are no cores"),
                          HasSubstr("platform.txt:7:25: edge05: \"gpu=Volta\" is no GPU"),
                          HasSubstr("platform.txt:8:1: edge06: has no slots"),
                          HasSubstr("platform.txt:9:23: edge07: slots are given twice")));
  EXPECT_THAT(problems_of("# nothing\n"), ElementsAre(HasSubstr("platform.txt: lists no device")));
}

TEST(Devices, OfACluster) {
  const std::string figures =
      "link_bandwidth: {value: 1 Gb/s, source: \"assumed, a test\"}\n"
      "link_latency: {value: 0.1 ms, source: \"assumed, a test\"}\n";
  const Cluster cluster = parse_cluster(
      "description: a test\n"
      "devices:\n"
      "  - {names: [edge01, edge02], architecture: arm, cores: 6, gpu: {architecture: Volta, library: CUDA}}\n"
      "  - {names: edge04, architecture: x86, cores: 2}\n" +
          figures,
      "c.yaml");
  ASSERT_EQ(cluster.devices.size(), 3u);
  EXPECT_EQ(cluster.devices[1], (Device{"edge02", "arm", {0, 1, 2, 3, 4, 5}, Gpu{"Volta", "CUDA"}}));
  EXPECT_EQ(cluster.devices[2], (Device{"edge04", "x86", {0, 1}, std::nullopt}));
  EXPECT_TRUE(cluster.members.empty());

  const auto refuse = [&] {
    parse_cluster(
        "description: a test\ndevices:\n  - {names: [a, a], architecture: arm, cores: 0}\n"
        "  - {names: \"b c\", architecture: arm, cores: 1}\n" +
            figures,
        "c.yaml");
  };
  EXPECT_THAT(refuse, testing::Throws<InputError>(testing::Property(
                          &InputError::what, testing::AllOf(HasSubstr("c.yaml:3:13: devices[0].names: the device \"a\" "
                                                                      "is given twice"),
                                                            HasSubstr("devices[0].cores: expected a whole number"),
                                                            HasSubstr("\"b c\" is no name of a device")))));
}

TEST(Devices, LoadedByNameOrPath) {
  EXPECT_THAT(
      [] { load_devices("disco8"); },
      testing::ThrowsMessage<InputError>(HasSubstr("disco8: devices: the cluster has none that run an operating")));
  EXPECT_THAT([] { load_devices("/nowhere/platform.txt"); },
              testing::ThrowsMessage<InputError>(HasSubstr("/nowhere/platform.txt: cannot be read")));
}

}  // namespace
}  // namespace spillway::platforms
