#include "experiments/cli/pipeline_report.hpp"

#include <cstdint>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "experiments/cli/table.hpp"
#include "experiments/csv.hpp"
#include "platforms/units.hpp"

namespace spillway::cli {
namespace {

using nlohmann::ordered_json;
using pipeline::Placement;
using pipeline::RankMemory;
using pipeline::RankTimes;
using platforms::format_bytes;
using platforms::format_quantity;
using platforms::format_seconds;
using platforms::Unit;
using split::Rank;

/// Share of the run.
double share(const PipelineRun& run, std::uint64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / static_cast<double>(run.result.run.makespan_ns);
}

std::string percent(double value) {
  return fmt::format("{:.1f} %", 100 * value);
}

std::string rates_text(const PipelineRun& run) {
  const pipeline::Result& result = run.result;
  std::string text = fmt::format("{} on {}: {} rank{}\n\n", run.deployment.model, run.cluster.cluster().name,
                                 run.program.ranks.size(), run.program.ranks.size() == 1 ? "" : "s");
  text +=
      report_line("run", fmt::format("{} frames, the first {} to warm up; --comm {}, waits {}, progress {}, driver {}",
                                     run.options.warm_up + run.options.frames, run.options.warm_up,
                                     to_string(run.options.communication), to_string(run.options.wait),
                                     to_string(run.options.progress), to_string(run.options.driver)));
  text += report_line("throughput", fmt::format("{:.3g} frames/s, one every {}", result.throughput_per_s,
                                                format_seconds(result.period_s)));
  text += report_line("latency", format_seconds(result.latency_s));
  text += report_line("energy", fmt::format("at most {} a frame on one board",
                                            format_quantity(result.highest_energy_per_frame_j(), Unit::joules)));
  text += report_line("memory", fmt::format("at most {} on one board{}", format_bytes(result.highest_memory()),
                                            run.overcommitted ? "; more than a board has" : ""));
  return text + '\n';
}

std::string ranks_text(const PipelineRun& run) {
  Table table({{"rank", true},
               {"key"},
               {"layers", true},
               {"computes", true},
               {"MPI", true},
               {"waits to receive", true},
               {"waits to send", true},
               {"memory", true}});
  for (Rank rank = 0; rank < run.program.ranks.size(); ++rank) {
    const RankTimes& times = run.result.run.ranks[rank];
    const split::SubModel& part = run.deployment.split.ranks[rank];
    table.row({std::to_string(rank), part.key, std::to_string(part.layers.size()),
               percent(share(run, times.compute_ns)), percent(share(run, times.call_ns)),
               percent(share(run, times.receive_wait_ns)), percent(share(run, times.send_wait_ns)),
               format_bytes(run.result.rank_memory[rank].total())});
  }
  return table.text();
}

std::string boards_text(const PipelineRun& run) {
  Table table({{"board"},
               {"energy a frame", true},
               {"idle", true},
               {"cores", true},
               {"GPU", true},
               {"waits", true},
               {"network", true},
               {"memory", true},
               {"sends a frame", true},
               {"receives a frame", true}});
  const pipeline::Machine& machine = run.cluster.machine();
  const double frames = static_cast<double>(run.options.warm_up + run.options.frames);
  for (std::size_t device = 0; device < machine.devices.size(); ++device) {
    const pipeline::DeviceEnergy& energy = run.result.energy[device];
    const auto joules = [&](double value) { return format_quantity(value / frames, Unit::joules); };
    table.row({machine.devices[device].name, joules(energy.total_j()), joules(energy.idle_j), joules(energy.compute_j),
               joules(energy.gpu_j), joules(energy.wait_j), joules(energy.network_j),
               format_bytes(run.result.device_memory[device]), format_bytes(run.result.traffic[device].sent),
               format_bytes(run.result.traffic[device].received)});
  }
  return table.text();
}

ordered_json json_of(const RankMemory& memory) {
  return {{"process_bytes", memory.process},
          {"weights_bytes", memory.weights},
          {"tensors_bytes", memory.tensors},
          {"buffers_bytes", memory.buffers},
          {"total_bytes", memory.total()}};
}

ordered_json json_of_ranks(const PipelineRun& run) {
  ordered_json ranks = ordered_json::array();
  for (Rank rank = 0; rank < run.program.ranks.size(); ++rank) {
    const RankTimes& times = run.result.run.ranks[rank];
    const Placement& placement = run.program.ranks[rank].placement;
    ranks.push_back({{"key", run.deployment.split.ranks[rank].key},
                     {"board", run.cluster.machine().devices[placement.device].name},
                     {"gpu", placement.gpu},
                     {"threads", placement.threads},
                     {"layers", run.deployment.split.ranks[rank].layers.size()},
                     {"compute_s", seconds(times.compute_ns)},
                     {"mpi_s", seconds(times.call_ns)},
                     {"receive_wait_s", seconds(times.receive_wait_ns)},
                     {"send_wait_s", seconds(times.send_wait_ns)},
                     {"memory", json_of(run.result.rank_memory[rank])}});
  }
  return ranks;
}

ordered_json json_of_boards(const PipelineRun& run) {
  ordered_json boards = ordered_json::array();
  for (std::size_t device = 0; device < run.cluster.machine().devices.size(); ++device) {
    const pipeline::DeviceEnergy& energy = run.result.energy[device];
    boards.push_back({{"board", run.cluster.machine().devices[device].name},
                      {"idle_j", energy.idle_j},
                      {"compute_j", energy.compute_j},
                      {"gpu_j", energy.gpu_j},
                      {"wait_j", energy.wait_j},
                      {"network_j", energy.network_j},
                      {"energy_j", energy.total_j()},
                      {"energy_per_frame_j", run.result.energy_per_frame_j[device]},
                      {"memory_bytes", run.result.device_memory[device]},
                      {"sent_per_frame_bytes", run.result.traffic[device].sent},
                      {"received_per_frame_bytes", run.result.traffic[device].received}});
  }
  return boards;
}

/// A list of flat records as CSV, the keys of the first one as headings.
std::string csv_of(const ordered_json& records) {
  std::vector<std::string> headings;
  for (const auto& [key, value] : records.front().items())
    headings.push_back(key);
  std::string text = experiments::csv_line(headings);
  for (const ordered_json& record : records) {
    std::vector<std::string> cells;
    for (const std::string& key : headings)
      cells.push_back(record.at(key).is_string() ? record.at(key).get<std::string>() : record.at(key).dump());
    text += experiments::csv_line(cells);
  }
  return text;
}

}  // namespace

std::string_view to_string(split::Communication communication) {
  return communication == split::Communication::paper ? "paper" : "overlap";
}

std::string_view to_string(pipeline::Driver driver) {
  return driver == pipeline::Driver::virtual_clock ? "virtual-clock" : "simgrid";
}

std::string_view to_string(pipeline::Wait wait) {
  return wait == pipeline::Wait::spin ? "spin" : "sleep";
}

std::string_view to_string(pipeline::Progress progress) {
  return progress == pipeline::Progress::calls ? "calls" : "async";
}

std::string memory_text(const pipeline::Result& result, const pipeline::Program& program, std::size_t device) {
  RankMemory sum;
  for (Rank rank = 0; rank < program.ranks.size(); ++rank) {
    if (program.ranks[rank].placement.device != device) continue;
    const RankMemory& memory = result.rank_memory[rank];
    sum.process += memory.process;
    sum.weights += memory.weights;
    sum.tensors += memory.tensors;
    sum.buffers += memory.buffers;
  }
  return fmt::format("weights {}, its own tensors {}, tensors sent and received {}, processes {}",
                     format_bytes(sum.weights), format_bytes(sum.tensors), format_bytes(sum.buffers),
                     format_bytes(sum.process));
}

std::string for_people(const PipelineRun& run) {
  return rates_text(run) + ranks_text(run) + '\n' + boards_text(run);
}

std::string to_json(const PipelineRun& run, const std::string& command) {
  const pipeline::Result& result = run.result;
  const ordered_json json = {{"spillway", SPILLWAY_VERSION},
                             {"command", command},
                             {"model", run.deployment.model},
                             {"cluster", run.cluster.cluster().name},
                             {"comm", to_string(run.options.communication)},
                             {"wait", to_string(run.options.wait)},
                             {"progress", to_string(run.options.progress)},
                             {"driver", to_string(run.options.driver)},
                             {"warm_up_frames", run.options.warm_up},
                             {"measured_frames", run.options.frames},
                             {"overcommitted", run.overcommitted},
                             {"makespan_s", seconds(result.run.makespan_ns)},
                             {"period_s", result.period_s},
                             {"throughput_per_s", result.throughput_per_s},
                             {"latency_s", result.latency_s},
                             {"highest_energy_per_frame_j", result.highest_energy_per_frame_j()},
                             {"highest_memory_bytes", result.highest_memory()},
                             {"ranks", json_of_ranks(run)},
                             {"boards", json_of_boards(run)}};
  return json.dump(2) + "\n";
}

std::string ranks_csv(const PipelineRun& run) {
  ordered_json ranks = json_of_ranks(run);
  for (ordered_json& rank : ranks) {
    const ordered_json memory = rank["memory"];
    rank.erase("memory");
    for (const auto& [key, value] : memory.items())
      rank[key] = value;
  }
  return csv_of(ranks);
}

std::string boards_csv(const PipelineRun& run) {
  return csv_of(json_of_boards(run));
}

}  // namespace spillway::cli
