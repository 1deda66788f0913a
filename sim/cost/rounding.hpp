#pragma once

#include <charconv>
#include <string>

#include <fmt/format.h>

namespace spillway::cost {

/// The nearest number of four significant digits: what files keep of a fitted figure.
inline double rounded(double value) {
  const std::string text = fmt::format("{:.3e}", value);
  double result = 0;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

}  // namespace spillway::cost
