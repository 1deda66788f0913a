#include "sim/engine/occupy_cores.hpp"

#include "hw/mpi/charged/processor.hpp"

// Compiled into the charged library: what hw leaves open for the simulator.
namespace spillway::mpi {

void occupy_cores(double nanoseconds, int cores) {
  engine::occupy_cores(nanoseconds, cores);
}

}  // namespace spillway::mpi
