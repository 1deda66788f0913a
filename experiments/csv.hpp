#pragma once

#include <span>
#include <string>

namespace spillway::experiments {

/// One line of comma-separated values with its line end; fields are quoted where they need it (RFC 4180).
std::string csv_line(std::span<const std::string> fields);

}  // namespace spillway::experiments
