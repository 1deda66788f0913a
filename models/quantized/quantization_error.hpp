#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace spillway::quantized {

/// Why a node cannot be int8.
struct Problem {
  std::string node;
  std::string what;

  friend bool operator==(const Problem&, const Problem&) = default;
};

/// A network that cannot be quantised. what() has one line for each problem: `NETWORK: node 'NODE': WHAT`.
class QuantizationError : public std::runtime_error {
 public:
  QuantizationError(const std::string& network, std::vector<Problem> problems);

  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

}  // namespace spillway::quantized
