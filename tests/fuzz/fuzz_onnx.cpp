#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../models/onnx_property.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  spillway::models::check_onnx({reinterpret_cast<const char*>(data), size});
  return 0;
}
