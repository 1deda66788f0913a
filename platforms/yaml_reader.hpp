#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platforms/figure.hpp"
#include "platforms/problems.hpp"
#include "platforms/units.hpp"
#include "platforms/yaml_document.hpp"

/// A checked reader, in which the code that reads a file looks like the list of its keys:
///
///     YamlDocument document = YamlDocument::open("part.yaml");
///     ProblemList problems(document);
///     {
///       Fields fields(document.root(), problems);
///       part.sram = fields.figure("sram", Unit::bytes, positive);
///       part.buffers = fields.one_or_more("buffers", bytes());
///     }  // unknown keys are found here
///     problems.throw_if_any();
namespace spillway::platforms {

/// The mistakes found so far in one document.
class ProblemList {
 public:
  explicit ProblemList(const YamlDocument& document) : file_(document.name()), problems_(document.duplicates()) {}

  void add(Position position, std::string key, std::string message);
  std::size_t size() const { return problems_.size(); }

  /// Throws InputError with all of them, in the order of the file.
  void throw_if_any() const;

 private:
  std::string file_;
  std::vector<Problem> problems_;
};

/// A value and where it stands.
struct YamlValue {
  const YamlNode& node;
  std::string key;  ///< path, for errors
  ProblemList& problems;

  void problem(std::string message) const { problems.add(node.position, key, std::move(message)); }
};

/// Turns a value into a T, or adds the problem and gives nothing.
template <typename T>
using Reader = std::function<std::optional<T>(const YamlValue&)>;

/// The numbers that a key accepts.
struct Bounds {
  double low = 0;
  bool low_included = true;
  std::optional<double> high = {};
  bool high_included = true;
};
inline constexpr Bounds not_negative{};
inline constexpr Bounds positive{.low = 0, .low_included = false};
inline constexpr Bounds at_least_one{.low = 1};
inline constexpr Bounds below_one{.high = 1, .high_included = false};

// Readers of one value.
Reader<std::string> text();                                  ///< any scalar but an empty one
Reader<std::string> choice(std::vector<std::string> names);  ///< one of the names
Reader<bool> boolean();                                      ///< true or false
Reader<std::int64_t> integer(std::int64_t low, std::int64_t high);
Reader<double> quantity(Unit unit, Bounds bounds = not_negative);
Reader<std::uint64_t> bytes();  ///< exact
/// `{value: 320 KiB, source: "..."}`; a source that begins with `assumed,` marks the figure as assumed. The source of a
/// figure is never empty, so a Figure without one was not read.
Reader<Figure> figure(Unit unit, Bounds bounds = not_negative);
/// The same with a reader of its own for the value; `expected` describes the value in the error for anything but a map.
Reader<Figure> figure(Reader<double> value, std::string expected);

/// The keys of one map. Every key that is asked for is known; the destructor adds a problem for each other key, with
/// the nearest of the known ones. A required key that is missing or wrong adds a problem and gives an empty value, so
/// that the reader goes on to the next one.
class Fields {
 public:
  /// `path` is the path of the map itself, empty at the top.
  Fields(const YamlNode& node, ProblemList& problems, std::string path = "");
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;
  ~Fields();

  bool has(std::string_view key);

  template <typename T>
  T required(std::string_view key, const Reader<T>& reader) {
    const YamlNode* node = find_required(key);
    return node ? reader(value_at(*node, key)).value_or(T{}) : T{};
  }

  /// Nothing when the key is absent (or wrong, with its problem added).
  template <typename T>
  std::optional<T> optional(std::string_view key, const Reader<T>& reader) {
    const YamlNode* node = find(key);
    return node ? reader(value_at(*node, key)) : std::nullopt;
  }

  /// A list of at least one value.
  template <typename T>
  std::vector<T> list(std::string_view key, const Reader<T>& reader) {
    const YamlNode* node = find_required(key);
    if (!node) return {};
    if (node->kind != YamlNode::Kind::sequence) {
      value_at(*node, key).problem("expected a list, found " + describe(*node));
      return {};
    }
    return elements(*node, key, reader);
  }

  /// A list, or one value that stands for a list of one (the axis of a sweep).
  template <typename T>
  std::vector<T> one_or_more(std::string_view key, const Reader<T>& reader) {
    const YamlNode* node = find_required(key);
    if (!node) return {};
    if (node->kind == YamlNode::Kind::sequence) return elements(*node, key, reader);
    const std::optional<T> only = reader(value_at(*node, key));
    return only ? std::vector<T>{*only} : std::vector<T>{};
  }

  Figure figure(std::string_view key, Unit unit, Bounds bounds = not_negative) {
    return required(key, platforms::figure(unit, bounds));
  }

  /// A map below `key`, read by `read(Fields&)`.
  template <typename Read>
  void map(std::string_view key, Read&& read) {
    if (const YamlNode* node = find_required(key)) read_map(value_at(*node, key), read);
  }
  template <typename Read>
  void optional_map(std::string_view key, Read&& read) {
    if (const YamlNode* node = find(key)) read_map(value_at(*node, key), read);
  }

  /// A list of maps below `key`, each read by `read(Fields&)`.
  template <typename Read>
  void list_of_maps(std::string_view key, Read&& read) {
    const auto read_one = [&](const YamlValue& value) {
      read_map(value, read);
      return std::optional<bool>(true);
    };
    list<bool>(key, read_one);
  }

  /// The names in the file, for a map whose keys are free (networks of an experiment); asking for one makes it known.
  std::vector<std::string> names() const;

  /// Adds a problem at the value of `key`, or at the map if the key is absent: for checks across fields.
  void problem(std::string_view key, std::string message);

  /// The value below `key` for a reader of its own; marks the key as known. Null: absent.
  const YamlNode* find(std::string_view key);

  /// The path of a key, for errors.
  std::string path_of(std::string_view key) const;

 private:
  const YamlNode* find_required(std::string_view key);
  const YamlNode* look_up(std::string_view key) const;

  YamlValue value_at(const YamlNode& node, std::string_view key) { return {node, path_of(key), problems_}; }

  template <typename T>
  std::vector<T> elements(const YamlNode& node, std::string_view key, const Reader<T>& reader) {
    if (node.items.empty()) value_at(node, key).problem("is an empty list; expected at least one value");
    std::vector<T> all;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const YamlValue value{node.items[i], path_of(key) + "[" + std::to_string(i) + "]", problems_};
      if (std::optional<T> element = reader(value)) all.push_back(std::move(*element));
    }
    return all;
  }

  template <typename Read>
  static void read_map(const YamlValue& value, Read&& read) {
    Fields fields(value.node, value.problems, value.key);
    if (fields.is_map()) read(fields);
  }

  bool is_map() const { return node_.kind == YamlNode::Kind::map; }

  const YamlNode& node_;
  ProblemList& problems_;
  std::string path_;
  std::vector<std::string> known_;
};

}  // namespace spillway::platforms
