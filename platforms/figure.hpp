#pragma once

#include <string>

namespace spillway::platforms {

/// A number in base units (bytes, seconds, hertz, watts, per second) and where it comes from.
struct Figure {
  double value = 0;
  std::string source;    ///< data sheet, measurement or derivation
  bool assumed = false;  ///< neither given nor derived: `source: assumed, ...`
};

}  // namespace spillway::platforms
