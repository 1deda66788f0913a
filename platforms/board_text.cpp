#include <fmt/format.h>

#include "platforms/board.hpp"
#include "platforms/yaml_writer.hpp"

namespace spillway::platforms {
namespace {

Unit rate_unit(std::string_view work_class) {
  const bool counts_elements = work_class == "elementwise" || work_class == "pooling";
  return counts_elements ? Unit::elements_per_second : Unit::macs_per_second;
}

/// A cost in s per byte, as the reader takes it.
std::string cost_line(std::string_view key, const Figure& cost, double clock_hz) {
  return figure_line(key, {cost.value * clock_hz, cost.source, cost.assumed}, Unit::cycles_per_byte, 2);
}

}  // namespace

std::string to_yaml(const Board& board) {
  std::string text = fmt::format("description: {}\n", quoted_text(board.description));
  text += figure_line("sram", board.sram, Unit::bytes);
  text += figure_line("flash", board.flash, Unit::bytes);
  text += figure_line("clock", board.clock, Unit::hertz);
  text += "rates:\n";
  for (std::size_t i = 0; i < work_class_names.size(); ++i)
    text += figure_line(work_class_names[i], board.rates[i], rate_unit(work_class_names[i]), 2);
  text += figure_line("compute_overhead", board.compute_overhead, Unit::seconds);
  text += figure_line("contention", board.contention, Unit::ratio);
  text += figure_line("idle_power", board.idle_power, Unit::watts);
  text += figure_line("compute_power", board.compute_power, Unit::watts);
  if (board.crypto.cpu || board.crypto.accelerator) text += "crypto:\n";
  if (board.crypto.cpu) text += cost_line("cpu_cost", *board.crypto.cpu, board.clock.value);
  if (board.crypto.accelerator) text += cost_line("accelerator_cost", *board.crypto.accelerator, board.clock.value);
  return text;
}

}  // namespace spillway::platforms
