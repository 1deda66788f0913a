#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "experiments/cli/compare_report.hpp"
#include "experiments/cli/request.hpp"
#include "experiments/cli/trace_option.hpp"
#include "experiments/cli/verbs.hpp"
#include "experiments/report.hpp"
#include "experiments/traces/comparison.hpp"
#include "sim/trace/output_file.hpp"

namespace spillway::cli {
namespace {

struct Options {
  std::string simulated, measured;
  std::optional<std::string> simulated_clock, measured_clock, tolerance, layer_tolerance, json, plot;
  std::string tasks = "all";
  bool same_order = false;
};

ExitCode compare(const CLI::App& verb, const Options& options) {
  Request request(verb);
  const std::optional<traces::RunTrace> simulated =
      read_trace("SIM", options.simulated, "--sim-clock", options.simulated_clock, request);
  const std::optional<traces::RunTrace> measured =
      read_trace("HW", options.measured, "--hw-clock", options.measured_clock, request);
  ComparisonBounds bounds;
  if (options.tolerance) bounds.makespan = request.share("--tolerance", *options.tolerance);
  if (options.layer_tolerance) bounds.layers = request.share("--layer-tolerance", *options.layer_tolerance);
  bounds.same_order = options.same_order;
  const auto scope = request.choice("--tasks", "selection", options.tasks, {"all", "compute", "io"});
  if (options.json) request.writable_file("--json", *options.json);
  if (options.plot) {
    request.writable_file("--plot", *options.plot);
    if (!options.plot->ends_with(".svg"))
      request.problem("--plot", fmt::format("\"{}\" is no SVG; expected a name that ends with .svg", *options.plot));
  }
  request.check();

  const traces::Comparison comparison = traces::compare(*simulated, *measured, static_cast<traces::Scope>(*scope));
  const std::vector<std::string> missed = misses(comparison, bounds);
  fmt::print("{}", report(comparison, *simulated, *measured));
  if (options.json) trace::write_file(*options.json, to_json(comparison, *simulated, *measured, missed, false));
  bool drawn = true;
  if (options.plot) {
    const std::string all = to_json(comparison, *simulated, *measured, missed, true);
    if (const std::optional<std::string> problem = experiments::draw_comparison(all, *options.plot)) {
      fmt::print(stderr, "spillway compare: {}\n", *problem);
      drawn = false;
    }
  }
  for (const std::string& miss : missed)
    fmt::print(stderr, "spillway compare: {}\n", miss);
  return missed.empty() && drawn && !comparison.tasks.empty() ? ExitCode::done : ExitCode::failed;
}

}  // namespace

void add_compare(CLI::App& app, Outcome& outcome) {
  CLI::App& verb = add_verb(app, "compare", "Compares a simulated trace with a measured one: decisions, times, errors");
  const auto options = std::make_shared<Options>();
  const auto add = [&verb](const std::string& name, auto& value, const std::string& text, const std::string& type) {
    return verb.add_option(name, value, text)->type_name(type);
  };
  verb.add_option("SIM", options->simulated, "The simulated trace: of `swap --trace-csv`");
  verb.add_option("HW", options->measured, "The measured one: of `run --trace-csv`, or a board's serial port");
  add("--tolerance", options->tolerance, "Exit code 1 where the makespan is further off", "SHARE");
  add("--layer-tolerance", options->layer_tolerance, "Exit code 1 where the layers' mean absolute error is larger",
      "SHARE");
  verb.add_flag("--same-order", options->same_order, "Exit code 1 where tasks start in another order");
  add("--tasks", options->tasks, "Compares all tasks, or those of one resource: all, compute or io", "WHICH")
      ->capture_default_str();
  add("--sim-clock", options->simulated_clock, "The times of SIM are cycles of this clock [nanoseconds]", "HZ");
  add("--hw-clock", options->measured_clock, "The times of HW are cycles of this clock [nanoseconds]", "HZ");
  add("--json", options->json, "Writes all numbers", "FILE");
  add("--plot", options->plot, "Draws the layers' times and both timelines", "FILE.svg");
  verb.footer(
      "Errors are relative to the measured times. Layers: busy times of the tasks that both runs have. Columns: error\n"
      "of the sums, mean (signed) and mean absolute error of the single times, Pearson's correlation.");
  verb.callback([&verb, options, &outcome] { outcome.code = compare(verb, *options); });
}

}  // namespace spillway::cli
