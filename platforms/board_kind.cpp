#include "platforms/board_kind.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "platforms/board.hpp"
#include "platforms/computer.hpp"

namespace spillway::platforms {
namespace {

constexpr std::string_view what_computers_are =
    "a computer, which runs an operating system and takes part in an MPI job (verbs pipeline, explore, calibrate)";
constexpr std::string_view what_microcontrollers_are =
    "a microcontroller board, on which networks are swapped (verbs swap, inspect, sweep)";

std::string_view what_is(BoardKind kind) {
  return kind == BoardKind::computer ? what_computers_are : what_microcontrollers_are;
}

BoardKind other_than(BoardKind kind) {
  return kind == BoardKind::computer ? BoardKind::microcontroller : BoardKind::computer;
}

std::vector<std::string> names_of(BoardKind kind) {
  return kind == BoardKind::computer ? computer_names() : board_names();
}

std::string_view key_of(BoardKind kind) {
  return kind == BoardKind::computer ? "computer" : "board";
}

}  // namespace

void refuse_name_of_other_kind(std::string_view name, BoardKind wanted) {
  const BoardKind other = other_than(wanted);
  const std::vector<std::string> known = names_of(wanted), others = names_of(other);
  if (std::ranges::find(others, name) == others.end() || std::ranges::find(known, name) != known.end()) return;
  throw InputError({Problem{
      "", 0, 0, std::string(key_of(wanted)),
      fmt::format("\"{}\" is {}; expected {}: {}", name, what_is(other), what_is(wanted), fmt::join(known, ", "))}});
}

void refuse_other_kind(const YamlDocument& document, BoardKind wanted) {
  const auto has = [&](std::string_view key) {
    return std::ranges::find(document.root().keys, key, &YamlNode::Key::name) != document.root().keys.end();
  };
  const BoardKind other = other_than(wanted);
  const bool is_other = other == BoardKind::computer ? has("cpu") && has("cores") && !has("sram")
                                                     : has("sram") && has("flash") && !has("cpu");
  if (!is_other) return;
  const Position at = document.root().position;
  throw InputError({Problem{document.name(), at.line, at.column, "",
                            fmt::format("describes {}; expected {}", what_is(other), what_is(wanted))}});
}

}  // namespace spillway::platforms
