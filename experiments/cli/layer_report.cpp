#include "experiments/cli/layer_report.hpp"

#include <cmath>

#include <fmt/format.h>

#include "experiments/cli/table.hpp"
#include "platforms/units.hpp"

namespace spillway::cli {
namespace {

using platforms::Unit;

void print_processor(const platforms::Cpu& cpu) {
  fmt::print("one core    peak {}, memory {}\n", format_quantity(cpu.peak.value, Unit::macs_per_second),
             format_quantity(cpu.bandwidth.value, Unit::bytes_per_second));
  fmt::print("calls       {} on one core; {} and scale {:.4g} on all, against {:.4g}\n",
             platforms::format_seconds(cpu.one_core.launch.value),
             platforms::format_seconds(cpu.all_cores.launch.value), cpu.all_cores.scale.value,
             cpu.one_core.scale.value);
  Table table({{"share of"}, {"kind"}, {"CPU", true}});
  for (std::size_t kind = 0; kind < platforms::compute_kinds.size(); ++kind)
    table.row(
        {"peak", std::string(platforms::compute_kinds[kind]), fmt::format("{:.3g}", cpu.efficiency->peak[kind].value)});
  for (std::size_t kind = 0; kind < platforms::memory_kinds.size(); ++kind)
    table.row({"bandwidth", std::string(platforms::memory_kinds[kind]),
               fmt::format("{:.3g}", cpu.efficiency->bandwidth[kind].value)});
  fmt::print("\n{}\n", table.text());
}

}  // namespace

void print_layer_fit(const platforms::Computer& computer, const std::vector<cost::LayerTime>& times) {
  print_processor(computer.cpu);
  Table table({{"network"}, {"threads", true}, {"measured", true}, {"predicted", true}, {"error", true}});
  double errors = 0;
  const std::vector<cost::NetworkTime> networks = judge_layers(computer, times);
  for (const cost::NetworkTime& network : networks) {
    const double error = network.predicted_s / network.measured_s - 1;
    errors += std::abs(error);
    table.row({network.network, std::to_string(network.threads), platforms::format_seconds(network.measured_s),
               platforms::format_seconds(network.predicted_s), fmt::format("{:+.1f} %", error * 100)});
  }
  fmt::print("{}mean absolute error {:.1f} %\n", table.text(), errors / static_cast<double>(networks.size()) * 100);
}

}  // namespace spillway::cli
