#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

/// The cases of ONNX's own backend test, as Debian's package libonnx-testdata brings them.
namespace spillway::kernels {

struct ConformanceCase {
  std::string name;  ///< family and folder: `node/test_relu`
  std::filesystem::path folder;
};

/// Every case with a model, in the order of names; empty where the package is not installed.
std::vector<ConformanceCase> conformance_cases();

/// A case whose numbers are read. Integers, single numbers (bounds of a clip) and factors of a resize are put into the
/// model.
struct LoadedCase {
  onnx::ModelProto model;
  std::vector<std::vector<float>> inputs;   ///< what stays an input
  std::vector<std::vector<float>> outputs;  ///< what must come out
  bool float_outputs = true;
};
/// `constant_weights`: every input but the first is put into the model as well.
LoadedCase load(const ConformanceCase& from, bool constant_weights);

}  // namespace spillway::kernels
