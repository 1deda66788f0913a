#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/network.hpp"
#include "sim/core/plan.hpp"

/// How maps and weights are arranged on a card: the hosted counterpart of hw/swap/extents.hpp.
namespace spillway::execution {

/// Where the elements of a stored map lie.
struct StoredElement {
  std::uint64_t byte = 0;     ///< from the beginning of the map's sectors
  std::uint32_t element = 0;  ///< of the map, counted by channel, row, column
};

/// Every element of a map that is stored as `layer` says, in the order of the storage: the order in which a dense layer
/// reads it. Of a map that is kept in SRAM: its tiles one after the other.
std::vector<StoredElement> storage_order(const core::Layer& layer, core::CardLayout layout);

/// For each element of the vector that a dense row reads, in the order in which it arrives in SRAM: its number in the
/// network's order (by channel, row, column, views and transposes applied), which is the order of its weights.
/// `rows` are the nodes that are rows of the plan.
std::vector<std::uint32_t> vector_order(const core::Plan& plan, const models::Network& network,
                                        const std::vector<models::NodeId>& rows, std::size_t row);

}  // namespace spillway::execution
