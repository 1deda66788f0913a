#include "sim/cost/ratios.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "models/zoo.hpp"
#include "platforms/nearest.hpp"
#include "platforms/problems.hpp"
#include "sim/cost/layer_cost.hpp"
#include "sim/cost/rounding.hpp"

namespace spillway::cost {
namespace {

using platforms::Computer;
using platforms::Efficiencies;
using platforms::InputError;
using platforms::Problem;

constexpr Placement on_gpu{.gpu = true};

Placement on_all_cores(const Computer& computer) {
  return {false, computer.cores};
}

models::Network network_of(const Computer& computer) {
  const std::string& name = computer.ratios.value().network;
  if (auto network = models::zoo(name)) return *std::move(network);
  std::vector<std::string> names;
  for (const std::string_view known : models::zoo_names())
    names.emplace_back(known);
  const std::string hint = platforms::did_you_mean(name, names);
  throw InputError({Problem{computer.name, 0, 0, "ratios.network",
                            fmt::format("there is no network \"{}\"{}{} `spillway list models` shows all", name, hint,
                                        hint.empty() ? ";" : "")}});
}

double power_on_gpu(const Computer& computer) {
  return computer.idle_power.value + computer.gpu.value().gpu_power.value + computer.spin_power.value;
}

double power_on_all_cores(const Computer& computer) {
  return computer.idle_power.value + computer.core_power.value * computer.cores;
}

}  // namespace

BoardRatios ratios_of(const Computer& computer, const Efficiencies& efficiencies) {
  const models::Network network = network_of(computer);
  const double throughput = network_s(network, computer, efficiencies, on_all_cores(computer)) /
                            network_s(network, computer, efficiencies, on_gpu);
  return {throughput, power_on_gpu(computer) / power_on_all_cores(computer) / throughput};
}

void fit_ratios(Computer& computer, const Efficiencies& efficiencies) {
  const platforms::PublishedRatios& published = computer.ratios.value();
  const models::Network network = network_of(computer);
  const Work work = work_of(network);
  const double cores_s = network_s(network, computer, efficiencies, on_all_cores(computer));
  Rates without_launch = rates_of(computer, efficiencies, on_gpu);
  without_launch.launch_s = 0;
  const double launch_s = (cores_s / published.throughput.value - seconds_of(work, without_launch)) / work.calls;
  const double wait_w = published.energy.value * published.throughput.value * power_on_all_cores(computer) -
                        (power_on_gpu(computer) - computer.spin_power.value);
  computer.gpu->calls.launch = {rounded(std::max(launch_s, 0.0)),
                                fmt::format("fitted: {} on the GPU has {:.4g} times the throughput of all cores",
                                            published.network, published.throughput.value)};
  computer.spin_power = {rounded(std::max(wait_w, 0.0)),
                         fmt::format("fitted: a frame of {} on the GPU takes {:.4g} times the energy of all cores",
                                     published.network, published.energy.value)};
}

}  // namespace spillway::cost
