#include <fmt/format.h>

#include "platforms/card.hpp"
#include "platforms/yaml_writer.hpp"

namespace spillway::platforms {
namespace {

std::string operation_lines(std::string_view key, const std::vector<MeasuredOperation>& operations) {
  if (operations.empty()) return "";
  std::string text = fmt::format("  {}:\n", key);
  for (const MeasuredOperation& each : operations) {
    text += fmt::format("    - {{size: {}, rate: {}{}}}\n", exact_quantity(static_cast<double>(each.size), Unit::bytes),
                        exact_quantity(each.rate, Unit::bytes_per_second), each.fitted ? "" : ", fitted: false");
  }
  return text;
}

}  // namespace

std::string to_yaml(const Card& card) {
  std::string text = fmt::format("description: {}\n", quoted_text(card.description));
  text += figure_line("read_overhead", card.read_overhead, Unit::seconds);
  text += figure_line("read_bandwidth", card.read_bandwidth, Unit::bytes_per_second);
  text += figure_line("write_overhead", card.write_overhead, Unit::seconds);
  text += figure_line("write_bandwidth", card.write_bandwidth, Unit::bytes_per_second);
  if (card.full_buffers) text += "full_buffers: true\n";
  text += figure_line("power", card.power, Unit::watts);
  text += figure_line("capacity", card.capacity, Unit::bytes);
  text += figure_line("endurance", card.endurance, Unit::cycles);
  text += figure_line("erase_block", card.erase_block, Unit::bytes);
  text += figure_line("write_amplification", card.write_amplification, Unit::ratio);
  if (!card.measured.source.empty()) {
    text += fmt::format("measured:\n  source: {}\n", quoted_text(card.measured.source));
    text += operation_lines("writes", card.measured.writes) + operation_lines("reads", card.measured.reads);
  }
  return text;
}

}  // namespace spillway::platforms
