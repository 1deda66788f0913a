#include "platforms/board.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "platforms/board_kind.hpp"
#include "platforms/catalogue.hpp"
#include "platforms/yaml_reader.hpp"

namespace spillway::platforms {
namespace {

const Catalogue catalogue("board", "platforms/boards");

Unit rate_unit(std::string_view work_class) {
  const bool counts_elements = work_class == "elementwise" || work_class == "pooling";
  return counts_elements ? Unit::elements_per_second : Unit::macs_per_second;
}

void read_rates(Fields& fields, Board& board) {
  fields.map("rates", [&](Fields& rates) {
    for (std::size_t i = 0; i < work_class_names.size(); ++i) {
      board.rates[i] = rates.figure(work_class_names[i], rate_unit(work_class_names[i]), positive);
    }
  });
}

/// A cost per byte, written as `52.1 cycles/B` of the board's clock or as a data rate; in s per byte.
Reader<double> cost_per_byte(double clock_hz) {
  return [clock_hz](const YamlValue& value) -> std::optional<double> {
    if (value.node.scalar.find("cycle") != std::string::npos) {
      const std::optional<double> cycles = quantity(Unit::cycles_per_byte, positive)(value);
      return cycles ? std::optional(*cycles / clock_hz) : std::nullopt;
    }
    if (value.node.kind != YamlNode::Kind::scalar) {
      value.problem("expected cycles per byte or a data rate, found " + describe(value.node));
      return std::nullopt;
    }
    try {
      const double rate = parse_quantity(value.node.scalar, Unit::bytes_per_second);
      if (rate >= 1) return 1 / rate;
      value.problem(fmt::format("{} is out of range; expected a data rate at least 1 B/s", describe(value.node)));
    } catch (const UnitError& error) {
      value.problem(fmt::format("{}; or cycles of the board's clock: 52.1 cycles/B", error.what()));
    }
    return std::nullopt;
  };
}

void read_crypto(Fields& fields, Board& board) {
  const Reader<Figure> cost = figure(cost_per_byte(board.clock.value), "cycles per byte or a data rate");
  fields.optional_map("crypto", [&](Fields& crypto) {
    board.crypto.cpu = crypto.optional("cpu_cost", cost);
    board.crypto.accelerator = crypto.optional("accelerator_cost", cost);
  });
}

void check_powers(Fields& fields, const Board& board) {
  const bool both_read = !board.idle_power.source.empty() && !board.compute_power.source.empty();
  if (both_read && board.compute_power.value < board.idle_power.value) {
    fields.problem("compute_power", fmt::format("{} is less than idle_power, {}",
                                                format_quantity(board.compute_power.value, Unit::watts),
                                                format_quantity(board.idle_power.value, Unit::watts)));
  }
}

Board read_board(const YamlDocument& document) {
  refuse_other_kind(document, BoardKind::microcontroller);
  ProblemList problems(document);
  Board board;
  board.name = std::filesystem::path(document.name()).stem().string();
  {
    Fields fields(document.root(), problems);
    board.description = fields.required("description", text());
    board.sram = fields.figure("sram", Unit::bytes, positive);
    board.flash = fields.figure("flash", Unit::bytes, positive);
    board.clock = fields.figure("clock", Unit::hertz, positive);
    read_rates(fields, board);
    board.compute_overhead = fields.figure("compute_overhead", Unit::seconds);
    board.contention = fields.figure("contention", Unit::ratio, below_one);
    board.idle_power = fields.figure("idle_power", Unit::watts);
    board.compute_power = fields.figure("compute_power", Unit::watts);
    read_crypto(fields, board);
    check_powers(fields, board);
  }
  problems.throw_if_any();
  return board;
}

}  // namespace

Board load_board(std::string_view name_or_path) {
  refuse_name_of_other_kind(name_or_path, BoardKind::microcontroller);
  return read_board(YamlDocument::open(catalogue.file_of(name_or_path)));
}

Board parse_board(std::string_view yaml, const std::string& file) {
  return read_board(YamlDocument::from_text(yaml, file));
}

std::vector<std::string> board_names() {
  return catalogue.names();
}

}  // namespace spillway::platforms
