#include "sim/cost/layer_times.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/zoo.hpp"
#include "platforms/problems.hpp"
#include "sim/cost/layer_cost.hpp"

namespace spillway::cost {
namespace {

using platforms::Computer;

std::string error_in(const std::string& csv) {
  try {
    parse_layer_times(csv, "times.csv");
  } catch (const platforms::InputError& error) {
    return error.what();
  }
  return "no error";
}

/// A computer with efficiencies of its own.
Computer truth() {
  Computer computer = platforms::load_computer("rk3588");
  computer.cpu.efficiency = platforms::load_efficiencies().cpu;
  computer.cpu.one_core = {{0.8, ""}, {2e-5, ""}};
  computer.cpu.all_cores = {{0.6, ""}, {1e-5, ""}};
  return computer;
}

/// What its layers take, with what can be fused fused.
std::vector<LayerTime> times_of(const Computer& computer, const std::vector<std::string>& names) {
  std::vector<LayerTime> times;
  for (const std::string& name : names) {
    const models::Network network = *models::zoo(name);
    for (const int threads : {1, computer.cores}) {
      for (models::NodeId id = 0; id < network.nodes().size(); ++id) {
        const std::string& layer = network.node(id).name;
        if (can_fuse(network, id)) {
          times.back().fused.push_back(layer);
        } else if (work_of(network, id) != Work{}) {
          times.push_back({name, layer, {}, threads, layer_s(network, id, computer, {}, {false, threads}, false)});
        }
      }
    }
  }
  return times;
}

TEST(LayerTimes, FitFindsTheComputerThatMadeThem) {
  const Computer computer = truth();
  const std::vector<LayerTime> times = times_of(computer, {"squeezenet", "mobilenet", "alexnet", "resnet18"});
  Computer unknown = computer;
  unknown.cpu.efficiency.reset();
  const Computer found = fit_layers(unknown, times, "of a test");
  EXPECT_EQ(found.cpu.one_core.scale.source, "fitted: of a test");
  EXPECT_NEAR(found.cpu.all_cores.scale.value / found.cpu.one_core.scale.value, 0.6 / 0.8, 0.02);
  for (const NetworkTime& time : judge_layers(found, times))
    EXPECT_NEAR(time.predicted_s / time.measured_s, 1, 0.03) << time.network << ' ' << time.threads;
  // A network that was not among them.
  const models::Network network = *models::zoo("googlenet");
  EXPECT_NEAR(network_s(network, found, {}, {false, 4}) / network_s(network, computer, {}, {false, 4}), 1, 0.05);
}

TEST(LayerTimes, TextGivesTheTimesBack) {
  const std::vector<LayerTime> times = times_of(truth(), {"squeezenet", "tiny-residual"});
  EXPECT_EQ(parse_layer_times(to_csv(times), "times.csv"), times);
}

TEST(LayerTimes, FusedAdditionsAreWorkOfTheCall) {
  const Computer computer = truth();
  std::vector<LayerTime> times = times_of(computer, {"resnet18"});
  const double apart_s = judge_layers(computer, times).front().predicted_s;
  const models::Network network = *models::zoo("resnet18");
  const auto addition = std::ranges::find_if(times, [&](const LayerTime& time) {
    return network.node(*network.find(time.layer)).op == models::Operator::add;
  });
  ASSERT_NE(addition, times.end());
  (addition - 1)->fused.push_back(addition->layer);
  times.erase(addition);
  const double together_s = judge_layers(computer, times).front().predicted_s;
  EXPECT_NEAR(together_s / apart_s, 1, 1e-12);
}

TEST(LayerTimes, AllMistakesAtOnce) {
  EXPECT_EQ(error_in("network,layer,threads\n"),
            "times.csv:1: no such times; expected the heading network,layer,fused,threads,seconds");
  EXPECT_EQ(error_in("network,layer,fused,threads,seconds\n"), "times.csv: has no times behind its heading");
  EXPECT_EQ(error_in("network,layer,fused,threads,seconds\n"
                     "squeezenet,conv1,conv1_relu,1,0.1\r\n"
                     "squeeznet,conv1,,1,0.1\n"
                     "squeezenet,conv0,,0,-1\n"
                     "squeezenet,conv1\n"),
            "times.csv:3: network: there is no network \"squeeznet\"; did you mean \"squeezenet\"?\n"
            "times.csv:4: layer: there is no layer of squeezenet \"conv0\"; did you mean \"conv1\"?\n"
            "times.csv:4: threads: expected a whole number from 1 to 1024, found \"0\"\n"
            "times.csv:4: seconds: expected a number above 0, found \"-1\"\n"
            "times.csv:5: 2 fields; expected 5: network,layer,fused,threads,seconds");
}

TEST(LayerTimes, FitNeedsOneAndAllCores) {
  const Computer computer = truth();
  std::vector<LayerTime> times = times_of(computer, {"tiny-chain"});
  std::erase_if(times, [](const LayerTime& time) { return time.threads == 4; });
  try {
    fit_layers(computer, times, "of a test");
    FAIL();
  } catch (const platforms::InputError& error) {
    EXPECT_STREQ(error.what(), "threads: no times with 4 threads; expected some with one and some with all 4 cores");
  }
}

}  // namespace
}  // namespace spillway::cost
