#pragma once

#include <filesystem>

#include "hw/mpi/deployment.hpp"
#include "hw/mpi/rank_plan.hpp"

namespace spillway::mpi {

/// AutoDiCE's front-end: writes `KEY.onnx` of each rank, sender.json, receiver.json, rankfile and hostfile to a folder.
/// Throws models::OnnxError, std::system_error.
void write_front_end(const Deployment& deployment, const std::filesystem::path& folder);

/// Its back-end: `KEY.weights` of each rank and main.cpp. Throws std::system_error.
void write_back_end(const Deployment& deployment, const std::filesystem::path& folder);

}  // namespace spillway::mpi
