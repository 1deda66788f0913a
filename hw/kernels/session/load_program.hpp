#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "hw/kernels/session/program.hpp"
#include "models/load.hpp"

namespace spillway::kernels {

struct LoadProgramOptions {
  std::map<std::string, std::int64_t> dimensions;  ///< of an ONNX file: see models::OnnxReadOptions
  std::uint64_t seed = 1;                          ///< of the weights of a network of the zoo
};

/// The network of the zoo of that name with seeded weights, or the one in the .onnx file of that path with its own;
/// fused. A file that is no models::Network, because of its ranks, its batch or its operators, is read as ONNX defines
/// it where the kernels have its operators.
/// Throws models::UnknownNetwork and models::OnnxError.
Program load_program(const std::string& name_or_path, const LoadProgramOptions& options = {});

}  // namespace spillway::kernels
