#pragma once

#include <filesystem>

#include "hw/mpi/deployment.hpp"
#include "hw/mpi/rank_plan.hpp"

namespace spillway::mpi {

/// Where the sources that packages ship come from: the folder with `hw/kernels` and `hw/mpi/runtime`, and Eigen's.
struct ShippedSources {
  std::filesystem::path tree;
  std::filesystem::path eigen;
};

/// The sources that this build was made from; the environment's SPILLWAY_DATA replaces the folder of the first.
ShippedSources shipped_sources();

/// Makes `FOLDER/packages/DEVICE` for each device that has a rank: the program, a CMake file, rankfile and hostfile,
/// the sub-models and weight files of its ranks, the library as source, and a README. Files of `folder` (main.cpp,
/// rankfile, hostfile, KEY.onnx, KEY.weights) and sources are linked where the file system can, otherwise copied.
/// Throws std::filesystem::filesystem_error, std::system_error.
void write_packages(const Deployment& deployment, const std::filesystem::path& folder, const ShippedSources& sources);

/// Packs a package into `FOLDER/packages/DEVICE.tar`, uncompressed (POSIX ustar). Throws std::system_error.
void write_package_archives(const Deployment& deployment, const std::filesystem::path& folder);

}  // namespace spillway::mpi
