#include "experiments/cli/network_option.hpp"

#include <cstdint>
#include <limits>

#include <fmt/format.h>

namespace spillway::cli {

models::LoadOptions read_dimensions(const NetworkOption& option, Request& request) {
  models::LoadOptions options;
  for (const std::string& text : option.dimensions) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0) {
      request.problem("--dim", fmt::format("\"{}\" is no extent of a dimension; expected NAME=EXTENT", text));
      continue;
    }
    const std::uint64_t extent =
        request.number("--dim", text.substr(equals + 1), 1, std::numeric_limits<std::int32_t>::max());
    const bool is_new = options.dimensions.emplace(text.substr(0, equals), extent).second;
    if (!is_new) request.problem("--dim", fmt::format("\"{}\" is given twice", text.substr(0, equals)));
  }
  return options;
}

void note(const models::OnnxError& error, Request& request) {
  for (const models::OnnxProblem& problem : error.problems())
    request.problem({error.file().string(), 0, 0, "", to_string(problem)});
}

void NetworkOption::add_to(CLI::App& verb) {
  verb.add_option("NETWORK", network, "A network of the zoo (spillway list models) or an .onnx file")->type_name("");
  verb.add_option("--dim", dimensions, "Extent of a dynamic dimension of an .onnx file; may be repeated [batch: 1]")
      ->type_name("NAME=EXTENT")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->expected(1);
}

std::optional<models::LoadedNetwork> read(const NetworkOption& option, Request& request) {
  const models::LoadOptions options = read_dimensions(option, request);
  if (option.network.empty()) {
    request.problem("NETWORK", "the name of a network is missing; `spillway list models` shows all");
    return std::nullopt;
  }
  try {
    return models::load(option.network, options);
  } catch (const models::UnknownNetwork& error) {
    request.problem("NETWORK", unknown("network", error.name(), error.names(), "`spillway list models` shows all"));
  } catch (const models::OnnxError& error) {
    note(error, request);
  }
  return std::nullopt;
}

}  // namespace spillway::cli
