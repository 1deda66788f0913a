#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "experiments/cli/infer_inputs.hpp"
#include "experiments/cli/network_option.hpp"
#include "experiments/cli/request.hpp"
#include "hw/kernels/int8/calibration/float_maps.hpp"
#include "models/network.hpp"
#include "models/quantized/fold.hpp"

namespace spillway::cli {

/// The options of `spillway quantize`.
struct QuantizeOptions {
  NetworkOption network;
  ImageConversion conversion;
  std::vector<std::string> calibration, test;
  std::optional<std::string> labels, frames, output;
  std::string range = "100 %";
  std::string seed = "1";

  /// The object must outlive the parsing.
  void add_to(CLI::App& verb);
};

/// What they ask for, read and checked.
struct QuantizeRequest {
  std::optional<quantized::FoldedNetwork> folded;
  std::vector<float> calibration, test;  ///< frames one after the other
  std::vector<std::int32_t> labels;      ///< of the test frames; empty: none
  std::string calibration_origin, test_origin;
  std::size_t frame = 1;  ///< numbers of a frame
  int8::RangeChoice range;
};

/// Notes every mistake in `request`.
QuantizeRequest read(const QuantizeOptions& options, Request& request);

}  // namespace spillway::cli
