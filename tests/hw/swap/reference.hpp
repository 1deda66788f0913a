#pragma once

#include <cstdint>
#include <vector>

#include "random_case.hpp"

namespace spillway::execution {

/// Every node's output of one frame, by channel, row, column: computed element by element from the definition, without
/// tiles and without the kernels. What is no row of the plan and no view passes its input on.
std::vector<std::vector<std::int8_t>> reference(const QuantizedNetwork& network, const std::vector<std::int8_t>& input);

}  // namespace spillway::execution
