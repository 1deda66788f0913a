#pragma once

#include <vector>

#include "models/quantized/fold.hpp"
#include "models/quantized/quantized_network.hpp"

namespace spillway::quantized {

/// Quantises a folded network. `ranges` has for each node the magnitude that 127 stands for; only those of the input
/// and of Row::value count. Of maps that share a scale the largest range decides; a range of 0, a map that is always 0,
/// gets the scale 1.
/// Weights take the scale of their filter's largest one. Where a bias would then not fit 30 bits, or the quotient of
/// scales would be too small, the filter's scale is made larger.
/// Throws QuantizationError where check() does.
QuantizedNetwork quantize(FoldedNetwork folded, const std::vector<float>& ranges);

}  // namespace spillway::quantized
