#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "experiments/cli/cluster_option.hpp"
#include "experiments/cli/layer_times_option.hpp"
#include "experiments/cli/pipeline_report.hpp"
#include "experiments/cli/pipeline_smpi.hpp"
#include "experiments/cli/request.hpp"
#include "experiments/cli/split_inputs.hpp"
#include "experiments/cli/verbs.hpp"
#include "platforms/efficiencies.hpp"
#include "platforms/units.hpp"
#include "sim/trace/output_file.hpp"

namespace spillway::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_frames = 100'000;

struct Options {
  SplitInputs inputs;
  std::string communication = "overlap", driver = "virtual-clock", wait = "sleep", progress = "async";
  std::string frames = "20", warm_up = "4";
  std::optional<std::string> trace, json, output, smpi, layer_times;
  bool allow_overcommit = false;
};

pipeline::Options read_run(const Options& options, Request& request) {
  pipeline::Options run;
  run.communication = read_communication(options.communication, request);
  run.driver = read_driver("--driver", options.driver, request);
  run.wait = read_wait(options.wait, request);
  run.progress = read_progress(options.progress, request);
  run.frames = request.number("--frames", options.frames, 1, most_frames);
  run.warm_up = request.number("--warm-up", options.warm_up, 0, most_frames);
  if (options.trace) request.writable_file("--trace", *options.trace);
  if (options.json) request.writable_file("--json", *options.json);
  if (options.output) {
    std::error_code error;
    if (fs::exists(*options.output, error) && !fs::is_directory(*options.output, error))
      request.problem("--output", fmt::format("\"{}\" is a file; expected a folder", *options.output));
    else if (fs::exists(*options.output, error) && !fs::is_empty(*options.output, error) &&
             !fs::exists(fs::path(*options.output) / "ranks.csv", error))
      request.problem("--output", fmt::format("\"{}\" holds other files; expected a new folder", *options.output));
  }
  return run;
}

/// Whether some board has less memory than its ranks need; without `allowed` that is a mistake of the mapping.
bool check_memory(const pipeline::Result& result, const pipeline::Program& program, const pipeline::Machine& machine,
                  bool allowed, Request& request) {
  bool overcommitted = false;
  for (std::size_t device = 0; device < machine.devices.size(); ++device) {
    const double has = machine.devices[device].memory_bytes;
    if (static_cast<double>(result.device_memory[device]) <= has) continue;
    overcommitted = true;
    if (allowed) continue;
    request.problem(
        "--mapping",
        fmt::format("{} needs {} but has {}: {}; move layers to other boards, or simulate all the same "
                    "with --allow-overcommit",
                    machine.devices[device].name, platforms::format_bytes(result.device_memory[device]),
                    platforms::format_bytes(static_cast<std::uint64_t>(has)), memory_text(result, program, device)));
  }
  return overcommitted;
}

void write_files(const CLI::App& verb, const Options& options, const PipelineRun& run) {
  const std::string json = to_json(run, command_line(verb));
  if (options.json) {
    trace::write_file(*options.json, json);
    fmt::print("{:<12}{}\n", "JSON", *options.json);
  }
  if (!options.output) return;
  const fs::path folder = *options.output;
  fs::create_directories(folder);
  trace::write_file(folder / "ranks.csv", ranks_csv(run));
  trace::write_file(folder / "boards.csv", boards_csv(run));
  trace::write_file(folder / "mapping.json", mapping_text(run.deployment));
  trace::write_file(folder / "run.json", json);
  fmt::print("{:<12}{}: run.json, ranks.csv, boards.csv, mapping.json\n", "results", folder.string());
}

/// What a folder that was split leaves nothing to say about, or what only the simulator's own report has.
void refuse_others(const CLI::App& verb, Request& request) {
  for (const char* name : {"NETWORK", "--dim", "--mapping", "--vertical", "--oversubscribe"})
    if (verb.get_option(name)->count() > 0) request.problem(name, "is given, but --smpi takes it from its folder");
  for (const char* name :
       {"--driver", "--wait", "--progress", "--layer-times", "--allow-overcommit", "--trace", "--output"})
    if (verb.get_option(name)->count() > 0)
      request.problem(name, "is not for --smpi; expected --comm, --frames, --warm-up or --json");
}

void run(const CLI::App& verb, const Options& options) {
  Request request(verb);
  pipeline::Options how = read_run(options, request);
  const std::optional<pipeline::ClusterModel> cluster = read_cluster(options.inputs.platform, request);
  if (options.smpi) {
    refuse_others(verb, request);
    return run_smpi({*options.smpi, options.inputs.platform, options.json, command_line(verb)}, cluster, how, request);
  }
  std::optional<mpi::Deployment> deployment;
  if (cluster) {
    deployment = read(options.inputs, request);
  } else {
    read(options.inputs.network, request);  // its mistakes are told all the same
  }
  std::vector<cost::LayerTime> measured;
  if (options.layer_times) {
    measured = read_layer_times("--layer-times", *options.layer_times, request);
    if (deployment && !measured.empty() &&
        std::ranges::none_of(measured, [&](const auto& time) { return time.network == deployment->network.name(); }))
      request.problem("--layer-times", fmt::format("{} has no times of {}", *options.layer_times, deployment->model));
  }
  request.check();

  const platforms::Efficiencies efficiencies = platforms::load_efficiencies();
  pipeline::LayerTimeTables times(deployment->network, *cluster, efficiencies, measured);
  std::vector<pipeline::Placement> placements;
  for (const platforms::Resource& resource : deployment->resources)
    placements.push_back(times.place(resource));
  std::vector<split::Rank> ranks(deployment->network.nodes().size(), pipeline::no_rank);
  for (split::Rank rank = 0; rank < placements.size(); ++rank)
    for (const models::NodeId layer : deployment->split.ranks[rank].layers)
      ranks[layer] = rank;

  const pipeline::Workload workload(deployment->network);
  pipeline::Simulator simulate(workload, cluster->machine());
  pipeline::Timeline timeline;
  if (options.trace) {
    how.timeline = &timeline;
    how.every_layer = true;
  }
  const pipeline::Result result = simulate(ranks, placements, how);
  const bool overcommitted =
      check_memory(result, simulate.program(), cluster->machine(), options.allow_overcommit, request);
  request.check();

  const PipelineRun report{*deployment, *cluster, simulate.program(), how, result, overcommitted};
  fmt::print("{}", for_people(report));
  if (options.trace) {
    pipeline::write_chrome_trace(*options.trace, timeline, simulate.program(), cluster->machine(), workload);
    fmt::print("\n{:<12}{}; open it in Perfetto (ui.perfetto.dev)\n", "trace", *options.trace);
  }
  write_files(verb, options, report);
}

}  // namespace

void add_pipeline(CLI::App& app, Outcome& outcome) {
  CLI::App& verb =
      add_verb(app, "pipeline", "Simulates a network split over a cluster: throughput, energy, memory, trace");
  const auto options = std::make_shared<Options>();
  options->inputs.weights = false;
  options->inputs.add_to(verb);
  const auto add = [&verb](const std::string& name, auto& value, const std::string& text, const std::string& type) {
    return verb.add_option(name, value, text)->type_name(type);
  };
  add("--comm", options->communication, "Receive while computing (overlap), or one after the other (paper)", "MODE")
      ->capture_default_str();
  add("--driver", options->driver, "The clock: virtual-clock or simgrid", "DRIVER")->capture_default_str();
  add("--wait", options->wait, "A waiting rank sleeps, or keeps its core busy (spin) as Open MPI's own waits", "HOW")
      ->capture_default_str();
  add("--progress", options->progress,
      "Messages move all the time (async), or when their ranks call the MPI library (calls) as Open MPI's do over TCP",
      "HOW")
      ->capture_default_str();
  add("--layer-times", options->layer_times,
      "Times that `spillway measure --layers` wrote, for the cores of every board in place of the cost model's",
      "FILE");
  add("--frames", options->frames, "Measured frames, all there from the start", "N")->capture_default_str();
  add("--warm-up", options->warm_up, "Frames before the measured ones", "N")->capture_default_str();
  verb.add_flag("--allow-overcommit", options->allow_overcommit,
                "Simulates a mapping that needs more memory than a board has, and says so");
  add("--smpi", options->smpi,
      "In place of a network: runs the program itself that `spillway split` made, compiled by smpicxx, under smpirun, "
      "and shows it beside the simulator",
      "DIR");
  add("--trace", options->trace, "Writes the timeline for Perfetto (Chrome trace-event JSON)", "FILE");
  add("--json", options->json, "Writes the result as JSON", "FILE");
  add("--output", options->output, "Writes result, ranks, boards and mapping into a folder", "DIR");
  verb.footer(
      "--smpi: the program's MPI calls run on SimGrid's SMPI, its layers take the times of the cost model. It needs no "
      "GPU,\nno trained numbers and no input; --comm, --frames, --warm-up and --json are as without it.");
  verb.callback([&verb, options, &outcome] {
    run(verb, *options);
    outcome.code = ExitCode::done;
  });
}

}  // namespace spillway::cli
