#pragma once

#include <vector>

#include "hw/kernels/int8/network/layer_table.hpp"
#include "hw/swap/image/card_image.hpp"
#include "hw/swap/layer_operator.hpp"
#include "models/quantized/quantized_network.hpp"
#include "sim/tiling/swap_plan.hpp"

namespace spillway::experiments {

/// A quantised network cut by a plan, with everything that carries it out. Refers to the network and the plan.
class QuantizedRun {
 public:
  /// The plan is one of the quantised network, int8. Throws execution::NotExecutable, with the plan's own reason where
  /// it only counts.
  QuantizedRun(const quantized::QuantizedNetwork& network, const tiling::SwapPlan& plan);
  QuantizedRun(const QuantizedRun&) = delete;
  QuantizedRun& operator=(const QuantizedRun&) = delete;

  const core::Plan& plan() const { return view_; }
  const execution::CardImage& image() const { return image_; }
  const std::vector<execution::QuantizedLayer>& layers() const { return layers_; }
  const int8::LayerTable& table() const { return table_; }

 private:
  core::Plan view_;
  int8::LayerTable table_;
  std::vector<execution::QuantizedLayer> layers_;
  execution::CardImage image_;
};

}  // namespace spillway::experiments
