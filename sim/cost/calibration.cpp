#include "sim/cost/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/zoo.hpp"
#include "platforms/nearest.hpp"
#include "platforms/problems.hpp"
#include "sim/cost/fit.hpp"
#include "sim/cost/layer_cost.hpp"
#include "sim/cost/ratios.hpp"
#include "sim/cost/rounding.hpp"

namespace spillway::cost {
namespace {

using platforms::Computer;
using platforms::Figure;
using platforms::InputError;
using platforms::Measurement;
using platforms::Measurements;
using platforms::Problem;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

auto& computer_of(auto& computers, const std::string& name) {
  const auto found = std::ranges::find(computers, name, &Computer::name);
  if (found == computers.end())
    throw InputError({Problem{"", 0, 0, "boards", fmt::format("there is no computer \"{}\"", name)}});
  return *found;
}

CallClass class_of(const Measurement& row, const Computer& computer) {
  if (row.gpu) return CallClass::gpu;
  if (row.threads == 1) return CallClass::one_core;
  return row.threads == computer.cores ? CallClass::all_cores : CallClass::some_cores;
}

/// The work of each network that has a time. Throws InputError with every unknown network.
std::map<std::string, Work> works_of(const Measurements& measurements) {
  std::map<std::string, Work> works;
  std::vector<Problem> problems;
  std::vector<std::string> names;
  for (const std::string_view name : models::zoo_names())
    names.emplace_back(name);
  for (const Measurement& row : measurements.rows) {
    if (works.contains(row.network)) continue;
    if (const auto network = models::zoo(row.network)) {
      works.emplace(row.network, work_of(*network));
      continue;
    }
    const std::string hint = platforms::did_you_mean(row.network, names);
    problems.push_back({measurements.file, row.position.line, row.position.column, "times",
                        fmt::format("there is no network \"{}\"{}{} `spillway list models` shows all", row.network,
                                    hint, hint.empty() ? ";" : "")});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return works;
}

void require_times(const Measurements& measurements, const CalibrationChoice& choice) {
  std::vector<Problem> problems;
  const auto check = [&](const std::string& key, const std::vector<std::string>& chosen, auto member) {
    std::vector<std::string> measured;
    for (const Measurement& row : measurements.rows)
      if (!contains(measured, row.*member)) measured.push_back(row.*member);
    if (chosen.empty()) problems.push_back({"", 0, 0, key, "nothing is chosen; expected at least one"});
    for (const std::string& name : chosen) {
      if (contains(measured, name)) continue;
      const std::string hint = platforms::did_you_mean(name, measured);
      problems.push_back({"", 0, 0, key,
                          fmt::format("{} has no time of \"{}\"{}{} it has {}", measurements.name, name, hint,
                                      hint.empty() ? ";" : "", fmt::join(measured, ", "))});
    }
  };
  check("--fit-boards", choice.boards, &Measurement::board);
  check("--fit-networks", choice.networks, &Measurement::network);
  if (!problems.empty()) throw InputError(std::move(problems));
}

/// What has a scale and a launch of its own.
struct Group {
  std::string board;
  CallClass call_class = CallClass::one_core;

  friend bool operator==(const Group&, const Group&) = default;
};

/// The fit of all CPUs, or of all GPUs.
struct FittedGroups {
  std::vector<Group> groups;
  std::vector<Sample> samples;
  Fit fit;
};

FittedGroups fit_family(const Measurements& measurements, const CalibrationChoice& choice,
                        const std::map<std::string, Work>& works, const std::vector<Computer>& computers, bool gpu) {
  FittedGroups result;
  for (const Measurement& row : measurements.rows) {
    const bool chosen = contains(choice.boards, row.board) && contains(choice.networks, row.network);
    if (row.gpu != gpu || row.outlier || !chosen) continue;
    const Computer& computer = computer_of(computers, row.board);
    const Group group{row.board, class_of(row, computer)};
    if (group.call_class == CallClass::some_cores) continue;
    auto place = std::ranges::find(result.groups, group);
    if (place == result.groups.end()) place = result.groups.insert(place, group);
    const platforms::Processor& processor =
        gpu ? static_cast<const platforms::Processor&>(*computer.gpu) : computer.cpu;
    result.samples.push_back({.group = static_cast<std::size_t>(place - result.groups.begin()),
                              .work = works.at(row.network),
                              .peak = processor.peak.value * (gpu ? 1 : row.threads),
                              .bandwidth = processor.bandwidth.value,
                              .seconds = row.seconds});
  }
  if (!result.samples.empty()) result.fit = fit(result.samples, result.groups.size());
  return result;
}

void set_shares(platforms::Efficiency& efficiency, const FittedGroups& fitted, const std::string& origin) {
  const bool measured = !fitted.groups.empty();
  const Shares& shares = measured ? fitted.fit.shares : prior_shares;
  for (std::size_t kind = 0; kind < shares.peak.size(); ++kind) {
    const bool tied = kind == static_cast<std::size_t>(ComputeKind::dense);
    efficiency.peak[kind] = {rounded(shares.peak[kind]), (tied ? "fitted, that of pointwise: " : "fitted: ") + origin};
  }
  for (std::size_t kind = 0; kind < shares.bandwidth.size(); ++kind)
    efficiency.bandwidth[kind] = {rounded(shares.bandwidth[kind]), "fitted, one for all kinds: " + origin};
  if (measured) return;
  for (Figure& share : efficiency.peak)
    share = {share.value, "assumed, where a fit would begin: nothing was measured", true};
  for (Figure& share : efficiency.bandwidth)
    share = {share.value, "assumed, where a fit would begin: nothing was measured", true};
}

platforms::Processor& processor_of(Computer& computer, CallClass call_class) {
  if (call_class == CallClass::gpu) return *computer.gpu;
  return computer.cpu;
}

platforms::CallCosts& costs_of(Computer& computer, CallClass call_class) {
  if (call_class == CallClass::gpu) return computer.gpu->calls;
  return call_class == CallClass::one_core ? computer.cpu.one_core : computer.cpu.all_cores;
}

/// Gives the computers what the groups of one class give them.
class Transfer {
 public:
  Transfer(const FittedGroups& fitted, CallClass call_class, std::vector<Computer>& computers, std::string origin)
      : fitted_(fitted), class_(call_class), computers_(computers), origin_(std::move(origin)) {
    std::vector<Sample> samples;
    std::vector<double> units;
    for (const Sample& sample : fitted.samples) {
      const Group& group = fitted.groups[sample.group];
      if (group.call_class != call_class) continue;
      samples.push_back(sample);
      units.push_back(launch_unit_s(find(group.board)));
    }
    if (!samples.empty()) pooled_ = fit_pooled(samples, units, fitted.fit.shares);
  }

  void to_all() {
    if (!pooled_) return;
    for (Computer& computer : computers_)
      if (concerns(computer) && computer.like.empty()) set_own_or_mean(computer);
    for (Computer& computer : computers_)
      if (concerns(computer) && !computer.like.empty()) set_from(computer, find(computer.like));
  }

 private:
  Computer& find(const std::string& name) { return computer_of(computers_, name); }

  double clock_of(Computer& computer) const { return processor_of(computer, class_).clock.value; }

  /// What a launch is carried in to a board that was not measured: cycles of the clock; with all cores, cycles for each
  /// four bytes of an element, as what they lose goes with what they exchange. Both as the fitted times suggest
  /// (platforms/COMPUTERS.md).
  double launch_unit_s(Computer& computer) const {
    constexpr double float32 = 4;
    return (class_ == CallClass::all_cores ? computer.cpu.element.value / float32 : 1) / clock_of(computer);
  }

  bool concerns(const Computer& computer) const {
    return !computer.cpu.efficiency && (class_ != CallClass::gpu || computer.gpu);
  }

  void set(Computer& computer, Figure scale, Figure launch) {
    scale.value = rounded(scale.value);
    launch.value = rounded(launch.value);
    costs_of(computer, class_) = {std::move(scale), std::move(launch)};
  }

  void set_own_or_mean(Computer& computer) {
    const auto own = std::ranges::find(fitted_.groups, Group{computer.name, class_});
    if (own == fitted_.groups.end()) {
      const char* const unit = class_ == CallClass::all_cores ? "cycles for each 4 bytes of an element" : "cycles";
      set(computer, {pooled_->scale, "derived: one for all boards that were fitted: " + origin_},
          {pooled_->launch_units * launch_unit_s(computer),
           fmt::format("derived: one for all boards that were fitted, in {}: {}", unit, origin_)});
      return;
    }
    const GroupCosts& costs = fitted_.fit.groups[static_cast<std::size_t>(own - fitted_.groups.begin())];
    set(computer, {costs.scale, "fitted: " + origin_}, {costs.launch_s, "fitted: " + origin_});
  }

  void set_from(Computer& computer, Computer& model) {
    if (!model.like.empty() || !concerns(model)) {
      throw InputError({Problem{computer.name, 0, 0, "like",
                                fmt::format("{} is itself like another, or lacks what {} has; expected a board that is "
                                            "measured or predicted",
                                            model.name, computer.name)}});
    }
    const platforms::CallCosts& costs = costs_of(model, class_);
    set(computer, {costs.scale.value, "derived: that of " + model.name},
        {costs.launch.value * clock_of(model) / clock_of(computer),
         "derived: that of " + model.name + " by the clocks"});
  }

  const FittedGroups& fitted_;
  CallClass class_;
  std::vector<Computer>& computers_;
  std::string origin_;
  std::optional<PooledCosts> pooled_;  ///< nothing: no time of this class was fitted
};

}  // namespace

std::string_view to_string(CallClass call_class) {
  switch (call_class) {
    case CallClass::one_core:
      return "CPU, 1 thread";
    case CallClass::some_cores:
      return "CPU, some threads";
    case CallClass::all_cores:
      return "CPU, all threads";
    case CallClass::gpu:
      return "GPU";
  }
  return "";
}

std::string_view to_string(Part part) {
  switch (part) {
    case Part::fitted:
      return "fitted";
    case Part::held_out_network:
      return "held-out networks";
    case Part::held_out_board:
      return "held-out boards";
  }
  return "";
}

CalibrationChoice default_choice() {
  return {{"jetson-agx-xavier", "jetson-tx2-nx", "jetson-nano"}, {"squeezenet", "mobilenet", "resnet18", "vgg16"}};
}

Calibration calibrate(const Measurements& measurements, const CalibrationChoice& choice,
                      std::vector<Computer> computers) {
  const std::map<std::string, Work> works = works_of(measurements);
  require_times(measurements, choice);
  const std::string origin = fmt::format("measurements {}, {} on {}", measurements.name,
                                         fmt::join(choice.networks, ", "), fmt::join(choice.boards, ", "));
  Calibration calibration;
  calibration.efficiencies.description = fmt::format(
      "What kernels reach of peak and bandwidth, of one library for every board, written by `spillway calibrate`: {}",
      measurements.description);
  const FittedGroups cpu = fit_family(measurements, choice, works, computers, false);
  const FittedGroups gpu = fit_family(measurements, choice, works, computers, true);
  set_shares(calibration.efficiencies.cpu, cpu, origin);
  set_shares(calibration.efficiencies.gpu, gpu, origin);
  Transfer(cpu, CallClass::one_core, computers, origin).to_all();
  Transfer(cpu, CallClass::all_cores, computers, origin).to_all();
  Transfer(gpu, CallClass::gpu, computers, origin).to_all();
  for (Computer& computer : computers)
    if (computer.ratios) fit_ratios(computer, calibration.efficiencies);
  calibration.computers = std::move(computers);
  return calibration;
}

std::vector<Judgement> judge(const Measurements& measurements, const CalibrationChoice& choice,
                             const Calibration& calibration) {
  const std::map<std::string, Work> works = works_of(measurements);
  std::vector<Judgement> judgements;
  for (const Measurement& row : measurements.rows) {
    const Computer& computer = computer_of(calibration.computers, row.board);
    Judgement judgement;
    judgement.measured = row;
    judgement.call_class = class_of(row, computer);
    if (!contains(choice.boards, row.board)) {
      judgement.part = Part::held_out_board;
    } else if (!contains(choice.networks, row.network) || judgement.call_class == CallClass::some_cores) {
      judgement.part = Part::held_out_network;
    }
    const Placement placement{row.gpu, row.gpu ? 1 : row.threads};
    judgement.predicted_s = seconds_of(works.at(row.network), rates_of(computer, calibration.efficiencies, placement));
    judgements.push_back(std::move(judgement));
  }
  return judgements;
}

std::optional<double> mean_error(const std::vector<Judgement>& judgements, CallClass call_class, Part part,
                                 bool with_outliers) {
  double sum = 0;
  std::size_t count = 0;
  for (const Judgement& judgement : judgements) {
    const bool wanted = judgement.call_class == call_class && judgement.part == part;
    if (!wanted || (judgement.measured.outlier && !with_outliers)) continue;
    sum += std::abs(judgement.relative_error());
    ++count;
  }
  return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
}

}  // namespace spillway::cost
