#include "platforms/mapping.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "platforms/problems.hpp"

namespace spillway::platforms {
namespace {

using nlohmann::json;

constexpr std::size_t most_bytes = std::size_t{1} << 24;
constexpr std::string_view expected_structure = "expected {\"KEY\": [\"LAYER\", ...], ...}";

/// Lets the parser's events know how far it has read.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, const char** furthest) : at_(at), furthest_(furthest) {}

  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    *furthest_ = std::max(*furthest_, at_);
    return *this;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) { return a.at_ == b.at_; }
  friend bool operator!=(const CountingIterator& a, const CountingIterator& b) { return a.at_ != b.at_; }

 private:
  const char* at_;
  const char** furthest_;
};

/// A key or a layer before anyone has asked what it means.
struct Text {
  std::string text;
  Position position;
};
struct Entry {
  Text key;
  std::vector<Text> layers;
};

/// Takes the file apart; what has another structure is a problem where it begins, and is passed over.
class Events : public nlohmann::json_sax<json> {
 public:
  Events(std::string_view text, const std::string& file, std::vector<Problem>& problems)
      : text_(text), file_(file), problems_(problems), furthest_(text.data()), ended_(text.data()) {}

  std::vector<Entry> run() {
    json::sax_parse(CountingIterator(text_.data(), &furthest_),
                    CountingIterator(text_.data() + text_.size(), &furthest_), this);
    return std::move(entries_);
  }

  bool null() override { return scalar("null"); }
  bool boolean(bool) override { return scalar("a truth value"); }
  bool number_integer(number_integer_t) override { return scalar("a number"); }
  bool number_unsigned(number_unsigned_t) override { return scalar("a number"); }
  bool number_float(number_float_t, const string_t&) override { return scalar("a number"); }
  bool binary(binary_t&) override { return scalar("binary data"); }

  bool string(string_t& value) override {
    const Position position = next();
    if (depth_ == 2 && in_list_)
      entries_.back().layers.push_back({value, position});
    else
      unexpected(position, "a text");
    return true;
  }

  bool start_object(std::size_t) override {
    const Position position = next();
    if (++depth_ > 1) unexpected(position, "an object");
    return true;
  }
  bool key(string_t& value) override {
    const Position position = next();
    if (depth_ == 1 && !skipping_) entries_.push_back({{value, position}, {}});
    return true;
  }
  bool end_object() override { return end(); }

  bool start_array(std::size_t) override {
    const Position position = next();
    if (++depth_ == 2 && !entries_.empty())
      in_list_ = true;
    else
      unexpected(position, "a list");
    wrong_top_ = wrong_top_ || depth_ == 1;
    return true;
  }
  bool end_array() override { return end(); }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    const char* const at = std::max(text_.data(), furthest_ - 1);
    std::string what = error.what();
    const std::size_t details = what.find("syntax error");
    if (details != std::string::npos) what.erase(0, details);
    problems_.push_back({file_, position_of(at).line, position_of(at).column, "", "is no JSON: " + what});
    return false;
  }

 private:
  bool scalar(const char* what) {
    unexpected(next(), what);
    return true;
  }

  bool end() {
    next();
    if (--depth_ == 1) in_list_ = skipping_ = false;
    return true;
  }

  void unexpected(Position position, const std::string& what) {
    if (skipping_ || wrong_top_) return;
    problems_.push_back({file_, position.line, position.column, entries_.empty() ? "" : entries_.back().key.text,
                         fmt::format("found {}; {}", what, expected_structure)});
    skipping_ = depth_ > 1;
  }

  /// Where the token that was just read begins: behind the one before it and what separates them.
  Position next() {
    const char* at = ended_;
    while (at < furthest_ && std::string_view(" \t\r\n,:").find(*at) != std::string_view::npos)
      ++at;
    ended_ = furthest_;
    return position_of(at);
  }

  Position position_of(const char* at) {
    if (at < counted_to_) {
      counted_to_ = text_.data();
      counted_ = {1, 1};
    }
    for (; counted_to_ < at; ++counted_to_) {
      if (*counted_to_ == '\n')
        counted_ = {counted_.line + 1, 1};
      else
        ++counted_.column;
    }
    return counted_;
  }

  std::string_view text_;
  const std::string& file_;
  std::vector<Problem>& problems_;
  const char* furthest_;
  const char* ended_;
  const char* counted_to_ = text_.data();
  Position counted_{1, 1};
  std::vector<Entry> entries_;
  int depth_ = 0;
  bool in_list_ = false, skipping_ = false, wrong_top_ = false;
};

class Checker {
 public:
  Checker(const std::string& file, const std::vector<Device>& devices, const MappingOptions& options,
          std::vector<Problem>& problems)
      : file_(file), devices_(devices), options_(options), problems_(problems) {}

  void add(Entry entry, Mapping& mapping) {
    const Text& key = entry.key;
    if (!keys_.emplace(key.text, key.position.line).second)
      return problem(key, fmt::format("the key is given twice, first in line {}; expected each once", keys_[key.text]));
    if (entry.layers.empty()) problem(key, "has no layers; expected at least one");
    check_layers(entry);
    try {
      MappedRank rank{key.text, key.position, parse_resource(key.text, devices_), {}};
      if (!options_.oversubscribe) take(rank);
      for (Text& layer : entry.layers)
        rank.layers.push_back({std::move(layer.text), layer.position});
      mapping.ranks.push_back(std::move(rank));
    } catch (const ResourceError& error) {
      problem(key, error.what());
    }
  }

 private:
  void problem(const Text& at, std::string message, const std::string& key = "") {
    problems_.push_back({file_, at.position.line, at.position.column, key.empty() ? at.text : key, std::move(message)});
  }

  void check_layers(const Entry& entry) {
    std::map<std::string_view, std::size_t> seen;
    for (const Text& layer : entry.layers) {
      const auto [first, is_new] = seen.emplace(layer.text, layer.position.line);
      if (!is_new)
        problem(layer, fmt::format("layer \"{}\" is given twice, first in line {}", layer.text, first->second),
                entry.key.text);
    }
  }

  void take(const MappedRank& rank) {
    const Device& device = devices_[rank.resource.device];
    std::vector<int> units = rank.resource.cores;
    if (rank.resource.gpu) units = {gpu_unit};
    for (const int unit : units) {
      const auto [owner, is_new] = owners_.emplace(std::pair(rank.resource.device, unit), rank.key);
      if (is_new) continue;
      const std::string what = unit == gpu_unit ? "the GPU" : fmt::format("core {}", unit);
      problem({rank.key, rank.position},
              fmt::format("{} of {} belongs to \"{}\" already; expected one rank on each (--oversubscribe allows more)",
                          what, device.name, owner->second));
    }
  }

  static constexpr int gpu_unit = -1;

  const std::string& file_;
  const std::vector<Device>& devices_;
  const MappingOptions& options_;
  std::vector<Problem>& problems_;
  std::map<std::string, std::size_t> keys_;
  std::map<std::pair<std::size_t, int>, std::string> owners_;
};

}  // namespace

Mapping parse_mapping(std::string_view text, const std::string& file, const std::vector<Device>& devices,
                      const MappingOptions& options) {
  std::vector<Problem> problems;
  if (text.size() > most_bytes)
    throw InputError({{file, 0, 0, "", fmt::format("has {} bytes; expected at most {}", text.size(), most_bytes)}});
  std::vector<Entry> entries = Events(text, file, problems).run();
  Mapping mapping{file, {}};
  if (entries.empty() && problems.empty())
    problems.push_back({file, 0, 0, "", fmt::format("maps nothing; {}", expected_structure)});
  if (!problems.empty()) throw InputError(std::move(problems));
  Checker checker(file, devices, options, problems);
  for (Entry& entry : entries)
    checker.add(std::move(entry), mapping);
  if (!problems.empty()) throw InputError(std::move(problems));
  return mapping;
}

Mapping load_mapping(const std::string& path, const std::vector<Device>& devices, const MappingOptions& options) {
  std::ifstream stream(path, std::ios::binary);
  std::error_code error;
  if (!stream || std::filesystem::is_directory(path, error))
    throw InputError({{path, 0, 0, "", "cannot be read; expected a mapping file (JSON)"}});
  return parse_mapping(std::string{std::istreambuf_iterator<char>(stream), {}}, path, devices, options);
}

}  // namespace spillway::platforms
