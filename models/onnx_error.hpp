#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace spillway::models {

/// One thing that is wrong with an ONNX file.
struct OnnxProblem {
  std::string node;  ///< the node's name; empty where the file as a whole is meant
  std::string type;  ///< the node's ONNX operator
  std::string what;  ///< what was wrong and what was expected

  friend bool operator==(const OnnxProblem&, const OnnxProblem&) = default;
};

/// `node 'NAME' (TYPE): WHAT`, on one line, control characters as `?`.
std::string to_string(const OnnxProblem& problem);

/// A file that cannot be read as a network, or a network that cannot be written as one. Holds everything that was
/// found; what() has one line for each, `FILE: PROBLEM`.
class OnnxError : public std::runtime_error {
 public:
  OnnxError(std::filesystem::path file, std::vector<OnnxProblem> problems);

  const std::filesystem::path& file() const { return file_; }
  const std::vector<OnnxProblem>& problems() const { return problems_; }

 private:
  std::filesystem::path file_;
  std::vector<OnnxProblem> problems_;
};

}  // namespace spillway::models
