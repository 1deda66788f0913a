#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "hw/kernels/session/program.hpp"
#include "models/onnx_error.hpp"

namespace spillway::kernels {

/// A model as ONNX defines it: any rank and any batch, float32, windows over one or two axes. `dimensions` gives
/// dynamic dimensions their extents (models::OnnxReadOptions). Integers (shapes, axes) must be known before the first
/// frame. Throws models::OnnxError with everything that is wrong.
Program read_onnx_program(const std::filesystem::path& path,
                          const std::map<std::string, std::int64_t>& dimensions = {});

/// The same from bytes; `name` stands for the path in errors.
Program read_onnx_program_bytes(std::string_view bytes, const std::filesystem::path& name,
                                const std::map<std::string, std::int64_t>& dimensions = {});

/// The ONNX operators that are read, sorted.
std::span<const std::string_view> onnx_program_operators();

}  // namespace spillway::kernels
