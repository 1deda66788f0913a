#include "agreement.hpp"

#include "experiments/smpi/charged_costs.hpp"
#include "sim/pipeline/drivers.hpp"

namespace spillway::smpi {

Agreement agreement_on(const MappedNetwork& network, const pipeline::ClusterModel& cluster,
                       const ChargedLibrary& library, const ChargedOptions& options,
                       const std::filesystem::path& folder) {
  const pipeline::Machine& machine = cluster.machine();
  const pipeline::Program program = network.simulated(options.communication);
  network.write_program(folder / "main.cpp");
  library.compile(folder / "main.cpp", folder / "program");
  return {run_simgrid(program, machine, options.warm_up + options.frames, nullptr),
          run_charged(folder / "program", charged_costs(network.deployment(), program, machine), network.placements(),
                      machine, options, folder)};
}

}  // namespace spillway::smpi
