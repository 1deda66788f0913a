#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/plan.hpp"

namespace spillway::oracle {

/// A plan together with the tables that it points into.
struct PlanTables {
  std::vector<core::Layer> layers;
  std::vector<core::Part> parts;
  std::vector<core::LayerIndex> consumers;
  core::Plan settings;  ///< everything but the tables

  /// The view that the core takes; valid as long as this object stays where it is.
  core::Plan view() const;

  /// Appends a layer with its parts and returns its row. Sets Layer::first_part, parts, groups, rows, columns and, for
  /// a layer with weights, chunks.
  core::LayerIndex add(core::Layer layer, const std::vector<core::Part>& parts_of_layer);

  /// Fills the table of consumers from the parts; to be called after the last layer.
  void link();

  /// The plan as text, for a failing test.
  std::string dump() const;
};

}  // namespace spillway::oracle
