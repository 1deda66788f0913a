#include "models/onnx_error.hpp"

#include <utility>

#include <fmt/format.h>

namespace spillway::models {
namespace {

/// Names come from files of unknown origin: what would move a terminal's cursor is replaced.
std::string printable(std::string text) {
  for (char& letter : text)
    if (static_cast<unsigned char>(letter) < ' ' || letter == '\x7f') letter = '?';
  return text;
}

std::string text_of(const std::filesystem::path& file, const std::vector<OnnxProblem>& problems) {
  std::string text;
  for (const OnnxProblem& problem : problems) {
    const std::string node =
        problem.type.empty() ? "" : printable(fmt::format("node '{}' ({}): ", problem.node, problem.type));
    text += fmt::format("{}{}: {}{}", text.empty() ? "" : "\n", file.string(), node, printable(problem.what));
  }
  return text;
}

}  // namespace

OnnxError::OnnxError(std::filesystem::path file, std::vector<OnnxProblem> problems)
    : std::runtime_error(text_of(file, problems)), file_(std::move(file)), problems_(std::move(problems)) {}

}  // namespace spillway::models
