#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../models/quantized/qdq_property.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  spillway::quantized::check_qdq({reinterpret_cast<const char*>(data), size});
  return 0;
}
