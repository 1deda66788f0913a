#pragma once

#include <filesystem>
#include <string_view>

#include "models/onnx_error.hpp"
#include "models/quantized/quantized_network.hpp"

/// Quantised networks as ONNX files in the QDQ form (QuantizeLinear and DequantizeLinear around float32 operators),
/// which ONNX Runtime and viewers understand: int8 weights of one scale a filter, int32 biases, int8 maps, all zero
/// points 0.
namespace spillway::quantized {

/// Writes the network. The file appears whole or not at all; ONNX's own checker has accepted it. Read back, it gives
/// the same network. Throws models::OnnxError for a file that cannot be written.
void write_quantized(const QuantizedNetwork& network, const std::filesystem::path& path);

/// Reads what write_quantized() writes, and files of the same form that others wrote.
/// Throws models::OnnxError with everything that is wrong.
QuantizedNetwork read_quantized(const std::filesystem::path& path);

/// The same from bytes; `name` stands for the path in errors.
QuantizedNetwork read_quantized_bytes(std::string_view bytes, const std::filesystem::path& name);

}  // namespace spillway::quantized
