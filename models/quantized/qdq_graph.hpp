#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

#include "models/onnx_error.hpp"

/// Taking the quantisation out of an ONNX graph. Of the room's own.
namespace spillway::quantized {

/// Integers that a DequantizeLinear makes a constant of.
struct QuantizedConstant {
  const onnx::TensorProto* integers = nullptr;  ///< int8 or int32
  std::vector<float> scales;                    ///< one, or one for each element of the first axis
};

/// What a graph says besides its float32 form.
struct Quantization {
  std::map<std::string, float> scales;                 ///< of the maps that are quantised, by the float32 value
  std::map<std::string, QuantizedConstant> constants;  ///< by the value that the operators read
};

/// Removes QuantizeLinear and DequantizeLinear from the graph and leaves a float32 network with constants of the right
/// shapes (ConstantOfShape). `kept` is the graph as it was: the result refers to it.
/// Notes what is not of the QDQ form in `problems`.
Quantization take_out(onnx::GraphProto& graph, const onnx::GraphProto& kept,
                      std::vector<models::OnnxProblem>& problems);

/// The numbers of a tensor whose stored bytes were checked.
std::vector<std::int64_t> integers_of(const onnx::TensorProto& tensor);

}  // namespace spillway::quantized
