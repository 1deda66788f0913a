#include "models/quantized/quantization_error.hpp"

#include <utility>

#include <fmt/format.h>

namespace spillway::quantized {
namespace {

std::string text_of(const std::string& network, const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) {
    if (!text.empty()) text += '\n';
    text += fmt::format("{}: node '{}': {}", network, problem.node, problem.what);
  }
  return text;
}

}  // namespace

QuantizationError::QuantizationError(const std::string& network, std::vector<Problem> problems)
    : std::runtime_error(text_of(network, problems)), problems_(std::move(problems)) {}

}  // namespace spillway::quantized
