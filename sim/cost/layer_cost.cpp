#include "sim/cost/layer_cost.hpp"

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace spillway::cost {
namespace {

using platforms::Computer;
using platforms::Efficiency;

/// From `one` at share 0 to `all` at share 1; straight where a power law has no meaning.
double between(double one, double all, double share) {
  if (one > 0 && all > 0) return one * std::pow(all / one, share);
  return one + (all - one) * share;
}

void set_rates(Rates& rates, const Efficiency& efficiency, double peak, double bandwidth) {
  for (std::size_t kind = 0; kind < rates.macs_per_s.size(); ++kind)
    rates.macs_per_s[kind] = peak * efficiency.peak[kind].value;
  for (std::size_t kind = 0; kind < rates.bytes_per_s.size(); ++kind)
    rates.bytes_per_s[kind] = bandwidth * efficiency.bandwidth[kind].value;
}

Rates rates_of_gpu(const Computer& computer, const Efficiency& efficiency) {
  if (!computer.gpu) throw std::invalid_argument(fmt::format("{} has no GPU", computer.name));
  const platforms::GpuUnit& gpu = *computer.gpu;
  Rates rates;
  rates.launch_s = gpu.calls.launch.value;
  set_rates(rates, efficiency, gpu.peak.value * gpu.calls.scale.value, gpu.bandwidth.value);
  return rates;
}

Rates rates_of_cpu(const Computer& computer, const Efficiency& shared, int threads) {
  if (threads < 1 || threads > computer.cores)
    throw std::invalid_argument(
        fmt::format("{} threads on the {} cores of {}", threads, computer.cores, computer.name));
  const platforms::Cpu& cpu = computer.cpu;
  const double share = computer.cores > 1 ? std::log(threads) / std::log(computer.cores) : 0;
  const double scale = between(cpu.one_core.scale.value, cpu.all_cores.scale.value, share);
  Rates rates;
  rates.launch_s = between(cpu.one_core.launch.value, cpu.all_cores.launch.value, share);
  set_rates(rates, cpu.efficiency.value_or(shared), cpu.peak.value * threads * scale, cpu.bandwidth.value);
  return rates;
}

}  // namespace

Rates rates_of(const Computer& computer, const platforms::Efficiencies& efficiencies, Placement placement) {
  return placement.gpu ? rates_of_gpu(computer, efficiencies.gpu)
                       : rates_of_cpu(computer, efficiencies.cpu, placement.threads);
}

double seconds_of(const Work& work, const Rates& rates) {
  double seconds = work.calls * rates.launch_s;
  for (std::size_t kind = 0; kind < work.macs.size(); ++kind)
    seconds += work.macs[kind] / rates.macs_per_s[kind];
  for (std::size_t kind = 0; kind < work.bytes.size(); ++kind)
    seconds += work.bytes[kind] / rates.bytes_per_s[kind];
  return seconds;
}

double layer_s(const models::Network& network, models::NodeId id, const Computer& computer,
               const platforms::Efficiencies& efficiencies, Placement placement, bool fused) {
  const Rates rates = rates_of(computer, efficiencies, placement);
  return fused ? 0 : seconds_of(work_of(network, id), rates);
}

double network_s(const models::Network& network, const Computer& computer, const platforms::Efficiencies& efficiencies,
                 Placement placement) {
  return seconds_of(work_of(network), rates_of(computer, efficiencies, placement));
}

}  // namespace spillway::cost
