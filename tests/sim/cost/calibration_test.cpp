#include "sim/cost/calibration.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platforms/problems.hpp"
#include "sim/cost/layer_cost.hpp"

namespace spillway::cost {
namespace {

using ::testing::HasSubstr;

std::vector<platforms::Computer> all_computers() {
  std::vector<platforms::Computer> computers;
  for (const std::string& name : platforms::computer_names())
    computers.push_back(platforms::load_computer(name));
  return computers;
}

const platforms::Measurements& published() {
  static const platforms::Measurements measurements = platforms::load_measurements("ncnn");
  return measurements;
}

std::string error_of(const platforms::Measurements& measurements, const CalibrationChoice& choice) {
  try {
    calibrate(measurements, choice, all_computers());
  } catch (const platforms::InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Calibration, CommittedFiguresAreTheFit) {
  const Calibration calibration = calibrate(published(), default_choice(), all_computers());
  EXPECT_EQ(to_yaml(calibration.efficiencies), to_yaml(platforms::load_efficiencies()));
  for (const platforms::Computer& computer : calibration.computers)
    EXPECT_EQ(to_yaml(computer), to_yaml(platforms::load_computer(computer.name))) << computer.name;
}

// The bounds stand just above what `spillway calibrate` prints; platforms/README.md says which aims are missed.
TEST(Calibration, ErrorsStayWhereTheyWereMeasured) {
  const Calibration committed{platforms::load_efficiencies(), all_computers()};
  const std::vector<Judgement> judgements = judge(published(), default_choice(), committed);
  const auto expect_below = [&](CallClass call_class, Part part, bool with_outliers, double bound) {
    const std::optional<double> error = mean_error(judgements, call_class, part, with_outliers);
    ASSERT_TRUE(error);
    EXPECT_LT(*error, bound) << to_string(call_class) << ", " << to_string(part);
    EXPECT_GT(*error, bound - 0.02) << to_string(call_class) << ", " << to_string(part) << ": tighten the bound";
  };
  expect_below(CallClass::one_core, Part::fitted, true, 0.04);
  expect_below(CallClass::all_cores, Part::fitted, true, 0.11);
  expect_below(CallClass::gpu, Part::fitted, true, 0.065);
  expect_below(CallClass::one_core, Part::held_out_network, true, 0.12);
  expect_below(CallClass::all_cores, Part::held_out_network, true, 0.135);
  expect_below(CallClass::all_cores, Part::held_out_network, false, 0.09);
  expect_below(CallClass::gpu, Part::held_out_network, true, 0.26);
  expect_below(CallClass::one_core, Part::held_out_board, true, 0.30);
  expect_below(CallClass::all_cores, Part::held_out_board, true, 0.44);
}

/// The choice without one of its boards or networks.
std::vector<std::string> without(std::vector<std::string> names, const std::string& left_out) {
  std::erase(names, left_out);
  return names;
}

/// Mean absolute error of those fitted networks on fitted boards that `is_left_out` says were not fitted.
template <typename IsLeftOut>
double error_of_left_out(const CalibrationChoice& choice, bool gpu, CallClass call_class, IsLeftOut is_left_out) {
  const Calibration calibration = calibrate(published(), choice, all_computers());
  double sum = 0;
  int count = 0;
  for (const Judgement& judgement : judge(published(), choice, calibration)) {
    const bool wanted = gpu == judgement.measured.gpu && (gpu || judgement.call_class == call_class);
    if (!wanted || !is_left_out(judgement.measured)) continue;
    sum += std::abs(judgement.relative_error());
    ++count;
  }
  return sum / count;
}

// How well the form itself predicts, on the times that it was chosen on.
TEST(Calibration, LeavingOneNetworkOut) {
  const CalibrationChoice all = default_choice();
  double one_core = 0, all_cores = 0, gpu = 0;
  for (const std::string& network : all.networks) {
    const CalibrationChoice choice{all.boards, without(all.networks, network)};
    const auto is_left_out = [&](const platforms::Measurement& row) {
      return row.network == network && std::ranges::count(all.boards, row.board);
    };
    one_core += error_of_left_out(choice, false, CallClass::one_core, is_left_out) / 4;
    all_cores += error_of_left_out(choice, false, CallClass::all_cores, is_left_out) / 4;
    gpu += error_of_left_out(choice, true, CallClass::gpu, is_left_out) / 4;
  }
  EXPECT_NEAR((one_core + all_cores) / 2, 0.175, 0.002);
  EXPECT_NEAR(gpu, 0.234, 0.002);
}

TEST(Calibration, LeavingOneBoardOut) {
  const CalibrationChoice all = default_choice();
  double one_core = 0, all_cores = 0;
  for (const std::string& board : all.boards) {
    const CalibrationChoice choice{without(all.boards, board), all.networks};
    const auto is_left_out = [&](const platforms::Measurement& row) {
      return row.board == board && std::ranges::count(all.networks, row.network);
    };
    one_core += error_of_left_out(choice, false, CallClass::one_core, is_left_out) / 3;
    all_cores += error_of_left_out(choice, false, CallClass::all_cores, is_left_out) / 3;
  }
  EXPECT_NEAR(one_core, 0.183, 0.002);
  EXPECT_NEAR(all_cores, 0.225, 0.002);
}

TEST(Calibration, HeldOutTimesDoNotMoveTheFit) {
  platforms::Measurements changed = published();
  for (platforms::Measurement& row : changed.rows) {
    const CalibrationChoice choice = default_choice();
    const bool fitted =
        std::ranges::count(choice.boards, row.board) && std::ranges::count(choice.networks, row.network);
    if (!fitted || row.threads == 2 || (row.threads == 4 && row.board == "jetson-agx-xavier")) row.seconds *= 7;
  }
  EXPECT_EQ(to_yaml(calibrate(changed, default_choice(), all_computers()).efficiencies),
            to_yaml(platforms::load_efficiencies()));
}

TEST(Calibration, OutliersAreNotFitted) {
  CalibrationChoice all_networks = default_choice();
  all_networks.networks.insert(all_networks.networks.end(), {"googlenet", "resnet50", "alexnet"});
  platforms::Measurements changed = published();
  const std::string before = to_yaml(calibrate(changed, all_networks, all_computers()).efficiencies);
  for (platforms::Measurement& row : changed.rows)
    if (row.outlier) row.seconds *= 3;
  EXPECT_EQ(to_yaml(calibrate(changed, all_networks, all_computers()).efficiencies), before);
}

TEST(Calibration, NamesWhatWasNotMeasured) {
  EXPECT_EQ(error_of(published(), {{"jetson-nano", "rk3599"}, {"vgg19"}}),
            "--fit-boards: ncnn has no time of \"rk3599\"; did you mean \"rk3588\"? it has jetson-agx-xavier, "
            "jetson-tx2-nx, jetson-nano, jetson-orin-nano, rk3588, raspberry-pi-4\n"
            "--fit-networks: ncnn has no time of \"vgg19\"; did you mean \"vgg16\"? it has squeezenet, mobilenet, "
            "googlenet, resnet18, resnet50, alexnet, vgg16");
  const platforms::Measurements unknown = platforms::parse_measurements(
      "description: d\nsource: s\nrows:\n  - {board: rk3588, class: cpu, threads: 1, times: {vgg61: 1 s}}\n", "f.yaml");
  EXPECT_THAT(error_of(unknown, {{"rk3588"}, {"vgg61"}}),
              HasSubstr("f.yaml:4:60: times: there is no network \"vgg61\"; did "));
}

}  // namespace
}  // namespace spillway::cost
