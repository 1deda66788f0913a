#include "hw/kernels/session/load_program.hpp"

#include "hw/kernels/session/onnx_program.hpp"
#include "models/onnx_reader.hpp"
#include "models/seeded_weights.hpp"

namespace spillway::kernels {
namespace {

Program read_file(const std::string& path, const LoadProgramOptions& options) {
  try {
    const models::OnnxModel model = models::read_onnx_model(path, {.dimensions = options.dimensions, .weights = true});
    return lower(model.network, model.weights, model.outputs);
  } catch (const models::OnnxError& refusal) {
    try {
      return read_onnx_program(path, options.dimensions);
    } catch (const models::OnnxError&) {
      throw refusal;  // what a Network may hold is told at more length, and is what other verbs want
    }
  }
}

}  // namespace

Program load_program(const std::string& name_or_path, const LoadProgramOptions& options) {
  Program program;
  if (models::is_model_file(name_or_path)) {
    program = read_file(name_or_path, options);
  } else {
    const models::Network network = models::load_network(name_or_path, {options.dimensions});
    program = lower(network, models::SeededWeights(network, options.seed).all());
  }
  fuse(program);
  return program;
}

}  // namespace spillway::kernels
