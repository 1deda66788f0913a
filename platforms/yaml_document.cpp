#include "platforms/yaml_document.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

namespace spillway::platforms {
namespace {

Position position_of(const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  return {static_cast<std::size_t>(mark.line) + 1, static_cast<std::size_t>(mark.column) + 1};
}

/// Stops the parser: the rest of the text cannot be understood or will not be read.
struct Stop {
  Position position;
  std::string message;
};

/// Builds the tree from the parser's events, so that every limit is checked before the parser goes deeper.
class TreeBuilder : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) throw Stop{position_of(mark), "is the start of a second document; a file holds one"};
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    add(YamlNode{YamlNode::Kind::empty, position_of(mark), {}, {}, {}});
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw Stop{position_of(mark), "aliases (*name) are not supported; write the value out"};
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    add(YamlNode{YamlNode::Kind::scalar, position_of(mark), value, {}, {}});
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    enter(mark, tag, anchor, YamlNode::Kind::sequence);
  }
  void OnSequenceEnd() override { leave(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    enter(mark, tag, anchor, YamlNode::Kind::map);
  }
  void OnMapEnd() override { leave(); }

  bool has_document() const { return documents_ > 0; }
  YamlNode take_root() { return std::move(root_); }

 private:
  /// A collection that is being read.
  struct Open {
    YamlNode node;
    bool key_pending = false;  ///< the last entry of keys has no value yet
  };

  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) const {
    if (anchor != YAML::NullAnchor) {
      throw Stop{position_of(mark), "anchors (&name) are not supported; write the value out where it is used"};
    }
  }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    const bool implicit = tag.empty() || tag == "?" || tag == "!";
    if (!implicit) throw Stop{position_of(mark), fmt::format("tags (\"{}\") are not supported", tag)};
  }

  void enter(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YamlNode::Kind kind) {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    if (open_.size() >= YamlLimits::depth) {
      throw Stop{position_of(mark), fmt::format("is nested deeper than {} levels", YamlLimits::depth)};
    }
    if (!open_.empty() && expects_key()) throw Stop{position_of(mark), "a key must be a plain name, not a list or map"};
    open_.push_back({YamlNode{kind, position_of(mark), {}, {}, {}}, false});
  }

  void leave() {
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
  }

  bool expects_key() const { return open_.back().node.kind == YamlNode::Kind::map && !open_.back().key_pending; }

  void add(YamlNode node) {
    if (++nodes_ > YamlLimits::nodes) {
      throw Stop{node.position, fmt::format("has more than {} keys and values", YamlLimits::nodes)};
    }
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (expects_key()) {
      if (node.kind != YamlNode::Kind::scalar) throw Stop{node.position, "a key must be a plain name"};
      parent.node.keys.push_back({std::move(node.scalar), node.position});
      parent.key_pending = true;
      return;
    }
    // The parser places an absent value at whatever follows it.
    const bool absent = node.kind == YamlNode::Kind::empty && parent.key_pending;
    if (absent) node.position = parent.node.keys.back().position;
    parent.node.items.push_back(std::move(node));
    parent.key_pending = false;
  }

  std::size_t documents_ = 0;
  std::size_t nodes_ = 0;
  YamlNode root_;
  std::vector<Open> open_;
};

void find_duplicates(const YamlNode& node, const std::string& path, const std::string& file,
                     std::vector<Problem>& problems) {
  std::map<std::string_view, Position> first;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const bool is_map = node.kind == YamlNode::Kind::map;
    std::string item_path = path;
    if (is_map) {
      const YamlNode::Key& key = node.keys[i];
      item_path += (path.empty() ? "" : ".") + key.name;
      const auto [earlier, is_new] = first.emplace(key.name, key.position);
      if (!is_new) {
        problems.push_back({file, key.position.line, key.position.column, item_path,
                            fmt::format("is given twice, first at line {}", earlier->second.line)});
      }
    } else {
      item_path += fmt::format("[{}]", i);
    }
    find_duplicates(node.items[i], item_path, file, problems);
  }
}

[[noreturn]] void fail(const std::string& file, Position position, std::string message) {
  throw InputError({Problem{file, position.line, position.column, "", std::move(message)}});
}

void refuse_too_large(std::size_t bytes, const std::string& file) {
  if (bytes > YamlLimits::bytes) {
    fail(file, {}, fmt::format("has {} bytes; a file has at most {}", bytes, YamlLimits::bytes));
  }
}

void refuse_control_characters(std::string_view text, const std::string& file) {
  Position position{1, 1};
  for (const char character : text) {
    const auto code = static_cast<unsigned char>(character);
    const bool space = character == '\n' || character == '\r' || character == '\t';
    if ((code < 0x20 && !space) || code == 0x7f) {
      fail(file, position, fmt::format("has the control character 0x{:02x}; expected UTF-8 text", code));
    }
    position = character == '\n' ? Position{position.line + 1, 1} : Position{position.line, position.column + 1};
  }
}

/// Without the white space at its end: yaml-cpp 0.7 notices that a quote is never closed only when the text ends in the
/// middle of a line.
std::string_view without_end_of_text(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

}  // namespace

std::string describe(const YamlNode& node) {
  constexpr std::size_t longest_quote = 60;
  switch (node.kind) {
    case YamlNode::Kind::empty:
      return "nothing";
    case YamlNode::Kind::sequence:
      return "a list";
    case YamlNode::Kind::map:
      return "a map";
    case YamlNode::Kind::scalar:
      break;
  }
  if (node.scalar.size() > longest_quote) return fmt::format("\"{}...\"", node.scalar.substr(0, longest_quote));
  return fmt::format("\"{}\"", node.scalar);
}

YamlDocument YamlDocument::open(const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) fail(file.string(), {}, "is a directory; expected a YAML file");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) fail(file.string(), {}, fmt::format("cannot be read: {}", std::strerror(errno)));
  // One byte beyond the limit is read, so that a device or pipe without end is noticed.
  std::string text(YamlLimits::bytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (stream.bad()) fail(file.string(), {}, "cannot be read to its end");
  if (text.size() > YamlLimits::bytes) {
    fail(file.string(), {}, fmt::format("has more than {} bytes", YamlLimits::bytes));
  }
  return from_text(text, file.string());
}

YamlDocument YamlDocument::from_text(std::string_view text, std::string name) {
  refuse_too_large(text.size(), name);
  refuse_control_characters(text, name);
  YamlDocument document;
  document.name_ = std::move(name);
  TreeBuilder builder;
  try {
    std::istringstream stream{std::string(without_end_of_text(text))};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Stop& stop) {
    fail(document.name_, stop.position, stop.message);
  } catch (const YAML::Exception& error) {
    fail(document.name_, position_of(error.mark), fmt::format("is not valid YAML: {}", error.msg));
  }
  if (!builder.has_document()) fail(document.name_, {}, "is empty; expected keys and values");
  document.root_ = builder.take_root();
  if (document.root_.kind != YamlNode::Kind::map) {
    fail(document.name_, document.root_.position,
         fmt::format("expected keys and values at the top, found {}", describe(document.root_)));
  }
  find_duplicates(document.root_, "", document.name_, document.duplicates_);
  return document;
}

}  // namespace spillway::platforms
