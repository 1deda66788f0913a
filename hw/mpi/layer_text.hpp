#pragma once

#include <string>
#include <vector>

#include "hw/kernels/session/program.hpp"

/// Layers as C++ source. Of the room's own.
namespace spillway::mpi {

/// `kernels::Convolution NAME{...}`: the definition without `const` and semicolon.
std::string definition_of(const kernels::Layer& layer, const std::string& name);

/// Whether the layer takes memory to work in: `kernels::scratch_bytes(NAME, threads)` exists for it.
bool has_scratch(const kernels::Layer& layer);

/// The call. `operands` are expressions in the order of Step::inputs, `nullptr` for those that are not given. Lines of
/// more than one statement are separated by line breaks.
std::vector<std::string> call_of(const kernels::Layer& layer, const std::string& name,
                                 const std::vector<std::string>& operands, const std::string& output);

/// A float as a literal that gives the same float.
std::string literal(float value);

}  // namespace spillway::mpi
