#include "platforms/yaml_writer.hpp"

#include <fmt/format.h>

namespace spillway::platforms {

std::string quoted_text(std::string_view text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    result += letter == '\n' ? ' ' : letter;
  }
  return result + '"';
}

std::string figure_line(std::string_view key, const Figure& figure, Unit unit, int indentation) {
  return fmt::format("{:{}}{}: {{value: {}, source: {}}}\n", "", indentation, key, exact_quantity(figure.value, unit),
                     quoted_text(figure.source));
}

}  // namespace spillway::platforms
