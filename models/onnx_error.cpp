#include "models/onnx_error.hpp"

#include <utility>

#include <fmt/format.h>

namespace spillway::models {
namespace {

std::string text_of(const std::filesystem::path& file, const std::vector<OnnxProblem>& problems) {
  std::string text;
  for (const OnnxProblem& problem : problems)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", file.string(), to_string(problem));
  return text;
}

}  // namespace

std::string to_string(const OnnxProblem& problem) {
  std::string text =
      problem.type.empty() ? problem.what : fmt::format("node '{}' ({}): {}", problem.node, problem.type, problem.what);
  // Names come from files of unknown origin and must not move a terminal's cursor.
  for (char& letter : text)
    if (static_cast<unsigned char>(letter) < ' ' || letter == '\x7f') letter = '?';
  return text;
}

OnnxError::OnnxError(std::filesystem::path file, std::vector<OnnxProblem> problems)
    : std::runtime_error(text_of(file, problems)), file_(std::move(file)), problems_(std::move(problems)) {}

}  // namespace spillway::models
