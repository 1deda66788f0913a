#pragma once

#include <string_view>

namespace spillway::quantized {

/// Whatever the bytes, they are read as a network that check() accepts or refused with what is wrong. Throws
/// std::logic_error, or what the reader should not throw, where that does not hold.
void check_qdq(std::string_view bytes);

}  // namespace spillway::quantized
