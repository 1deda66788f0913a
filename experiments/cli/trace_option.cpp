#include "experiments/cli/trace_option.hpp"

#include <fmt/format.h>

#include "platforms/units.hpp"
#include "sim/trace/output_file.hpp"

namespace spillway::cli {
namespace {

std::optional<double> read_clock(const std::string& option, const std::optional<std::string>& text, Request& request) {
  if (!text) return std::nullopt;
  try {
    const double hz = platforms::parse_quantity(*text, platforms::Unit::hertz);
    if (hz > 0) return hz;
    request.problem(option, fmt::format("\"{}\" is no clock; expected a frequency above 0", *text));
  } catch (const platforms::UnitError& error) {
    request.problem(option, error.what());
  }
  return std::nullopt;
}

}  // namespace

std::optional<traces::RunTrace> read_trace(const std::string& option, const std::string& path,
                                           const std::string& clock_option, const std::optional<std::string>& clock,
                                           Request& request) {
  const std::optional<double> hz = read_clock(clock_option, clock, request);
  if (path.empty()) {
    request.problem(option, "is missing; expected a trace: CSV, or the bytes of a board's serial port");
    return std::nullopt;
  }
  try {
    return traces::read_run(path, hz);
  } catch (const traces::TraceError& error) {
    for (const std::string& line : error.errors)
      request.problem(option, line);
  } catch (const trace::FileError& error) {
    request.problem(option, error.what());
  }
  return std::nullopt;
}

}  // namespace spillway::cli
