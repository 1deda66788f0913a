#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace spillway::cli {

/// The `top` largest numbers and where they are, the largest first: `9: 14.0869  7: 5.07128`. Of equal numbers the
/// first one comes first.
std::string largest_text(std::span<const float> numbers, std::size_t top);

}  // namespace spillway::cli
