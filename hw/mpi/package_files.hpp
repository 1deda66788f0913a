#pragma once

/// The text files of a package. Of the room's own.
namespace spillway::mpi {

const char* package_cmake();
const char* package_presets();
/// A format for fmt with the arguments model, device, ranks and count.
const char* package_readme();

}  // namespace spillway::mpi
