#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/devices.hpp"
#include "platforms/efficiencies.hpp"
#include "platforms/figure.hpp"

namespace spillway::platforms {

/// The two numbers that a fit may choose for a board and class of calls.
struct CallCosts {
  Figure
      scale;  ///< ratio: MAC rate reached over the one that peak and efficiencies predict; 1 where nothing was fitted
  Figure launch;  ///< s for each call of a layer
};

/// What the data sheet says of a processor.
struct Processor {
  Figure peak;       ///< MAC/s in the arithmetic that the library uses; of one core for a CPU, of the whole for a GPU
  Figure bandwidth;  ///< bytes/s of the memory, whole board
  Figure clock;      ///< Hz; what a call costs is carried from board to board in cycles of it
};

struct Cpu : Processor {
  Figure element;       ///< bytes of a number in the arithmetic that the library uses, which `peak` counts
  CallCosts one_core;   ///< a layer on one core
  CallCosts all_cores;  ///< a layer on all cores; `scale` is that of each
  /// Of the library that was measured on this computer, where it is another than the one that the shared efficiencies
  /// stand for.
  std::optional<Efficiency> efficiency;
};

struct GpuUnit : Processor {
  Gpu names;
  CallCosts calls;
  Figure link_bandwidth;  ///< bytes/s of copies between the CPU's and the GPU's buffers
  Figure link_latency;    ///< s of such a copy
  Figure runtime_memory;  ///< bytes that a process has more when it uses the GPU, before weights and buffers
  Figure gpu_power;       ///< W more while the GPU computes
};

/// What was published of one whole network on one board: its GPU over all of its CPU cores.
struct PublishedRatios {
  std::string network;  ///< of the zoo
  Figure throughput;    ///< ratio
  Figure energy;        ///< ratio, of a frame
};

/// A board that runs an operating system and takes part in an MPI job.
struct Computer {
  std::string name;  ///< file name without .yaml
  std::string description;
  std::string architecture;  ///< of the CPU, as keys of mappings call it: `arm`, `x86`
  /// The computer with the same cores and GPU whose call costs this one has, carried over by the clocks; empty: none.
  std::string like;
  /// What a calibration fits `launch` of the GPU and `spin_power` to, instead of carrying them over.
  std::optional<PublishedRatios> ratios;
  int cores = 1;
  Figure memory;          ///< bytes
  Figure runtime_memory;  ///< bytes that a process has before weights and buffers
  Cpu cpu;
  std::optional<GpuUnit> gpu;
  Figure idle_power;     ///< W, nothing computes
  Figure core_power;     ///< W more for each core that computes
  Figure spin_power;     ///< W more for each core that waits busily
  Figure network_power;  ///< W more while the network interface moves data
};

/// Reads a computer by the name of a file in platforms/computers, or by a path.
/// Throws InputError with every problem of the file: YAML, keys, units, a figure without a source, figures out of
/// range, `like` a computer that does not exist, a microcontroller board.
Computer load_computer(std::string_view name_or_path);

/// The same from text; `file` stands for the file in errors and gives the computer its name.
Computer parse_computer(std::string_view yaml, const std::string& file);

/// The names that load_computer knows, sorted.
std::vector<std::string> computer_names();

/// The text that parse_computer reads back to the same.
std::string to_yaml(const Computer& computer);

}  // namespace spillway::platforms
