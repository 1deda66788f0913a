#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Devices that run an operating system and take part in an MPI job: AutoDiCE's platform specification.
namespace spillway::platforms {

/// A graphics processor and the programming interface that it is used with (`NVIDIAVolta`, `CUDA`).
struct Gpu {
  std::string architecture;
  std::string api;

  friend bool operator==(const Gpu&, const Gpu&) = default;
};

/// One device. Its name is the host name in rankfile and hostfile; keys of a mapping call its cores by architecture.
struct Device {
  std::string name;
  std::string architecture;  ///< of the CPU, `arm`
  std::vector<int> cores;    ///< numbers as the operating system counts them, ascending
  std::optional<Gpu> gpu;
  std::string board;  ///< name or path of the computer that it is; empty: not said (a platform file does not)

  friend bool operator==(const Device&, const Device&) = default;
};

/// Names that a device may have: they become host names, folder names and words of a rankfile.
bool is_device_name(std::string_view name);

/// Reads `NAME, ARCHITECTURE, slots=FIRST-LAST[, gpu=ARCHITECTURE (LIBRARY)]`, one device a line; empty lines and lines
/// that begin with # are left out. `file` stands for the file in errors.
/// Throws InputError with every problem: missing or unknown fields, cores that are none, a name that is given twice.
std::vector<Device> parse_devices(std::string_view text, const std::string& file);

/// The devices of a platform file as above, of a cluster by its name, or of a cluster's .yaml file.
/// Throws InputError as parse_devices and load_cluster do, and for a cluster without devices.
std::vector<Device> load_devices(const std::string& name_or_path);

}  // namespace spillway::platforms
