#include "platforms/computer.hpp"

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platforms/board.hpp"
#include "platforms/catalogue.hpp"
#include "platforms/problems.hpp"

namespace spillway::platforms {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

std::string shipped(const std::string& name) {
  std::ifstream stream(data_directory() / "platforms/computers" / (name + ".yaml"));
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

template <typename Read>
std::string error_of(Read read) {
  try {
    read();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string error_in(const std::string& yaml) {
  return error_of([&] { parse_computer(yaml, "f.yaml"); });
}

std::vector<Figure> figures_of(const Processor& processor) {
  return {processor.peak, processor.bandwidth, processor.clock};
}

std::vector<Figure> figures_of(const Computer& computer) {
  const Cpu& cpu = computer.cpu;
  std::vector<Figure> all = {computer.memory,     computer.runtime_memory, computer.idle_power, computer.core_power,
                             computer.spin_power, computer.network_power,  cpu.one_core.scale,  cpu.one_core.launch,
                             cpu.all_cores.scale, cpu.all_cores.launch,    cpu.element};
  for (const Figure& figure : figures_of(static_cast<const Processor&>(cpu)))
    all.push_back(figure);
  if (computer.ratios) all.insert(all.end(), {computer.ratios->throughput, computer.ratios->energy});
  if (!computer.gpu) return all;
  const GpuUnit& gpu = *computer.gpu;
  for (const Figure& figure : figures_of(static_cast<const Processor&>(gpu)))
    all.push_back(figure);
  all.insert(all.end(), {gpu.calls.scale, gpu.calls.launch, gpu.link_bandwidth, gpu.link_latency, gpu.runtime_memory,
                         gpu.gpu_power});
  return all;
}

TEST(Computers, AllLoadAndEveryFigureHasItsSource) {
  EXPECT_THAT(computer_names(),
              IsSupersetOf({"jetson-agx-xavier", "jetson-nano", "jetson-orin-nano", "jetson-tx2-nx", "jetson-xavier-nx",
                            "jetson-xavier-nx-fitted", "raspberry-pi-4", "raspberry-pi-5", "rk3588"}));
  for (const std::string& name : computer_names()) {
    const Computer computer = load_computer(name);
    EXPECT_EQ(computer.name, name);
    for (const Figure& figure : figures_of(computer)) {
      EXPECT_GT(figure.source.size(), 10u) << name;
      EXPECT_EQ(figure.assumed, figure.source.starts_with("assumed, ")) << name << ": " << figure.source;
    }
  }
}

TEST(Computers, TextGivesTheFileBack) {
  for (const std::string& name : computer_names())
    EXPECT_EQ(to_yaml(load_computer(name)), shipped(name)) << name;
  EXPECT_EQ(to_yaml(parse_efficiencies(to_yaml(load_efficiencies()), "f.yaml")), to_yaml(load_efficiencies()));
}

TEST(Computers, DeviceOfAutoDice) {
  const Computer device = load_computer("jetson-xavier-nx");
  EXPECT_EQ(device.architecture, "arm");
  EXPECT_EQ(device.cores, 6);
  ASSERT_TRUE(device.gpu);
  EXPECT_EQ(device.gpu->names, (Gpu{"NVIDIAVolta", "CUDA"}));
  EXPECT_NEAR(device.gpu->peak.value, 384 * 1.109e9 * 2, 1e8);
  const Computer larger = load_computer("jetson-agx-xavier");
  EXPECT_NEAR(device.cpu.clock.value / larger.cpu.clock.value, 0.627, 5e-4);
  EXPECT_EQ(device.cpu.one_core.scale.value, larger.cpu.one_core.scale.value);
  EXPECT_NEAR(device.gpu->calls.launch.value / larger.gpu->calls.launch.value, 1.377 / 1.109, 1e-3);
}

TEST(Computers, AllMistakesAtOnce) {
  std::string yaml = changed(shipped("jetson-nano"), "cores: 4", "cores: 0");
  yaml = changed(yaml, "clock: {value: 1.43 GHz", "clock: {value: 1430");
  yaml = changed(yaml, "  link_bandwidth: {value: 6.4 GB/s", "  link_bandwith: {value: 6.4 GB/s");
  yaml = changed(yaml, "spin_power: {value: 0.8 W, source", "spin_power: {value: 0.8 W, sauce");
  const std::string error = error_in(yaml);
  EXPECT_THAT(error, AllOf(HasSubstr("f.yaml:3:8: cores: expected a whole number from 1 to 1024, found \"0\"\n"),
                           HasSubstr("f.yaml:9:18: cpu.clock.value: \"1430\": a frequency needs a unit"),
                           HasSubstr("f.yaml:18:3: gpu.link_bandwidth: is missing\n"),
                           HasSubstr("gpu.link_bandwith: unknown key; did you mean \"link_bandwidth\"? known keys: "),
                           HasSubstr("f.yaml:32:13: spin_power.source: is missing\n"),
                           HasSubstr("spin_power.sauce: unknown key; known keys: value, source")));
  EXPECT_EQ(std::ranges::count(error, '\n'), 5) << error;
}

TEST(Computers, FiguresOutOfRange) {
  const std::string good = shipped("rk3588");
  EXPECT_EQ(error_in(good), "no error");
  EXPECT_EQ(error_in(changed(good, "peak: {value: 38.4 GMAC/s", "peak: {value: 0 MAC/s")),
            "f.yaml:7:17: cpu.peak.value: \"0 MAC/s\" is out of range; expected a MAC rate above 0 MAC/s");
  EXPECT_THAT(error_in(changed(good, "cores: 4", "like: rk3589\ncores: 4")),
              HasSubstr("f.yaml:3:7: like: unknown \"rk3589\"; did you mean \"rk3588\"? expected one of "));
  EXPECT_EQ(error_in(changed(good, "architecture: \"arm\"", "architecture: \"a,m\"")),
            "f.yaml:2:15: architecture: \"a,m\" is no CPU architecture; expected letters, digits, ., - and _");
}

TEST(Computers, RatiosNeedAGpuAndPositiveFigures) {
  const std::string good = shipped("jetson-xavier-nx-fitted");
  ASSERT_TRUE(parse_computer(good, "f.yaml").ratios);
  EXPECT_EQ(parse_computer(good, "f.yaml").ratios->network, "densenet121");
  EXPECT_EQ(error_in(changed(good, "throughput: {value: 1.591", "throughput: {value: 0")),
            "f.yaml:6:23: ratios.throughput.value: \"0\" is out of range; expected a ratio above 0");
  EXPECT_THAT(error_in(changed(shipped("rk3588"), "cores: 4",
                               "ratios:\n  network: vgg16\n  throughput: {value: 1, source: a paper}\n"
                               "  energy: {value: 1, source: a paper}\ncores: 4")),
              HasSubstr("ratios: are those of a GPU, which is missing"));
}

TEST(Computers, OtherKindOfBoardIsNamed) {
  const std::string of_board = error_of([] { load_board("raspberry-pi-4"); });
  EXPECT_EQ(
      of_board,
      "board: \"raspberry-pi-4\" is a computer, which runs an operating system and takes part in an MPI job (verbs "
      "pipeline, explore, calibrate); expected a microcontroller board, on which networks are swapped (verbs swap, "
      "inspect, sweep): stm32f746g-disco, stm32h743, swapnn-paper");
  EXPECT_THAT(error_of([] { load_computer("stm32h743"); }),
              AllOf(HasSubstr("computer: \"stm32h743\" is a microcontroller board, on which networks are swapped"),
                    HasSubstr("jetson-xavier-nx")));
  EXPECT_THAT(error_of([] { load_computer("jetson-xavier"); }), HasSubstr("did you mean \"jetson-xavier-nx\"?"));
  EXPECT_THAT(error_of([] { parse_board(shipped("rk3588"), "f.yaml"); }),
              HasSubstr("f.yaml:1:1: describes a computer, which runs"));
}

TEST(Efficiencies, AllMistakesAtOnce) {
  std::string yaml = to_yaml(load_efficiencies());
  yaml = changed(yaml, "    winograd: {value: ", "    winograd: {value: -");
  yaml = changed(yaml, "gpu:\n  peak:", "gpu:\n  peek:");
  const std::string error = error_of([&] { parse_efficiencies(yaml, "f.yaml"); });
  EXPECT_THAT(error, AllOf(HasSubstr("f.yaml:5:23: cpu.peak.winograd.value: "),
                           HasSubstr("f.yaml:15:3: gpu.peak: is missing\n"),
                           HasSubstr("f.yaml:15:3: gpu.peek: unknown key; did you mean \"peak\"? known keys: peak, "
                                     "bandwidth")));
}

}  // namespace
}  // namespace spillway::platforms
