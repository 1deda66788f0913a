#include "platforms/yaml_reader.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <tuple>

#include <fmt/format.h>

#include "platforms/nearest.hpp"

namespace spillway::platforms {
namespace {

constexpr std::string_view assumed_word = "assumed";

/// The scalar's text, or nothing after adding the problem.
std::optional<std::string> scalar_of(const YamlValue& value, std::string_view expected) {
  if (value.node.kind != YamlNode::Kind::scalar || value.node.scalar.empty()) {
    value.problem(fmt::format("expected {}, found {}", expected, describe(value.node)));
    return std::nullopt;
  }
  return value.node.scalar;
}

bool within(double number, const Bounds& bounds) {
  const bool low_ok = bounds.low_included ? number >= bounds.low : number > bounds.low;
  const bool high_ok = !bounds.high || (bounds.high_included ? number <= *bounds.high : number < *bounds.high);
  return low_ok && high_ok;
}

std::string describe_bounds(const Bounds& bounds, Unit unit) {
  std::string text = fmt::format("{} {}", bounds.low_included ? "at least" : "above", exact_quantity(bounds.low, unit));
  if (bounds.high) {
    text += fmt::format(" and {} {}", bounds.high_included ? "at most" : "below", exact_quantity(*bounds.high, unit));
  }
  return text;
}

std::optional<double> checked_quantity(const YamlValue& value, Unit unit, const Bounds& bounds) {
  const std::optional<std::string> scalar = scalar_of(value, description(unit));
  if (!scalar) return std::nullopt;
  try {
    const double number = parse_quantity(*scalar, unit);
    if (within(number, bounds)) return number;
    value.problem(fmt::format("{} is out of range; expected {} {}", describe(value.node), description(unit),
                              describe_bounds(bounds, unit)));
  } catch (const UnitError& error) {
    value.problem(error.what());
  }
  return std::nullopt;
}

bool says_assumed(std::string_view source) {
  return source == assumed_word ||
         (source.starts_with(assumed_word) && source.substr(assumed_word.size()).starts_with(","));
}

std::optional<Figure> read_figure(const YamlValue& value, const Reader<double>& read_number,
                                  std::string_view expected) {
  if (value.node.kind != YamlNode::Kind::map) {
    value.problem(
        fmt::format("expected {{value: {}, source: where it comes from}}, found {}", expected, describe(value.node)));
    return std::nullopt;
  }
  Fields fields(value.node, value.problems, value.key);
  const std::size_t problems_before = value.problems.size();
  const double number = fields.required("value", read_number);
  const std::string source = fields.required("source", text());
  if (source == assumed_word) fields.problem("source", "an assumption needs a reason: \"assumed, because ...\"");
  if (value.problems.size() != problems_before) return std::nullopt;
  return Figure{number, source, says_assumed(source)};
}

}  // namespace

void ProblemList::add(Position position, std::string key, std::string message) {
  problems_.push_back({file_, position.line, position.column, std::move(key), std::move(message)});
}

void ProblemList::throw_if_any() const {
  if (problems_.empty()) return;
  std::vector<Problem> in_file_order = problems_;
  std::ranges::stable_sort(in_file_order, {}, [](const Problem& p) { return std::tuple(p.line, p.column); });
  throw InputError(std::move(in_file_order));
}

Reader<std::string> text() {
  return [](const YamlValue& value) { return scalar_of(value, "a text"); };
}

Reader<std::string> choice(std::vector<std::string> names) {
  return [names = std::move(names)](const YamlValue& value) -> std::optional<std::string> {
    const std::string expected = fmt::format("one of {}", fmt::join(names, ", "));
    std::optional<std::string> scalar = scalar_of(value, expected);
    if (!scalar || std::ranges::find(names, *scalar) != names.end()) return scalar;
    const std::string hint = did_you_mean(*scalar, names);
    value.problem(
        fmt::format("unknown {}{}{} expected {}", describe(value.node), hint, hint.empty() ? ";" : "", expected));
    return std::nullopt;
  };
}

Reader<bool> boolean() {
  return [](const YamlValue& value) -> std::optional<bool> {
    const std::optional<std::string> scalar = scalar_of(value, "true or false");
    if (!scalar) return std::nullopt;
    if (*scalar == "true") return true;
    if (*scalar == "false") return false;
    value.problem(fmt::format("expected true or false, found {}", describe(value.node)));
    return std::nullopt;
  };
}

Reader<std::int64_t> integer(std::int64_t low, std::int64_t high) {
  return [low, high](const YamlValue& value) -> std::optional<std::int64_t> {
    const std::string expected = fmt::format("a whole number from {} to {}", low, high);
    const std::optional<std::string> scalar = scalar_of(value, expected);
    if (!scalar) return std::nullopt;
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(scalar->data(), scalar->data() + scalar->size(), number);
    if (error == std::errc() && end == scalar->data() + scalar->size() && number >= low && number <= high)
      return number;
    value.problem(fmt::format("expected {}, found {}", expected, describe(value.node)));
    return std::nullopt;
  };
}

Reader<double> quantity(Unit unit, Bounds bounds) {
  return [unit, bounds](const YamlValue& value) { return checked_quantity(value, unit, bounds); };
}

Reader<std::uint64_t> bytes() {
  return [](const YamlValue& value) -> std::optional<std::uint64_t> {
    const std::optional<std::string> scalar = scalar_of(value, description(Unit::bytes));
    if (!scalar) return std::nullopt;
    try {
      return parse_bytes(*scalar);
    } catch (const UnitError& error) {
      value.problem(error.what());
      return std::nullopt;
    }
  };
}

Reader<Figure> figure(Unit unit, Bounds bounds) {
  return figure(quantity(unit, bounds), std::string(description(unit)));
}

Reader<Figure> figure(Reader<double> read_number, std::string expected) {
  return [read_number = std::move(read_number), expected = std::move(expected)](const YamlValue& value) {
    return read_figure(value, read_number, expected);
  };
}

Fields::Fields(const YamlNode& node, ProblemList& problems, std::string path)
    : node_(node), problems_(problems), path_(std::move(path)) {
  if (!is_map())
    problems_.add(node_.position, path_, fmt::format("expected keys and values, found {}", describe(node_)));
}

Fields::~Fields() {
  if (!is_map()) return;
  for (const YamlNode::Key& key : node_.keys) {
    if (std::ranges::find(known_, key.name) != known_.end()) continue;
    const std::string hint = did_you_mean(key.name, known_);
    problems_.add(
        key.position, path_of(key.name),
        fmt::format("unknown key{}{} known keys: {}", hint, hint.empty() ? ";" : "", fmt::join(known_, ", ")));
  }
}

bool Fields::has(std::string_view key) {
  return find(key) != nullptr;
}

std::vector<std::string> Fields::names() const {
  std::vector<std::string> names;
  for (const YamlNode::Key& key : node_.keys)
    names.push_back(key.name);
  return names;
}

void Fields::problem(std::string_view key, std::string message) {
  const YamlNode* node = look_up(key);
  problems_.add(node ? node->position : node_.position, path_of(key), std::move(message));
}

const YamlNode* Fields::find(std::string_view key) {
  if (std::ranges::find(known_, key) == known_.end()) known_.emplace_back(key);
  return look_up(key);
}

std::string Fields::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

const YamlNode* Fields::find_required(std::string_view key) {
  const YamlNode* node = find(key);
  if (!node && is_map()) problems_.add(node_.position, path_of(key), "is missing");
  return node;
}

const YamlNode* Fields::look_up(std::string_view key) const {
  if (!is_map()) return nullptr;
  const auto found = std::ranges::find(node_.keys, key, &YamlNode::Key::name);
  return found == node_.keys.end() ? nullptr : &node_.items[static_cast<std::size_t>(found - node_.keys.begin())];
}

}  // namespace spillway::platforms
