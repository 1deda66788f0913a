#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "platforms/yaml_reader.hpp"

/// Questions: sweeps over parameters, published values and how ours compare with them.
namespace spillway::experiments {

/// A setting or a result: a name, a count (sizes in bytes), or a figure in base units.
using Value = std::variant<std::string, std::uint64_t, double>;

/// As it stands in CSV and configuration files: independent of the locale, the shortest text that reads back exactly.
std::string to_text(const Value& value);

/// What a sweep can vary, in the order of the columns.
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
};

/// In the order of Parameter.
const std::array<ParameterInfo, parameter_count>& parameters();
const ParameterInfo& info(Parameter parameter);

/// `16 KiB`, `vgg16`: a setting for people.
std::string for_people(Parameter parameter, const Value& value);

/// One run: a value for every parameter.
class Point {
 public:
  const Value& operator[](Parameter parameter) const { return values_[static_cast<std::size_t>(parameter)]; }
  Value& operator[](Parameter parameter) { return values_[static_cast<std::size_t>(parameter)]; }

  const std::string& name(Parameter parameter) const { return std::get<std::string>((*this)[parameter]); }
  std::uint64_t count(Parameter parameter) const { return std::get<std::uint64_t>((*this)[parameter]); }
  double figure(Parameter parameter) const { return std::get<double>((*this)[parameter]); }

  friend bool operator==(const Point&, const Point&) = default;
  friend bool operator<(const Point& a, const Point& b) { return a.values_ < b.values_; }

 private:
  std::array<Value, parameter_count> values_;
};

// Words of the files that stand for a value known only later.
inline constexpr std::string_view all_frames = "all";      ///< window: as many frames as there are
inline constexpr std::string_view of_the_board = "board";  ///< contention: what the board file says
inline constexpr std::string_view of_the_run = "run";      ///< daily_writes: what the run writes in a day

/// Bytes written in a day that the lifetimes are calculated with; nothing: those of the run.
std::optional<double> daily_writes_of(const Point& point);

}  // namespace spillway::experiments
