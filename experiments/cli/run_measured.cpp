#include "experiments/cli/run_measured.hpp"

#include <cstdint>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "experiments/cli/table.hpp"
#include "experiments/execution/time_errors.hpp"
#include "hw/stm32/image/memory.hpp"
#include "platforms/problems.hpp"
#include "sim/core/layout.hpp"
#include "sim/swap/service_times.hpp"
#include "sim/swap/simulate.hpp"
#include "sim/trace/output_file.hpp"
#include "sim/trace/wire_reader.hpp"

namespace spillway::cli {
namespace {

using experiments::LayerTime;

platforms::InputError refusal(const std::string& file, const std::string& what) {
  return platforms::InputError({platforms::Problem{file, 0, 0, "--measured", what}});
}

/// The records of a whole run of the plan.
std::vector<trace::Record> read_records(const std::string& path, const experiments::QuantizedRun& program,
                                        std::uint64_t tasks) {
  const trace::WireTrace trace = trace::read_wire_trace(path);
  if (!trace.start) throw refusal(path, "holds no trace of a firmware (sim/trace/README.md)");
  if (trace.start->plan_hash != static_cast<std::uint32_t>(program.image().identity().plan))
    throw refusal(path, fmt::format("is the trace of another plan: \"{}\" ran it; expected this network, --sram, "
                                    "--buffer, --rule, --frames and --window",
                                    trace.start->program));
  std::vector<trace::Record> records = trace.records();
  if (records.size() != tasks) throw refusal(path, fmt::format("has {} of the plan's {} tasks", records.size(), tasks));
  return records;
}

/// Of the firmware that runs the plan.
std::uint32_t landing_bytes(const experiments::QuantizedRun& program) {
  try {
    return stm32::memory_of(program.plan(), program.image().operators(), program.layers()).landing_sectors *
           static_cast<std::uint32_t>(core::sector_bytes);
  } catch (const stm32::FirmwareTooLarge& error) {
    throw platforms::InputError({platforms::Problem{"", 0, 0, "NETWORK", error.what()}});
  }
}

std::string milliseconds(std::uint64_t nanoseconds) {
  return fmt::format("{:.3f} ms", static_cast<double>(nanoseconds) / 1e6);
}

std::string error(std::uint64_t foretold, std::uint64_t measured) {
  if (measured == 0) return "-";
  return fmt::format("{:+.1f} %", (static_cast<double>(foretold) / static_cast<double>(measured) - 1) * 100);
}

/// Times under one name, of the whole run and by layer.
struct Foretold {
  std::string name;
  std::uint64_t makespan_ns = 0;
  std::vector<LayerTime> layers;
};

std::string layer_table(const std::vector<std::string>& names, std::span<const LayerTime> measured,
                        std::span<const Foretold> all) {
  std::vector<Table::Column> columns = {{"layer"}, {"IO", true}};
  for (const Foretold& each : all)
    columns.push_back({each.name, true});
  columns.push_back({"compute", true});
  for (const Foretold& each : all)
    columns.push_back({each.name, true});
  Table table(columns);
  for (std::size_t row = 0; row < measured.size(); ++row) {
    std::vector<std::string> cells = {names[row], milliseconds(measured[row].io)};
    for (const Foretold& each : all)
      cells.push_back(error(each.layers[row].io, measured[row].io));
    cells.push_back(milliseconds(measured[row].compute));
    for (const Foretold& each : all)
      cells.push_back(error(each.layers[row].compute, measured[row].compute));
    table.row(cells);
  }
  return table.text();
}

}  // namespace

std::string judge_measured(const MeasuredRequest& asked, const tiling::SwapPlan& plan,
                           const experiments::QuantizedRun& program, const platforms::Board& board,
                           const platforms::Card& card) {
  const swap::Result simulated = swap::simulate(plan, board, card);
  const std::vector<trace::Record> records =
      read_records(asked.trace, program, simulated.io_tasks() + simulated.compute_tasks());
  const core::Plan& view = program.plan();
  const std::size_t rows = view.layers.size();
  const experiments::CarriedPlan carried{view, program.image().map(), landing_bytes(program)};
  const std::vector<LayerTime> measured = experiments::measured_layers(rows, records);
  const std::uint64_t makespan = experiments::makespan_of(records);

  const swap::ServiceTimes service(view, board, card);
  std::vector<Foretold> all = {
      {"simulated", simulated.makespan_ns, experiments::foretold_layers(rows, records, [&](const core::Task& task) {
         return service.of(task).duration_ns;
       })}};
  if (asked.times) {
    const experiments::TaskTimes times = asked.times->with(card);
    all.push_back({"predicted", experiments::makespan_of(experiments::predicted_run(carried, times)),
                   experiments::foretold_layers(rows, records, times.durations(carried))});
  }
  std::string text = layer_table(plan.layer_names, measured, all) + "\n";
  text += report_line("measured", milliseconds(makespan));
  for (const Foretold& each : all) {
    const experiments::LayerErrors layers = experiments::errors_of(each.layers, measured);
    text += report_line(each.name,
                        fmt::format("{}: {}; layers, mean absolute: IO {:.1f} %, compute {:.1f} %, both {:.1f} %",
                                    milliseconds(each.makespan_ns), error(each.makespan_ns, makespan), layers.io * 100,
                                    layers.compute * 100, layers.both * 100));
  }
  if (asked.calibrate) {
    experiments::TaskTimes times = experiments::fit_times(carried, records);
    times.card = experiments::card_times(card);
    experiments::write_times(*asked.calibrate, times);
    text += report_line("times", *asked.calibrate);
  }
  return text;
}

}  // namespace spillway::cli
