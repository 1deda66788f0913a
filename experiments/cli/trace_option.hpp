#pragma once

#include <optional>
#include <string>

#include "experiments/cli/request.hpp"
#include "experiments/traces/run_trace.hpp"

namespace spillway::cli {

/// Reads a trace that an option or argument names; `clock` is a frequency where its times are cycles. Notes every
/// mistake in `request`.
std::optional<traces::RunTrace> read_trace(const std::string& option, const std::string& path,
                                           const std::string& clock_option, const std::optional<std::string>& clock,
                                           Request& request);

}  // namespace spillway::cli
