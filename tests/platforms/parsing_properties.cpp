#include "parsing_properties.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "platforms/board.hpp"
#include "platforms/card.hpp"
#include "platforms/cluster.hpp"
#include "platforms/computer.hpp"
#include "platforms/devices.hpp"
#include "platforms/efficiencies.hpp"
#include "platforms/endurance.hpp"
#include "platforms/mapping.hpp"
#include "platforms/resource.hpp"
#include "platforms/units.hpp"
#include "platforms/yaml_reader.hpp"

namespace spillway::platforms {
namespace {

constexpr std::size_t kinds_of_units = static_cast<std::size_t>(Unit::cycles_per_byte) + 1;

void require(bool holds, const char* property) {
  if (!holds) throw std::logic_error(property);
}

void check_error(const InputError& error, std::string_view input) {
  require(!error.problems().empty(), "an error has a problem");
  const std::string_view what = error.what();
  const auto line_breaks = static_cast<std::size_t>(std::ranges::count(what, '\n'));
  require(line_breaks + 1 == error.problems().size(), "a problem is one line");
  // yaml-cpp ends a line at a carriage return too.
  const auto is_end_of_line = [](char c) { return c == '\n' || c == '\r'; };
  const auto lines = static_cast<std::size_t>(std::ranges::count_if(input, is_end_of_line)) + 1;
  for (const Problem& problem : error.problems()) {
    require(!problem.message.empty(), "a problem has a message");
    require(problem.line <= lines, "a problem stands within the text");
    require(problem.column <= input.size() + 1, "a problem stands within its line");
  }
}

void check_reading(std::string_view input, const std::function<void()>& read) {
  try {
    read();
  } catch (const InputError& error) {
    check_error(error, input);
  }
}

}  // namespace

void check_units(std::string_view input) {
  if (input.empty()) return;
  const auto unit = static_cast<Unit>(static_cast<unsigned char>(input.front()) % kinds_of_units);
  const std::string_view text = input.substr(1);
  try {
    const double value = parse_quantity(text, unit);
    require(std::isfinite(value) && value >= 0, "a quantity is finite and not negative");
    require(parse_quantity(exact_quantity(value, unit), unit) == value, "the exact text gives the quantity back");
    require(!format_quantity(value, unit).empty(), "a quantity has a text for people");
    if (unit == Unit::bytes) require(static_cast<double>(parse_bytes(text)) == value, "both give the same size");
  } catch (const UnitError& error) {
    require(error.what()[0] != '\0', "an error has a message");
  }
}

void check_board(std::string_view input) {
  check_reading(input, [&] { parse_board(input, "board.yaml"); });
}

void check_card(std::string_view input) {
  check_reading(input, [&] { parse_card(input, "card.yaml"); });
}

void check_cluster(std::string_view input) {
  check_reading(input, [&] { parse_cluster(input, "cluster.yaml"); });
}

void check_computer(std::string_view input) {
  check_reading(input, [&] {
    const std::string text = to_yaml(parse_computer(input, "computer.yaml"));
    require(to_yaml(parse_computer(text, "computer.yaml")) == text, "the text gives the computer back");
  });
}

void check_efficiencies(std::string_view input) {
  check_reading(input, [&] { parse_efficiencies(input, "efficiencies.yaml"); });
}

void check_endurance(std::string_view input) {
  check_reading(input, [&] { parse_endurance(input, "endurance.yaml"); });
}

void check_devices(std::string_view input) {
  check_reading(input, [&] {
    const std::vector<Device> devices = parse_devices(input, "platform.txt");
    for (std::size_t i = 0; i < devices.size(); ++i) {
      require(!devices[i].cores.empty(), "a device has cores");
      const Resource resource{i, false, devices[i].cores};
      // Alone, so that no other device makes the key ambiguous.
      require(parse_resource(key_of(resource, devices), {devices[i]}) == Resource{0, false, devices[i].cores},
              "a key gives its resource back");
    }
  });
}

void check_mapping(std::string_view input) {
  static const std::vector<Device> devices = {
      {"edge01", "arm", {0, 1, 2, 3, 4, 5}, Gpu{"NVIDIAVolta", "CUDA"}},
      {"edge_arm", "x86", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, std::nullopt}};
  check_reading(input, [&] {
    for (const MappedRank& rank : parse_mapping(input, "mapping.json", devices).ranks) {
      require(!rank.layers.empty(), "a rank has layers");
      require(parse_resource(key_of(rank.resource, devices), devices) == rank.resource,
              "a key gives its resource back");
      for (const MappedLayer& layer : rank.layers)
        require(layer.position.line > 0 && layer.position.column > 0, "a layer stands somewhere");
    }
  });
}

void check_yaml_reader(std::string_view input) {
  check_reading(input, [&] {
    const YamlDocument document = YamlDocument::from_text(input, "input.yaml");
    ProblemList problems(document);
    {
      Fields fields(document.root(), problems);
      fields.required("text", text());
      fields.optional("choice", choice({"parallel", "sequential"}));
      fields.optional("boolean", boolean());
      fields.optional("integer", integer(-10, 10));
      fields.one_or_more("sizes", bytes());
      fields.list("times", quantity(Unit::seconds, positive));
      fields.figure("figure", Unit::ratio, below_one);
      fields.optional_map("map", [](Fields& map) {
        for (const std::string& name : map.names())
          map.required(name, text());
      });
      fields.list_of_maps("maps", [](Fields& map) { map.required("a", integer(0, 1)); });
    }
    problems.throw_if_any();
  });
}

}  // namespace spillway::platforms
