#include "experiments/parameters.hpp"

#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/zoo.hpp"
#include "platforms/board.hpp"
#include "platforms/card.hpp"
#include "platforms/units.hpp"

namespace spillway::experiments {
namespace {

using platforms::Reader;
using platforms::YamlValue;

template <typename T>
Reader<Value> as_value(Reader<T> reader) {
  return [reader = std::move(reader)](const YamlValue& value) -> std::optional<Value> {
    if (std::optional<T> read = reader(value)) return std::optional<Value>(std::in_place, std::move(*read));
    return std::nullopt;
  };
}

Reader<Value> size() {
  return [](const YamlValue& value) -> std::optional<Value> {
    const std::optional<std::uint64_t> bytes = platforms::bytes()(value);
    if (bytes && *bytes == 0) {
      value.problem("expected a size above 0");
      return std::nullopt;
    }
    return bytes ? std::optional<Value>(*bytes) : std::nullopt;
  };
}

/// A size that keeps its unit: the value stays the text.
Reader<Value> size_text() {
  return [](const YamlValue& value) -> std::optional<Value> {
    return size()(value) ? std::optional<Value>(value.node.scalar) : std::nullopt;
  };
}

Value name(std::string_view text) {
  return std::string(text);
}

std::vector<std::string> network_names() {
  std::vector<std::string> names;
  for (const std::string_view network : models::zoo_names())
    names.emplace_back(network);
  return names;
}

Reader<Value> positive_count() {
  return accepts::count_up_to(std::numeric_limits<std::uint32_t>::max());
}

}  // namespace

namespace accepts {

Reader<Value> one_of(std::vector<std::string> names) {
  return as_value(platforms::choice(std::move(names)));
}

Reader<Value> name_or_path(std::vector<std::string> (*names)()) {
  return [names](const YamlValue& value) -> std::optional<Value> {
    const bool is_path = value.node.scalar.find('/') != std::string::npos || value.node.scalar.ends_with(".yaml");
    return is_path ? as_value(platforms::text())(value) : one_of(names())(value);
  };
}

Reader<Value> count_up_to(std::uint64_t most) {
  return [most](const YamlValue& value) -> std::optional<Value> {
    const auto number = platforms::integer(1, static_cast<std::int64_t>(most))(value);
    return number ? std::optional<Value>(static_cast<std::uint64_t>(*number)) : std::nullopt;
  };
}

Reader<Value> word_or(std::string_view word, Reader<Value> reader) {
  return [word, reader = std::move(reader)](const YamlValue& value) -> std::optional<Value> {
    if (value.node.scalar == word) return Value(std::string(word));
    return reader(value);
  };
}

Reader<Value> network() {
  return one_of(network_names());
}

}  // namespace accepts

std::string to_text(const Value& value) {
  return std::visit([](const auto& held) { return fmt::format("{}", held); }, value);
}

const std::array<ParameterInfo, parameter_count>& parameters() {
  using accepts::name_or_path, accepts::one_of, accepts::word_or;
  static const std::array<ParameterInfo, parameter_count> all = {{
      {"network", "network", "a network of the zoo", accepts::network(), {}},
      {"board", "board", "a board file", name_or_path(platforms::board_names), {}},
      {"card", "card", "a card file", name_or_path(platforms::card_names), {}},
      {"rule", "rule", "how layers are cut into tiles", one_of({"paper", "paper-counts", "halo", "min-traffic"}),
       name("paper")},
      {"element", "element", "number format of weights and feature maps; float32 with rules halo and min-traffic only",
       one_of({"int8", "float32"}), name("int8")},
      {"sram", "sram_bytes", "SRAM that is divided into buffers", size(), {}, true},
      {"buffer", "buffer_bytes", "size of one buffer", size(), {}, true},
      {"mode", "mode", "whether IO and compute overlap", one_of({"parallel", "sequential"}), name("parallel")},
      {"frames", "frames", "frames, all available at time 0", positive_count(), std::uint64_t{1}},
      {"window", "window", "frames in flight, at most all of them", word_or(all_frames, positive_count()),
       name(all_frames)},
      {"queue", "queue", "what happens when the head of a ready queue has no buffer", one_of({"skip", "strict"}),
       name("skip")},
      {"pools", "pools", "one pool for each kind of buffer, or one for all (deadlocks)", one_of({"separate", "shared"}),
       name("separate")},
      {"contention", "contention", "share of the compute rate lost while the card transfers",
       word_or(of_the_board, as_value(platforms::quantity(platforms::Unit::ratio, platforms::below_one))),
       name(of_the_board)},
      {"driver", "driver", "the clock of the run", one_of({"virtual-clock", "simgrid"}), name("virtual-clock")},
      {"crypto", "crypto", "who decrypts and encrypts what is moved; the board states the cost",
       one_of({"none", "cpu", "accelerator"}), name("none")},
      {"daily_writes", "daily_writes", "bytes written a day that the lifetimes are calculated with",
       word_or(of_the_run, size_text()), name(of_the_run)},
  }};
  return all;
}

const ParameterInfo& info(Parameter parameter) {
  return parameters()[static_cast<std::size_t>(parameter)];
}

std::optional<double> daily_writes_of(const Point& point) {
  const std::string& text = point.name(Parameter::daily_writes);
  if (text == of_the_run) return std::nullopt;
  return static_cast<double>(platforms::parse_bytes(text));
}

std::string for_people(const ParameterInfo& parameter, const Value& value) {
  return parameter.is_size ? platforms::format_bytes(std::get<std::uint64_t>(value)) : to_text(value);
}

}  // namespace spillway::experiments
