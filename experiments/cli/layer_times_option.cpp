#include "experiments/cli/layer_times_option.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

namespace spillway::cli {

std::vector<cost::LayerTime> read_layer_times(const std::string& option, const std::string& path, Request& request) {
  std::error_code error;
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file || std::filesystem::is_directory(path, error)) {
    request.problem(option,
                    fmt::format("{}: cannot be read; expected a file that `spillway measure --layers` wrote", path));
    return {};
  }
  try {
    return cost::parse_layer_times(text, path);
  } catch (const platforms::InputError& problems) {
    request.problems(problems);
    return {};
  }
}

}  // namespace spillway::cli
