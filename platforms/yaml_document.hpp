#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/problems.hpp"

/// A YAML file as a plain tree with a position for every key and value.
namespace spillway::platforms {

/// Counted from 1, as editors do.
struct Position {
  std::size_t line = 0;
  std::size_t column = 0;
};

/// A value of a YAML document. Of a map, `keys[i]` names `items[i]`.
struct YamlNode {
  enum class Kind { empty, scalar, sequence, map };
  struct Key {
    std::string name;
    Position position;
  };

  Kind kind = Kind::empty;
  Position position;
  std::string scalar;
  std::vector<Key> keys;
  std::vector<YamlNode> items;
};

/// "a map", "a list", "nothing" or the scalar in quotes, for error messages.
std::string describe(const YamlNode& node);

/// What a reader accepts at most; far beyond any file that a person writes, and small enough that hostile input
/// exhausts neither memory nor the stack.
struct YamlLimits {
  static constexpr std::size_t bytes = std::size_t{1} << 20;
  static constexpr std::size_t depth = 32;
  static constexpr std::size_t nodes = 100'000;
};

/// One YAML document with a map at its top. Anchors, aliases and tags are refused: a file says what it says where it
/// says it.
class YamlDocument {
 public:
  /// Throws InputError: the file cannot be read, or as from_text.
  static YamlDocument open(const std::filesystem::path& file);

  /// `name` stands for the file in errors. Throws InputError: no valid YAML (line and column of the first mistake),
  /// no or several documents, no map at the top, beyond YamlLimits.
  static YamlDocument from_text(std::string_view text, std::string name);

  const std::string& name() const { return name_; }
  const YamlNode& root() const { return root_; }

  /// Keys that are given twice: mistakes that do not keep a reader from finding the other ones.
  const std::vector<Problem>& duplicates() const { return duplicates_; }

 private:
  std::string name_;
  YamlNode root_;
  std::vector<Problem> duplicates_;
};

}  // namespace spillway::platforms
