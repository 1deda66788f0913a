#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/devices.hpp"

namespace spillway::platforms {

/// What a key of a mapping stands for: some cores of one device, or its GPU.
struct Resource {
  std::size_t device = 0;  ///< position in the list of devices
  bool gpu = false;
  std::vector<int> cores;  ///< in the order of the key; empty for a GPU

  friend bool operator==(const Resource&, const Resource&) = default;
};

/// A key that names no resource; what() says what was expected.
class ResourceError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Reads `DEVICE_ARCHITECTURE` and cores, either one digit each (AutoDiCE's form, `edge01_arm123`) or a list behind a
/// colon (`edge01_arm:0,1,10`), or `DEVICE_gpu`. Underscores may be part of any name: every device is tried, those with
/// the longest names first, and two that fit are an ambiguity.
/// Throws ResourceError: no such device, another architecture, cores missing, given twice or outside the device's
/// slots, no GPU, an ambiguity.
Resource parse_resource(std::string_view key, const std::vector<Device>& devices);

/// The unambiguous key of a resource: `edge01_arm:0,1,10` or `edge01_gpu`.
std::string key_of(const Resource& resource, const std::vector<Device>& devices);

}  // namespace spillway::platforms
