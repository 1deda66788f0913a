#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "platforms/yaml_reader.hpp"

/// Questions: sweeps over parameters, published values and how ours compare with them.
namespace spillway::experiments {

/// A setting or a result: a name, a count (sizes in bytes), or a figure in base units.
using Value = std::variant<std::string, std::uint64_t, double>;

/// As it stands in CSV and configuration files: independent of the locale, the shortest text that reads back exactly.
std::string to_text(const Value& value);

/// What a sweep of swap runs can vary, in the order of the columns.
enum class Parameter : std::uint8_t {
  network,
  board,
  card,
  rule,
  element,
  sram,
  buffer,
  mode,
  frames,
  window,
  queue,
  pools,
  contention,
  driver,
  crypto,
  daily_writes,
};
inline constexpr std::size_t parameter_count = 16;

/// How a parameter is written and read.
struct ParameterInfo {
  std::string_view key;      ///< in experiment files
  std::string_view column;   ///< in results, unit in its name
  std::string_view meaning;  ///< for documentation
  platforms::Reader<Value> reader;
  std::optional<Value> fallback;  ///< where a sweep does not give the key; nothing: it must
  bool is_size = false;           ///< bytes, written with a unit
};

/// In the order of Parameter.
const std::array<ParameterInfo, parameter_count>& parameters();
const ParameterInfo& info(Parameter parameter);

/// What parameters of a kind of runs accept and have in common.
namespace accepts {
platforms::Reader<Value> one_of(std::vector<std::string> names);
/// A name of a catalogue or a path of a file. Whether the file is sound is seen when it is loaded.
platforms::Reader<Value> name_or_path(std::vector<std::string> (*names)());
platforms::Reader<Value> count_up_to(std::uint64_t most);  ///< from 1
platforms::Reader<Value> word_or(std::string_view word, platforms::Reader<Value> reader);
platforms::Reader<Value> network();  ///< of the zoo
}  // namespace accepts

/// `16 KiB`, `vgg16`: a setting for people.
std::string for_people(const ParameterInfo& parameter, const Value& value);

/// One run: a value for every parameter of its kind of runs. The enumeration of that kind names them; a place in its
/// order does too.
class Point {
 public:
  explicit Point(std::size_t parameters = parameter_count) : values_(parameters) {}

  template <typename Name>
  const Value& operator[](Name parameter) const {
    return values_[static_cast<std::size_t>(parameter)];
  }
  template <typename Name>
  Value& operator[](Name parameter) {
    return values_[static_cast<std::size_t>(parameter)];
  }

  template <typename Name>
  const std::string& name(Name parameter) const {
    return std::get<std::string>((*this)[parameter]);
  }
  template <typename Name>
  std::uint64_t count(Name parameter) const {
    return std::get<std::uint64_t>((*this)[parameter]);
  }
  template <typename Name>
  double figure(Name parameter) const {
    return std::get<double>((*this)[parameter]);
  }

  friend bool operator==(const Point&, const Point&) = default;
  friend bool operator<(const Point& a, const Point& b) { return a.values_ < b.values_; }

 private:
  std::vector<Value> values_;
};

// Words of the files that stand for a value known only later.
inline constexpr std::string_view all_frames = "all";      ///< window: as many frames as there are
inline constexpr std::string_view of_the_board = "board";  ///< contention: what the board file says
inline constexpr std::string_view of_the_run = "run";      ///< daily_writes: what the run writes in a day

/// Bytes written in a day that the lifetimes are calculated with; nothing: those of the run.
std::optional<double> daily_writes_of(const Point& point);

}  // namespace spillway::experiments
