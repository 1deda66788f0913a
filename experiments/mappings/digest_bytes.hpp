#pragma once

#include <string>

#include "experiments/mappings/digest.hpp"

namespace spillway::experiments {

/// A digest as one process sends it to another.
std::string bytes_of(const Digest& digest);

/// Throws std::runtime_error for bytes that are none.
Digest digest_of(const std::string& bytes);

}  // namespace spillway::experiments
