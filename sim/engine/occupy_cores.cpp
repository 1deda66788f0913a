#include "sim/engine/occupy_cores.hpp"

#include <simgrid/s4u/Actor.hpp>
#include <simgrid/s4u/Host.hpp>

namespace spillway::engine {

void occupy_cores(double work, int cores) {
  namespace actor = simgrid::s4u::this_actor;
  // smpi_execute_flops occupies one core only.
  if (cores <= 1)
    actor::execute(work);
  else
    actor::thread_execute(actor::get_host(), work, cores);
}

}  // namespace spillway::engine
