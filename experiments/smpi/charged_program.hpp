#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "hw/mpi/charged/cost_table.hpp"
#include "sim/pipeline/machine.hpp"
#include "sim/pipeline/program.hpp"
#include "sim/pipeline/result.hpp"

/// Generated programs themselves in simulated time: SimGrid's SMPI runs their MPI calls, and their kernels are charged.
namespace spillway::smpi {

/// Whether SimGrid's smpicxx and smpirun are there.
bool is_installed();

/// The library that stands for hw/mpi/runtime and hw/kernels (hw/mpi/charged), compiled once for several programs into
/// a folder that must outlive the object.
class ChargedLibrary {
 public:
  /// Compiles the sources of the tree that this build was made from into `folder`. Throws std::runtime_error,
  /// std::system_error.
  explicit ChargedLibrary(const std::filesystem::path& folder);

  /// Compiles a generated program, as it is, and links it with the library. Throws as the constructor does.
  void compile(const std::filesystem::path& source, const std::filesystem::path& program) const;

 private:
  std::filesystem::path object() const { return folder_ / "library.o"; }

  std::filesystem::path tree_, folder_;
};

/// What the program does.
struct ChargedOptions {
  pipeline::Communication communication = pipeline::Communication::overlap;
  std::uint64_t warm_up = 4;
  std::uint64_t frames = 20;
};

/// Runs a compiled program on a machine, its ranks at their places; costs, platform and hostfile are written to
/// `folder`, which exists. The result has no times of single ranks. Throws std::runtime_error, std::system_error: the
/// run failed.
pipeline::Run run_charged(const std::filesystem::path& program, const mpi::CostTable& costs,
                          std::span<const pipeline::Placement> placements, const pipeline::Machine& machine,
                          const ChargedOptions& options, const std::filesystem::path& folder);

}  // namespace spillway::smpi
