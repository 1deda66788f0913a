#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../platforms/parsing_properties.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  spillway::platforms::check_efficiencies({reinterpret_cast<const char*>(data), size});
  return 0;
}
