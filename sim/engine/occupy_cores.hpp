#pragma once

namespace spillway::engine {

/// Does work on that many cores of the host that the calling rank of SMPI runs on, each as much. Returns when it is
/// done.
void occupy_cores(double work, int cores);

}  // namespace spillway::engine
