#pragma once

#include <string>

#include "platforms/computer.hpp"

namespace spillway::cli {

/// This machine as far as it can be asked: architecture, cores, memory, clock, bandwidth of the memory (measured), each
/// with its source. Its power cannot be measured here: those figures are assumed. Without peak and call costs.
platforms::Computer this_machine();

/// Bytes a second that all cores together copy between blocks far larger than the caches: bytes read and bytes written
/// count once each. The best of several copies.
double measure_bandwidth(int threads);

/// Cores that other programs keep busy: the operating system's load of the last minute. 0 where it does not say.
double background_load();

}  // namespace spillway::cli
