#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "models/network.hpp"
#include "models/onnx_error.hpp"

namespace spillway::models {

/// No network of that name: neither in the zoo nor the path of a model file.
class UnknownNetwork : public std::runtime_error {
 public:
  explicit UnknownNetwork(std::string name);

  const std::string& name() const { return name_; }
  /// The names that exist.
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::string name_;
  std::vector<std::string> names_;
};

struct LoadOptions {
  std::map<std::string, std::int64_t> dimensions;  ///< of an ONNX file: see OnnxReadOptions
};

struct LoadedNetwork {
  Network network;
  std::optional<ElementType> element;  ///< as the file stores it; the zoo's networks have none
};

/// Whether the name is the path of a model file: it ends in `.onnx`.
bool is_model_file(std::string_view name_or_path);

/// The network of the zoo of that name, or else the one in the file of that path, which ends in `.onnx`.
/// Throws UnknownNetwork, OnnxError, and OnnxError for dimensions that are given for a network of the zoo.
LoadedNetwork load(const std::string& name_or_path, const LoadOptions& options = {});

/// The network alone.
Network load_network(const std::string& name_or_path, const LoadOptions& options = {});

}  // namespace spillway::models
