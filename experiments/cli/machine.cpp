#include "experiments/cli/machine.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "sim/cost/rounding.hpp"

namespace spillway::cli {
namespace {

using platforms::Figure;

/// As keys of mappings call it.
std::string architecture() {
  utsname name{};
  ::uname(&name);
  const std::string machine = name.machine;
  if (machine == "x86_64" || machine == "i686") return "x86";
  return machine.starts_with("aarch") || machine.starts_with("arm") ? "arm" : machine;
}

/// Cores that this process may run on.
int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return std::max(CPU_COUNT(&set), 1);
  return static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
}

/// The text behind `key : ` of the first such line of /proc/cpuinfo.
std::string processor_says(const std::string& key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with(key) && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "";
}

Figure clock_of_cores() {
  double kilohertz = 0;
  if (std::ifstream("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq") >> kilohertz)
    return {kilohertz * 1e3, "the highest clock of core 0 that the kernel knows"};
  const std::string megahertz = processor_says("cpu MHz");
  if (!megahertz.empty())
    return {cost::rounded(std::stod(megahertz) * 1e6), "the clock in /proc/cpuinfo when measured"};
  return {1e9, "assumed, the kernel does not say", true};
}

Figure resident_memory() {
  std::ifstream file("/proc/self/statm");
  long all = 0, resident = 0;
  if (file >> all >> resident)
    return {static_cast<double>(resident * ::sysconf(_SC_PAGESIZE)),
            "resident memory of this program before it loads a network"};
  return {12 * 1024 * 1024, "assumed, the kernel does not say", true};
}

Figure assumed(double value, std::string_view reason) {
  return {value, fmt::format("assumed, {}", reason), true};
}

}  // namespace

double measure_bandwidth(int threads) {
  constexpr std::size_t block = std::size_t{96} << 20;
  constexpr int copies = 7;
  std::vector<std::vector<char>> from, to;
  for (int thread = 0; thread < threads; ++thread) {
    from.emplace_back(block, 'a');
    to.emplace_back(block, 'b');
  }
  double best_s = 1e9;
  for (int copy = 0; copy < copies; ++copy) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::jthread> workers;
    for (std::size_t thread = 0; thread < from.size(); ++thread)
      workers.emplace_back([&, thread] { std::memcpy(to[thread].data(), from[thread].data(), block); });
    workers.clear();  // waits for them
    best_s = std::min(best_s, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return 2.0 * static_cast<double>(block) * threads / best_s;
}

double background_load() {
  double load = 0;
  return ::getloadavg(&load, 1) == 1 ? load : 0;
}

platforms::Computer this_machine() {
  platforms::Computer computer;
  computer.runtime_memory = resident_memory();
  computer.architecture = architecture();
  computer.cores = usable_cores();
  const std::string model = processor_says("model name");
  computer.description =
      fmt::format("The machine that `spillway measure` ran on: {}, {} core{}",
                  model.empty() ? computer.architecture : model, computer.cores, computer.cores == 1 ? "" : "s");
  const double pages = static_cast<double>(::sysconf(_SC_PHYS_PAGES));
  computer.memory = {pages * static_cast<double>(::sysconf(_SC_PAGESIZE)), "what the operating system reports"};
  computer.cpu.clock = clock_of_cores();
  computer.cpu.element = {sizeof(float), "float32, which the kernels compute in"};
  computer.cpu.bandwidth = {cost::rounded(measure_bandwidth(computer.cores)),
                            "measured: all cores copy blocks of 96 MiB, read and written bytes, best of 7"};
  computer.idle_power = assumed(10, "it cannot be measured here: a small server's share of two cores");
  computer.core_power = assumed(8, "it cannot be measured here");
  computer.spin_power = assumed(5, "it cannot be measured here: two thirds of core_power");
  computer.network_power = assumed(0.5, "it cannot be measured here");
  return computer;
}

}  // namespace spillway::cli
