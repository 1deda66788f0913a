#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/computer.hpp"
#include "platforms/efficiencies.hpp"
#include "platforms/measurements.hpp"

/// From measured times of whole networks to the figures of platforms/computers and platforms/efficiencies.yaml.
namespace spillway::cost {

/// What a time was measured with; each has a scale and a launch of its own, but `some_cores`, which lies between.
enum class CallClass { one_core, some_cores, all_cores, gpu };

/// `CPU, 1 thread`, ...
std::string_view to_string(CallClass call_class);

/// What is fitted; everything else that was measured is predicted.
struct CalibrationChoice {
  std::vector<std::string> boards, networks;
};

/// What the committed figures are fitted to.
CalibrationChoice default_choice();

struct Calibration {
  platforms::Efficiencies efficiencies;
  std::vector<platforms::Computer> computers;  ///< all that were given, in their order
};

/// Fits shares, launch and scale to the times of the chosen boards and networks, outliers left out, and gives every
/// other computer what follows: with `like`, that board's scale, and its launch by the clocks; else one scale and one
/// launch that fit the times of all chosen boards together, the launch in cycles (COMPUTERS.md). A computer with
/// `ratios` is then fitted to these (ratios.hpp). One with efficiencies of its own was measured otherwise and stays as
/// it is. Values are rounded to four digits.
/// Throws platforms::InputError: an unknown network, a chosen board or network without times, boards in `like` that do
/// not exist or follow another.
Calibration calibrate(const platforms::Measurements& measurements, const CalibrationChoice& choice,
                      std::vector<platforms::Computer> computers);

/// What a time is to a calibration. Times with some of the cores are never fitted: on a fitted board they count as
/// held-out networks.
enum class Part { fitted, held_out_network, held_out_board };

/// `fitted`, `held-out networks`, ...
std::string_view to_string(Part part);

/// A measured time beside the predicted one.
struct Judgement {
  platforms::Measurement measured;
  CallClass call_class = CallClass::one_core;
  Part part = Part::fitted;
  double predicted_s = 0;

  double relative_error() const { return predicted_s / measured.seconds - 1; }
};

/// Predicts every time. Throws platforms::InputError for an unknown network.
std::vector<Judgement> judge(const platforms::Measurements& measurements, const CalibrationChoice& choice,
                             const Calibration& calibration);

/// Mean absolute relative error of one part and class; empty where nothing was measured.
std::optional<double> mean_error(const std::vector<Judgement>& judgements, CallClass call_class, Part part,
                                 bool with_outliers);

}  // namespace spillway::cost
