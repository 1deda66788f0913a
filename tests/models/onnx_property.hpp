#pragma once

#include <string_view>

namespace spillway::models {

/// Whatever the bytes, they are read as a complete model or refused with what is wrong. Throws std::logic_error, or
/// what the reader should not throw, where that does not hold.
void check_onnx(std::string_view bytes);

}  // namespace spillway::models
