#include "experiments/csv.hpp"

namespace spillway::experiments {
namespace {

std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string text = "\"";
  for (const char letter : field) {
    if (letter == '"') text += '"';
    text += letter;
  }
  return text + '"';
}

}  // namespace

std::string csv_line(std::span<const std::string> fields) {
  std::string line;
  for (const std::string& field : fields) {
    if (&field != fields.data()) line += ',';
    line += quoted(field);
  }
  return line + '\n';
}

}  // namespace spillway::experiments
