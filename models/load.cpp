#include "models/load.hpp"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/onnx_reader.hpp"
#include "models/zoo.hpp"

namespace spillway::models {

UnknownNetwork::UnknownNetwork(std::string name)
    : std::runtime_error(fmt::format("unknown network \"{}\"; expected the path of an .onnx file or one of {}", name,
                                     fmt::join(zoo_names(), ", "))),
      name_(std::move(name)) {
  for (const std::string_view known : zoo_names())
    names_.emplace_back(known);
}

bool is_model_file(std::string_view name_or_path) {
  return name_or_path.ends_with(".onnx");
}

LoadedNetwork load(const std::string& name_or_path, const LoadOptions& options) {
  if (std::optional<Network> known = zoo(name_or_path)) {
    if (!options.dimensions.empty())
      throw OnnxError(name_or_path, {{"", "", "a network of the zoo has no dynamic dimensions; expected none given"}});
    return {std::move(*known), std::nullopt};
  }
  if (!is_model_file(name_or_path)) throw UnknownNetwork(name_or_path);
  OnnxModel model = read_onnx_model(name_or_path, {.dimensions = options.dimensions, .weights = false});
  return {std::move(model.network), model.element};
}

Network load_network(const std::string& name_or_path, const LoadOptions& options) {
  return load(name_or_path, options).network;
}

}  // namespace spillway::models
