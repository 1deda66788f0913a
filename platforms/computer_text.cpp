#include <fmt/format.h>

#include "platforms/computer.hpp"
#include "platforms/yaml_writer.hpp"

namespace spillway::platforms {
namespace {

std::string processor_lines(const Processor& processor) {
  return figure_line("peak", processor.peak, Unit::macs_per_second, 2) +
         figure_line("bandwidth", processor.bandwidth, Unit::bytes_per_second, 2) +
         figure_line("clock", processor.clock, Unit::hertz, 2);
}

std::string call_lines(std::string_view key, const CallCosts& costs) {
  return fmt::format("  {}:\n", key) + figure_line("scale", costs.scale, Unit::ratio, 4) +
         figure_line("launch", costs.launch, Unit::seconds, 4);
}

std::string cpu_lines(const Cpu& cpu) {
  std::string text = "cpu:\n" + processor_lines(cpu) + figure_line("element", cpu.element, Unit::bytes, 2) +
                     call_lines("one_core", cpu.one_core) + call_lines("all_cores", cpu.all_cores);
  if (cpu.efficiency) text += "  efficiency:\n" + efficiency_lines(*cpu.efficiency, 4);
  return text;
}

std::string gpu_lines(const GpuUnit& gpu) {
  return fmt::format("gpu:\n  architecture: {}\n  library: {}\n", quoted_text(gpu.names.architecture),
                     quoted_text(gpu.names.api)) +
         processor_lines(gpu) + call_lines("calls", gpu.calls) +
         figure_line("link_bandwidth", gpu.link_bandwidth, Unit::bytes_per_second, 2) +
         figure_line("link_latency", gpu.link_latency, Unit::seconds, 2) +
         figure_line("runtime_memory", gpu.runtime_memory, Unit::bytes, 2) +
         figure_line("gpu_power", gpu.gpu_power, Unit::watts, 2);
}

}  // namespace

std::string to_yaml(const Computer& computer) {
  std::string text = fmt::format("description: {}\narchitecture: {}\n", quoted_text(computer.description),
                                 quoted_text(computer.architecture));
  if (!computer.like.empty()) text += fmt::format("like: {}\n", quoted_text(computer.like));
  if (computer.ratios) {
    text += fmt::format("ratios:\n  network: {}\n", quoted_text(computer.ratios->network)) +
            figure_line("throughput", computer.ratios->throughput, Unit::ratio, 2) +
            figure_line("energy", computer.ratios->energy, Unit::ratio, 2);
  }
  text += fmt::format("cores: {}\n", computer.cores);
  text += figure_line("memory", computer.memory, Unit::bytes);
  text += figure_line("runtime_memory", computer.runtime_memory, Unit::bytes);
  text += cpu_lines(computer.cpu);
  if (computer.gpu) text += gpu_lines(*computer.gpu);
  text += figure_line("idle_power", computer.idle_power, Unit::watts);
  text += figure_line("core_power", computer.core_power, Unit::watts);
  text += figure_line("spin_power", computer.spin_power, Unit::watts);
  text += figure_line("network_power", computer.network_power, Unit::watts);
  return text;
}

}  // namespace spillway::platforms
