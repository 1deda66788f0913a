#include "experiments/cli/cluster_option.hpp"

#include <fmt/format.h>

#include "platforms/cluster.hpp"

namespace spillway::cli {

std::optional<pipeline::ClusterModel> read_cluster(const std::string& platform, Request& request) {
  if (platform.empty()) {
    request.problem("--platform", "is missing; expected a cluster: a name (spillway list clusters) or a .yaml file");
    return std::nullopt;
  }
  if (platform.find('.') != std::string::npos && !platform.ends_with(".yaml")) {
    request.problem("--platform", fmt::format("\"{}\" names devices, but not what they are; expected a cluster: a name "
                                              "(spillway list clusters) or a .yaml file",
                                              platform));
    return std::nullopt;
  }
  try {
    return pipeline::ClusterModel(platforms::load_cluster(platform));
  } catch (const platforms::InputError& error) {
    request.problems(error);
    return std::nullopt;
  }
}

split::Communication read_communication(const std::string& text, Request& request) {
  const auto choice = request.choice("--comm", "mode of communication", text, {"overlap", "paper"});
  return choice == 1U ? split::Communication::paper : split::Communication::overlap;
}

pipeline::Wait read_wait(const std::string& text, Request& request) {
  const auto choice = request.choice("--wait", "way to wait", text, {"sleep", "spin"});
  return choice == 1U ? pipeline::Wait::spin : pipeline::Wait::sleep;
}

pipeline::Progress read_progress(const std::string& text, Request& request) {
  const auto choice = request.choice("--progress", "way of messages to move", text, {"async", "calls"});
  return choice == 1U ? pipeline::Progress::calls : pipeline::Progress::async;
}

pipeline::Driver read_driver(const std::string& option, const std::string& text, Request& request) {
  const auto choice = request.choice(option, "driver", text, {"virtual-clock", "simgrid"});
  return choice == 1U ? pipeline::Driver::simgrid : pipeline::Driver::virtual_clock;
}

}  // namespace spillway::cli
