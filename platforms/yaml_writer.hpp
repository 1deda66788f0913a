#pragma once

#include <string>
#include <string_view>

#include "platforms/figure.hpp"
#include "platforms/units.hpp"

/// Texts that the YAML reader reads back to the same values.
namespace spillway::platforms {

/// A text in double quotes, on one line.
std::string quoted_text(std::string_view text);

/// `key: {value: 1.5 GHz, source: "..."}` behind `indentation` spaces, with its line end.
std::string figure_line(std::string_view key, const Figure& figure, Unit unit, int indentation = 0);

}  // namespace spillway::platforms
