#include "experiments/cli/pipeline_smpi.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "experiments/cli/pipeline_report.hpp"
#include "experiments/cli/split_inputs.hpp"
#include "experiments/cli/table.hpp"
#include "experiments/smpi/charged_costs.hpp"
#include "experiments/smpi/charged_program.hpp"
#include "experiments/smpi/temporary_folder.hpp"
#include "hw/mpi/program_text.hpp"
#include "platforms/efficiencies.hpp"
#include "platforms/units.hpp"
#include "sim/trace/output_file.hpp"

namespace spillway::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using split::Rank;

/// split.json.
struct Record {
  NetworkOption network;
  std::vector<std::string> devices;
};

std::optional<Record> read_record(const std::string& folder, Request& request) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    request.problem("--smpi",
                    fmt::format("there is no folder \"{}\"; expected one that `spillway split` made", folder));
    return std::nullopt;
  }
  std::ifstream stream(fs::path(folder) / "split.json");
  if (!stream) {
    request.problem("--smpi",
                    fmt::format("\"{}\" holds no split; expected a folder that `spillway split` made", folder));
    return std::nullopt;
  }
  try {
    const nlohmann::json json = nlohmann::json::parse(stream);
    Record record;
    json.at("model").get_to(record.network.network);
    json.at("dimensions").get_to(record.network.dimensions);
    for (const nlohmann::json& rank : json.at("ranks"))
      record.devices.push_back(rank.at("device").get<std::string>());
    return record;
  } catch (const nlohmann::json::exception&) {
    request.problem("--smpi", fmt::format("\"{}/split.json\" is damaged or of another version; split again", folder));
    return std::nullopt;
  }
}

void check_devices(const Record& record, const platforms::Cluster& cluster, Request& request) {
  std::vector<std::string> absent;
  for (const std::string& device : record.devices)
    if (std::ranges::find(cluster.devices, device, &platforms::Device::name) == cluster.devices.end() &&
        std::ranges::find(absent, device) == absent.end())
      absent.push_back(device);
  if (absent.empty()) return;
  std::vector<std::string> names;
  for (const platforms::Device& device : cluster.devices)
    names.push_back(device.name);
  request.problem("--platform", fmt::format("{} has no device {}, for which the split was made; it has {}",
                                            cluster.name, fmt::join(absent, ", "), fmt::join(names, ", ")));
}

std::optional<mpi::Deployment> read_split(const SmpiInputs& inputs, const Record& record, Request& request) {
  SplitInputs split;
  split.network = record.network;
  split.mapping = (fs::path(inputs.folder) / "mapping.json").string();
  split.platform = inputs.platform;
  split.oversubscribe = true;  // the split was allowed to
  split.weights = false;
  return read(split, request);
}

/// Whether the folder's program is the one of its model and mapping, whatever the trained numbers.
void check_program(const std::string& folder, const mpi::Deployment& deployment, Request& request) {
  std::ifstream stream(fs::path(folder) / "main.cpp");
  const std::string found{std::istreambuf_iterator<char>(stream), {}};
  std::vector<mpi::RankPlan> plans;
  for (Rank rank = 0; rank < deployment.split.ranks.size(); ++rank)
    plans.push_back(mpi::plan_rank(deployment.network, deployment.split, rank, {}));
  std::string expected = mpi::program_text(deployment, plans, 0);
  const std::string hash = fmt::format("0x{:016x}ULL", 0);
  const std::size_t place = expected.rfind(hash);
  if (place < found.size()) expected.replace(place, hash.size(), found.substr(place, hash.size()));
  if (found != expected)
    request.problem("--smpi",
                    fmt::format("\"{}/main.cpp\" is not the program of that folder's model and mapping; split "
                                "again",
                                folder));
}

/// Of one of the two ways to run the mapping.
struct Rates {
  double makespan_s = 0, period_s = 0;

  double throughput_per_s() const { return 1 / period_s; }
};

Rates rates_of(const pipeline::Run& run, std::uint64_t warm_up) {
  return {static_cast<double>(run.makespan_ns) * 1e-9, pipeline::period_s(run, warm_up)};
}

/// The program itself and the simulator.
struct Comparison {
  Rates charged, simulated;
};

Comparison compare(const SmpiInputs& inputs, const mpi::Deployment& deployment, const pipeline::ClusterModel& cluster,
                   const pipeline::Options& options) {
  const platforms::Efficiencies efficiencies = platforms::load_efficiencies();
  pipeline::LayerTimeTables times(deployment.network, cluster, efficiencies);
  std::vector<pipeline::Placement> placements;
  std::vector<Rank> ranks(deployment.network.nodes().size(), pipeline::no_rank);
  for (Rank rank = 0; rank < deployment.resources.size(); ++rank) {
    placements.push_back(times.place(deployment.resources[rank]));
    for (const models::NodeId layer : deployment.split.ranks[rank].layers)
      ranks[layer] = rank;
  }
  const pipeline::Workload workload(deployment.network);
  pipeline::Simulator simulate(workload, cluster.machine());
  const pipeline::Result simulated = simulate(ranks, placements, options);

  const smpi::TemporaryFolder folder;
  const fs::path program = folder.path() / "program";
  smpi::ChargedLibrary(folder.path()).compile(fs::path(inputs.folder) / "main.cpp", program);
  const pipeline::Run charged =
      smpi::run_charged(program, smpi::charged_costs(deployment, simulate.program(), cluster.machine()), placements,
                        cluster.machine(), {options.communication, options.warm_up, options.frames}, folder.path());
  return {rates_of(charged, options.warm_up), rates_of(simulated.run, options.warm_up)};
}

void print(const Comparison& both, const mpi::Deployment& deployment, const pipeline::ClusterModel& cluster,
           const pipeline::Options& options) {
  fmt::print("{} on {}: {} ranks, {} frames, the first {} to warm up; --comm {}\n\n", deployment.model,
             cluster.cluster().name, deployment.split.ranks.size(), options.warm_up + options.frames, options.warm_up,
             to_string(options.communication));
  Table table({{""}, {"smpirun", true}, {"simulator", true}, {"ratio", true}});
  const auto row = [&](const std::string& name, double charged, double simulated, const auto& text) {
    table.row({name, text(charged), text(simulated), fmt::format("{:.5f}", charged / simulated)});
  };
  const auto seconds = [](double value) { return platforms::format_seconds(value); };
  row("throughput, frames/s", both.charged.throughput_per_s(), both.simulated.throughput_per_s(),
      [](double value) { return fmt::format("{:.4g}", value); });
  row("period", both.charged.period_s, both.simulated.period_s, seconds);
  row("makespan", both.charged.makespan_s, both.simulated.makespan_s, seconds);
  fmt::print("{}", table.text());
}

ordered_json json_of(const Rates& rates) {
  return {
      {"makespan_s", rates.makespan_s}, {"period_s", rates.period_s}, {"throughput_per_s", rates.throughput_per_s()}};
}

void write_json(const SmpiInputs& inputs, const Comparison& both, const mpi::Deployment& deployment,
                const pipeline::ClusterModel& cluster, const pipeline::Options& options) {
  const ordered_json json = {{"spillway", SPILLWAY_VERSION},
                             {"command", inputs.command},
                             {"model", deployment.model},
                             {"cluster", cluster.cluster().name},
                             {"comm", to_string(options.communication)},
                             {"warm_up_frames", options.warm_up},
                             {"measured_frames", options.frames},
                             {"smpirun", json_of(both.charged)},
                             {"simulator", json_of(both.simulated)},
                             {"makespan_ratio", both.charged.makespan_s / both.simulated.makespan_s}};
  trace::write_file(*inputs.json, json.dump(2) + "\n");
  fmt::print("\n{:<12}{}\n", "JSON", *inputs.json);
}

}  // namespace

void run_smpi(const SmpiInputs& inputs, const std::optional<pipeline::ClusterModel>& cluster, pipeline::Options options,
              Request& request) {
  if (!smpi::is_installed())
    request.problem("--smpi", "smpicxx and smpirun are not installed; expected SimGrid's (libsimgrid-dev)");
  const std::optional<Record> record = read_record(inputs.folder, request);
  if (record && cluster) check_devices(*record, cluster->cluster(), request);
  request.check();
  const std::optional<mpi::Deployment> deployment = read_split(inputs, *record, request);
  if (deployment) check_program(inputs.folder, *deployment, request);
  request.check();

  options.driver = pipeline::Driver::simgrid;
  options.every_layer = true;
  const Comparison both = compare(inputs, *deployment, *cluster, options);
  print(both, *deployment, *cluster, options);
  if (inputs.json) write_json(inputs, both, *deployment, *cluster, options);
}

}  // namespace spillway::cli
