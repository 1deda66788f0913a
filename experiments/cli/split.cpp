#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "experiments/cli/new_folder.hpp"
#include "experiments/cli/request.hpp"
#include "experiments/cli/split_inputs.hpp"
#include "experiments/cli/table.hpp"
#include "experiments/cli/verbs.hpp"
#include "hw/mpi/front_end.hpp"
#include "hw/mpi/package.hpp"
#include "hw/mpi/tables.hpp"

namespace spillway::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* record_name = "split.json";

struct Options {
  SplitInputs inputs;
  std::string output;
  bool overwrite = false, archives = false;
};

fs::path read_output(const Options& options, Request& request) {
  std::string path = options.output;
  while (path.size() > 1 && path.ends_with('/'))
    path.pop_back();
  std::error_code error;
  if (path.empty())
    request.problem("--output", "is missing; expected the folder to make");
  else if (fs::exists(path, error) && !fs::is_directory(path, error))
    request.problem("--output", fmt::format("\"{}\" is a file; expected a folder", path));
  else if (fs::exists(path, error) && !fs::is_empty(path, error)) {
    if (!fs::exists(fs::path(path) / record_name, error))
      request.problem("--output", fmt::format("\"{}\" holds other files; expected a new folder", path));
    else if (!options.overwrite)
      request.problem("--output", fmt::format("\"{}\" holds an earlier split; --overwrite replaces it", path));
  } else {
    const fs::path parent = fs::absolute(path, error).parent_path();
    if (!fs::is_directory(parent, error))
      request.problem("--output", fmt::format("cannot make \"{}\": there is no folder {}", path, parent.string()));
  }
  return path;
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void write_text(const fs::path& path, const std::string& text) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream << text;
  stream.close();
  if (!stream) throw std::system_error(errno == 0 ? EIO : errno, std::generic_category(), path.string());
}

/// How long each of AutoDiCE's phases took.
struct Phases {
  double read = 0, front_end = 0, back_end = 0, packages = 0;
};

std::string record_of(const Options& options, const mpi::Deployment& deployment, const Phases& phases) {
  nlohmann::ordered_json record;
  record["spillway"] = SPILLWAY_VERSION;
  const NetworkOption& network = options.inputs.network;
  const bool is_file = models::is_model_file(network.network);
  record["model"] = is_file ? fs::absolute(network.network).string() : network.network;
  record["dimensions"] = network.dimensions;
  record["seed"] = options.inputs.seed;
  const std::vector<std::vector<int>> cores = mpi::bound_cores(deployment.devices, deployment.resources);
  record["ranks"] = nlohmann::ordered_json::array();
  for (split::Rank rank = 0; rank < deployment.split.ranks.size(); ++rank) {
    const platforms::Resource& resource = deployment.resources[rank];
    record["ranks"].push_back({{"key", deployment.split.ranks[rank].key},
                               {"device", deployment.devices[resource.device].name},
                               {"gpu", resource.gpu},
                               {"cores", cores[rank]}});
  }
  record["inputs"] = nlohmann::ordered_json::array();
  for (models::NodeId id = 0; id < deployment.network.nodes().size(); ++id) {
    const models::Node& node = deployment.network.node(id);
    if (node.op != models::Operator::input) continue;
    const std::vector<std::int64_t> extents = {1, node.output.channels, node.output.height, node.output.width};
    record["inputs"].push_back({{"name", deployment.split.tensors[id]}, {"extents", extents}});
  }
  record["read_s"] = phases.read;
  record["front_end_s"] = phases.front_end;
  record["back_end_s"] = phases.back_end;
  record["packages_s"] = phases.packages;
  return record.dump(2) + "\n";
}

void print_ranks(const mpi::Deployment& deployment) {
  Table table({{"rank", true}, {"key"}, {"layers", true}, {"MACs", true}, {"receives, B", true}, {"sends, B", true}});
  for (split::Rank rank = 0; rank < deployment.split.ranks.size(); ++rank) {
    const split::SubModel& part = deployment.split.ranks[rank];
    std::int64_t macs = 0, received = 0, sent = 0;
    for (const models::NodeId layer : part.layers)
      macs += deployment.network.macs(layer);
    for (const std::size_t buffer : part.receives)
      received += deployment.split.buffers[buffer].elements * 4;
    for (const std::size_t buffer : part.sends)
      sent += deployment.split.buffers[buffer].elements * 4 *
              static_cast<std::int64_t>(deployment.split.buffers[buffer].destinations.size());
    const auto thousands = [](std::int64_t count) { return with_thousands(static_cast<std::uint64_t>(count)); };
    table.row({std::to_string(rank), part.key, std::to_string(part.layers.size()), thousands(macs), thousands(received),
               thousands(sent)});
  }
  fmt::print("{}\n", table.text());
}

void run(const CLI::App& verb, const Options& options) {
  Request request(verb);
  const fs::path output = read_output(options, request);
  const Clock::time_point begin = Clock::now();
  const std::optional<mpi::Deployment> deployment = read(options.inputs, request);
  request.check();

  Phases phases;
  phases.read = seconds_since(begin);
  NewFolder folder(output);
  const auto timed = [](double& seconds, const auto& work) {
    const Clock::time_point start = Clock::now();
    work();
    seconds = seconds_since(start);
  };
  timed(phases.front_end, [&] {
    mpi::write_front_end(*deployment, folder.path());
    write_text(folder.path() / "mapping.json", mapping_text(*deployment));
    write_text(folder.path() / "platform.txt", platform_text(*deployment));
  });
  timed(phases.back_end, [&] { mpi::write_back_end(*deployment, folder.path()); });
  timed(phases.packages, [&] {
    mpi::write_packages(*deployment, folder.path(), mpi::shipped_sources());
    if (options.archives) mpi::write_package_archives(*deployment, folder.path());
  });
  write_text(folder.path() / record_name, record_of(options, *deployment, phases));
  folder.keep();

  print_ranks(*deployment);
  fmt::print(
      "front-end {:.3f} s (model read and split {:.3f} s, sub-models and tables {:.3f} s), back-end {:.3f} s, "
      "packages {:.3f} s\n",
      phases.read + phases.front_end, phases.read, phases.front_end, phases.back_end, phases.packages);
  fmt::print("{}: sub-models, sender.json, receiver.json, rankfile, hostfile, main.cpp, packages\n", output.string());
}

}  // namespace

void add_split(CLI::App& app, Outcome& outcome) {
  CLI::App& verb = add_verb(app, "split", "Splits a network over devices: sub-models, tables, program, packages");
  const auto options = std::make_shared<Options>();
  options->inputs.add_to(verb);
  verb.add_option("--output", options->output, "The folder to make")->type_name("DIR");
  verb.add_flag("--overwrite", options->overwrite, "Replaces an earlier split in that folder");
  verb.add_flag("--tar", options->archives, "Also packs each package into an uncompressed archive");
  verb.footer(
      "A key is DEVICE_ARCHITECTURE and one digit a core (edge01_arm123), or a list of cores (edge01_arm:0,1,10), or\n"
      "DEVICE_gpu; the order of the keys gives the ranks. A layer is called as its node, or as its first output with\n"
      "_ for /. The folder appears whole or not at all.");
  verb.callback([&verb, options, &outcome] {
    run(verb, *options);
    outcome.code = ExitCode::done;
  });
}

}  // namespace spillway::cli
