#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/cli/calibrate_card.hpp"
#include "experiments/cli/calibrate_trace.hpp"
#include "experiments/cli/layer_report.hpp"
#include "experiments/cli/layer_times_option.hpp"
#include "experiments/cli/request.hpp"
#include "experiments/cli/table.hpp"
#include "experiments/cli/verbs.hpp"
#include "platforms/computer.hpp"
#include "platforms/efficiencies.hpp"
#include "platforms/measurements.hpp"
#include "sim/cost/calibration.hpp"
#include "sim/cost/layer_times.hpp"
#include "sim/cost/ratios.hpp"
#include "sim/trace/output_file.hpp"

namespace spillway::cli {
namespace {

namespace fs = std::filesystem;
using cost::CallClass;
using cost::Judgement;
using cost::Part;

constexpr std::array all_classes = {CallClass::one_core, CallClass::some_cores, CallClass::all_cores, CallClass::gpu};

struct Options {
  std::string measurements = "ncnn";
  std::vector<std::string> boards, networks;
  std::optional<std::string> write, layers, transfers;
  std::optional<std::string> board;
  bool judge = false;
  TraceCalibrationOptions trace;
};

std::string percent(std::optional<double> share) {
  return share ? fmt::format("{:.1f} %", *share * 100) : "-";
}

/// Mean absolute errors by class and part; where outliers change one, the value without them stands behind it.
Table error_table(const std::vector<Judgement>& judgements, const std::vector<Part>& parts, bool judged_only) {
  std::vector<Table::Column> columns = {{"class"}};
  for (const Part part : parts)
    columns.push_back({judged_only ? "not fitted" : std::string(to_string(part)), true});
  Table table(columns);
  for (const CallClass call_class : all_classes) {
    std::vector<std::string> cells = {std::string(to_string(call_class))};
    for (const Part part : parts) {
      const std::optional<double> all = mean_error(judgements, call_class, part, true);
      const std::optional<double> without = mean_error(judgements, call_class, part, false);
      cells.push_back(percent(all) + (all == without ? "" : fmt::format(" ({})", percent(without))));
    }
    const bool has_any =
        std::ranges::any_of(judgements, [&](const Judgement& each) { return each.call_class == call_class; });
    if (has_any) table.row(cells);
  }
  return table;
}

std::vector<std::string> networks_of(const std::vector<Judgement>& judgements) {
  std::vector<std::string> networks;
  for (const Judgement& judgement : judgements)
    if (std::ranges::find(networks, judgement.measured.network) == networks.end())
      networks.push_back(judgement.measured.network);
  return networks;
}

bool same_row(const Judgement& a, const Judgement& b) {
  return a.measured.board == b.measured.board && a.measured.gpu == b.measured.gpu &&
         a.measured.threads == b.measured.threads;
}

std::string error_cell(const Judgement& judgement) {
  const char* const mark = judgement.measured.outlier ? "!" : judgement.part == Part::fitted ? "" : "*";
  return fmt::format("{}{:+.0f} %", mark, judgement.relative_error() * 100);
}

/// The relative error of every time, a row for each board and way to compute.
Table detail_table(const std::vector<Judgement>& judgements) {
  const std::vector<std::string> networks = networks_of(judgements);
  std::vector<Table::Column> columns = {{"board"}, {"class"}, {"threads", true}};
  for (const std::string& network : networks)
    columns.push_back({network, true});
  Table table(columns);
  for (auto begin = judgements.begin(); begin != judgements.end();) {
    const auto end =
        std::find_if_not(begin, judgements.end(), [&](const Judgement& each) { return same_row(each, *begin); });
    const platforms::Measurement& row = begin->measured;
    std::vector<std::string> cells = {row.board, row.gpu ? "GPU" : "CPU", row.gpu ? "-" : std::to_string(row.threads)};
    for (const std::string& network : networks) {
      const auto cell =
          std::find_if(begin, end, [&](const Judgement& each) { return each.measured.network == network; });
      cells.push_back(cell == end ? "-" : error_cell(*cell));
    }
    table.row(cells);
    begin = end;
  }
  return table;
}

void print_shares(const cost::Calibration& calibration) {
  Table table({{"share of"}, {"kind"}, {"CPU", true}, {"GPU", true}});
  const platforms::Efficiency &cpu = calibration.efficiencies.cpu, &gpu = calibration.efficiencies.gpu;
  for (std::size_t kind = 0; kind < platforms::compute_kinds.size(); ++kind)
    table.row({"peak", std::string(platforms::compute_kinds[kind]), fmt::format("{:.3g}", cpu.peak[kind].value),
               fmt::format("{:.3g}", gpu.peak[kind].value)});
  for (std::size_t kind = 0; kind < platforms::memory_kinds.size(); ++kind)
    table.row({"bandwidth", std::string(platforms::memory_kinds[kind]),
               fmt::format("{:.3g}", cpu.bandwidth[kind].value), fmt::format("{:.3g}", gpu.bandwidth[kind].value)});
  fmt::print("{}\n", table.text());
}

void print_errors(const std::vector<Judgement>& judgements, bool judged_only) {
  const std::vector<Part> parts = judged_only
                                      ? std::vector<Part>{Part::held_out_board}
                                      : std::vector<Part>{Part::fitted, Part::held_out_network, Part::held_out_board};
  fmt::print("mean absolute error of the predicted times (without outliers)\n{}\n",
             error_table(judgements, parts, judged_only).text());
  fmt::print("predicted against measured; * was not fitted, ! is an outlier\n{}", detail_table(judgements).text());
}

/// The computers whose launch and spin power come from published ratios, each behind the one without.
void print_ratio_fits(const cost::Calibration& calibration) {
  Table table({{"board"},
               {"network"},
               {"GPU / all cores: throughput", true},
               {"energy", true},
               {"launch of the GPU", true},
               {"spin power", true}});
  bool any = false;
  const auto row = [&](const platforms::Computer& computer, const platforms::PublishedRatios& published) {
    platforms::Computer of_network = computer;
    of_network.ratios = published;
    const cost::BoardRatios ratios = cost::ratios_of(of_network, calibration.efficiencies);
    table.row({computer.name, published.network, fmt::format("{:.3f}", ratios.throughput),
               fmt::format("{:.4f}", ratios.energy), fmt::format("{:.1f} us", computer.gpu->calls.launch.value * 1e6),
               fmt::format("{:.3g} W", computer.spin_power.value)});
  };
  for (const platforms::Computer& fitted : calibration.computers) {
    if (!fitted.ratios) continue;
    any = true;
    for (const platforms::Computer& other : calibration.computers)
      if (other.gpu && !other.ratios && other.like == fitted.like) row(other, *fitted.ratios);
    row(fitted, *fitted.ratios);
  }
  if (any) fmt::print("\nfitted to published ratios of one board, behind the board that is not\n{}", table.text());
}

/// Each file appears whole or not at all.
void write_parts(const fs::path& folder, const cost::Calibration& calibration) {
  std::error_code error;
  fs::create_directories(folder / "computers", error);
  if (error) throw trace::FileError(folder, fmt::format("{}: {}", (folder / "computers").string(), error.message()));
  trace::write_file(folder / "efficiencies.yaml", to_yaml(calibration.efficiencies));
  for (const platforms::Computer& computer : calibration.computers)
    trace::write_file(folder / "computers" / (computer.name + ".yaml"), to_yaml(computer));
  fmt::print("\n{}: efficiencies.yaml and {} files in computers\n", folder.string(), calibration.computers.size());
}

std::vector<platforms::Computer> all_computers() {
  std::vector<platforms::Computer> computers;
  for (const std::string& name : platforms::computer_names())
    computers.push_back(platforms::load_computer(name));
  return computers;
}

std::optional<platforms::Measurements> read_measurements(const std::string& name, Request& request) {
  try {
    return platforms::load_measurements(name);
  } catch (const platforms::InputError& error) {
    for (platforms::Problem problem : error.problems()) {
      if (problem.file.empty()) problem.key = "--measurements";
      request.problem(problem);
    }
    return std::nullopt;
  }
}

void refuse_trace_options(const Options& options, Request& request) {
  if (options.trace.asks_for_more())
    request.problem("--trace", "is missing; NETWORK, --clock, --hold-out, --write-board and --write-card belong to it");
}

/// Fits one computer to the times of its layers.
void calibrate_layers(const CLI::App& verb, const Options& options) {
  Request request(verb);
  const std::vector<cost::LayerTime> times = read_layer_times("--layers", *options.layers, request);
  std::optional<platforms::Computer> computer;
  try {
    computer = platforms::load_computer(options.board.value_or("this-machine"));
  } catch (const platforms::InputError& error) {
    request.problems(error);
  }
  if (options.judge || !options.boards.empty() || !options.networks.empty())
    request.problem("--layers", "one board is fitted to all of its layers; expected neither --judge nor --fit-...");
  if (options.write) request.writable_file("--write", (fs::path(*options.write) / "computers").string() + "/NAME");
  refuse_trace_options(options, request);
  request.check();
  *computer = fit_layers(std::move(*computer), times, "layers in " + fs::path(*options.layers).filename().string());
  print_layer_fit(*computer, times);
  if (options.write)
    trace::write_file(fs::path(*options.write) / "computers" / (computer->name + ".yaml"), to_yaml(*computer));
}

void calibrate(const CLI::App& verb, const Options& options) {
  Request request(verb);
  const std::optional<platforms::Measurements> measurements = read_measurements(options.measurements, request);
  cost::CalibrationChoice choice = cost::default_choice();
  if (!options.boards.empty()) choice.boards = options.boards;
  if (!options.networks.empty()) choice.networks = options.networks;
  if (options.judge && (options.write || !options.boards.empty() || !options.networks.empty()))
    request.problem("--judge", "nothing is fitted; expected neither --fit-boards nor --fit-networks nor --write");
  if (options.write) request.writable_file("--write", (fs::path(*options.write) / "efficiencies.yaml").string());
  if (options.board) request.problem("--board", "names the board of --layers or --trace; expected one of these");
  refuse_trace_options(options, request);
  request.check();

  if (options.judge) {
    const cost::Calibration committed{platforms::load_efficiencies(), all_computers()};
    print_errors(judge(*measurements, {}, committed), true);
    return;
  }
  const cost::Calibration calibration = cost::calibrate(*measurements, choice, all_computers());
  print_shares(calibration);
  print_errors(judge(*measurements, choice, calibration), false);
  print_ratio_fits(calibration);
  if (options.write) write_parts(*options.write, calibration);
}

/// A mode that fits something else than computers.
void refuse_others(const std::string& option, const std::string& why, const Options& options, const CLI::App& verb) {
  const bool both = !options.trace.trace.empty() && options.transfers;
  if (!both && !options.judge && !options.layers && !options.write && options.boards.empty() &&
      options.networks.empty())
    return;
  Request request(verb);
  request.problem(option, why + "; expected neither --layers nor --judge nor --write nor --fit-... beside it" +
                              (both ? ", and not both --trace and --transfers" : ""));
  request.check();
}

void calibrate_one_trace(const CLI::App& verb, const Options& options) {
  refuse_others("--trace", "one board and card are fitted to one trace", options, verb);
  TraceCalibrationOptions trace = options.trace;
  if (options.board) trace.plan.plan.board = *options.board;
  calibrate_trace(verb, trace);
}

}  // namespace

void add_calibrate(CLI::App& app, Outcome& outcome) {
  CLI::App& verb = add_verb(app, "calibrate", "Fits the figures of boards to measured times and shows the errors");
  const auto options = std::make_shared<Options>();
  const cost::CalibrationChoice usual = cost::default_choice();
  verb.add_option("--measurements", options->measurements,
                  "Times of whole networks: a file, or a name in platforms/measurements")
      ->type_name("FILE")
      ->capture_default_str();
  verb.add_option("--fit-boards", options->boards,
                  fmt::format("Boards that are fitted; the others are predicted [{}]", fmt::join(usual.boards, ",")))
      ->type_name("NAME")
      ->delimiter(',');
  verb.add_option(
          "--fit-networks", options->networks,
          fmt::format("Networks that are fitted; the others are predicted [{}]", fmt::join(usual.networks, ",")))
      ->type_name("NAME")
      ->delimiter(',');
  verb.add_flag("--judge", options->judge, "Fits nothing: shows the errors of the figures that are in the files");
  verb.add_option("--write", options->write, "Writes efficiencies.yaml and computers/*.yaml with the fitted figures")
      ->type_name("DIR");
  verb.add_option("--layers", options->layers,
                  "Fits one board to the times of its layers that `measure` wrote, instead")
      ->type_name("FILE");
  verb.add_option("--board", options->board, "The board of --layers [this-machine] or --trace [stm32f746g-disco]")
      ->type_name("NAME");
  verb.add_option("--transfers", options->transfers,
                  "Fits a card to the operations that were measured with it, instead")
      ->type_name("CARD");
  options->trace.add_to(verb);
  verb.callback([&verb, options, &outcome] {
    if (!options->trace.trace.empty()) {
      calibrate_one_trace(verb, *options);
    } else if (options->transfers) {
      refuse_others("--transfers", "one card is fitted to its own operations", *options, verb);
      calibrate_card(verb, *options->transfers, options->trace.write_card);
    } else if (options->layers) {
      calibrate_layers(verb, *options);
    } else {
      calibrate(verb, *options);
    }
    outcome.code = ExitCode::done;
  });
}

}  // namespace spillway::cli
