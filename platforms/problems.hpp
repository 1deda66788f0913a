#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace spillway::platforms {

/// One mistake in an input: where it is, what was wrong and what was expected.
struct Problem {
  std::string file;        ///< as the user named it; empty for a request on the command line
  std::size_t line = 0;    ///< from 1; 0: the file as a whole
  std::size_t column = 0;  ///< from 1; 0: the line as a whole
  std::string key;         ///< path of the key, `rates.pooling`; empty: the file as a whole
  std::string message;

  friend bool operator==(const Problem&, const Problem&) = default;
};

/// `file:line:column: key: message` on one line; parts that are unknown are left out, control characters become `?`.
inline std::string to_string(const Problem& problem) {
  std::string text = problem.file;
  if (problem.line > 0) text += ':' + std::to_string(problem.line);
  if (problem.line > 0 && problem.column > 0) text += ':' + std::to_string(problem.column);
  if (!text.empty()) text += ": ";
  if (!problem.key.empty()) text += problem.key + ": ";
  text += problem.message;
  for (char& character : text) {
    const bool control = static_cast<unsigned char>(character) < 0x20 || character == 0x7f;
    if (control) character = '?';
  }
  return text;
}

/// Every mistake of one input; what() lists them, one a line.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Problem> found) : std::runtime_error(lines(found)), problems_(std::move(found)) {}

  const std::vector<Problem>& problems() const { return problems_; }

 private:
  static std::string lines(const std::vector<Problem>& found) {
    std::string text;
    for (const Problem& problem : found) {
      if (!text.empty()) text += '\n';
      text += to_string(problem);
    }
    return text;
  }

  std::vector<Problem> problems_;
};

}  // namespace spillway::platforms
