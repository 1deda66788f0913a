#pragma once

#include "hw/mpi/charged/cost_table.hpp"
#include "hw/mpi/deployment.hpp"
#include "sim/pipeline/machine.hpp"
#include "sim/pipeline/program.hpp"

namespace spillway::smpi {

/// What the calls of a split's generated program cost: those of a simulated program of the same split, which must have
/// an operation for each layer. A call that does the work of several layers costs what they do together.
mpi::CostTable charged_costs(const mpi::Deployment& deployment, const pipeline::Program& program,
                             const pipeline::Machine& machine);

}  // namespace spillway::smpi
