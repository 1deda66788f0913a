#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/cli/plan_options.hpp"
#include "experiments/cli/request.hpp"
#include "experiments/cli/swap_report.hpp"
#include "experiments/cli/swap_results.hpp"
#include "experiments/cli/table.hpp"
#include "experiments/cli/trace_files.hpp"
#include "experiments/cli/verbs.hpp"
#include "experiments/results.hpp"
#include "experiments/stall.hpp"
#include "sim/swap/energy.hpp"
#include "sim/swap/simulate.hpp"
#include "sim/trace/output_file.hpp"

namespace spillway::cli {
namespace {

constexpr std::uint64_t most_frames = 100'000;

struct Options {
  PlanOptions plan;
  std::string mode = "parallel";
  std::string frames = "1";
  std::optional<std::string> window;
  std::string queue = "skip";
  std::string pools = "separate";
  std::string driver = "virtual-clock";
  std::optional<std::string> contention;
  TraceOptions trace;
  std::optional<std::string> csv, output;
  bool force = false;

  Options() {
    plan.board = "stm32f746g-disco";
    plan.buffer = "16 KiB";
  }
};

/// What to simulate, read and checked.
struct SwapRequest {
  PlanRequest plan;
  swap::Options run;
  std::uint64_t trace_events = 0;  ///< after which a trace is cut
};

SwapRequest read(const Options& options, Request& request) {
  SwapRequest asked{read(options.plan, request), {}, 0};
  const auto mode = request.choice("--mode", "mode", options.mode, {"parallel", "sequential"});
  const auto queue = request.choice("--queue", "queue", options.queue, {"skip", "strict"});
  const auto pools = request.choice("--pools", "division into pools", options.pools, {"separate", "shared"});
  const auto driver = request.choice("--driver", "driver", options.driver, {"virtual-clock", "simgrid"});
  const std::uint64_t frames = request.number("--frames", options.frames, 1, most_frames);
  const std::uint64_t window =
      options.window ? request.number("--window", *options.window, 1, frames == 0 ? most_frames : frames) : frames;
  if (options.contention) {
    const double share = request.share("--contention", *options.contention);
    if (asked.plan.board) asked.plan.board->contention.value = share;
  }
  asked.trace_events = read(options.trace, request);
  if (options.csv) request.writable_file("--csv", *options.csv);

  asked.run.mode = mode == 1U ? swap::Mode::sequential : swap::Mode::parallel;
  asked.run.driver = driver == 1U ? swap::Driver::simgrid : swap::Driver::virtual_clock;
  asked.plan.tiling.queue = queue == 1U ? core::Queue::strict : core::Queue::skip;
  asked.plan.tiling.shared_pool = pools == 1U;
  asked.plan.tiling.frames = static_cast<std::uint32_t>(frames);
  asked.plan.tiling.window = static_cast<std::uint32_t>(window);
  return asked;
}

/// Writes the files that were asked for beside the traces.
void write_results(const Options& options, const std::optional<experiments::ResultsDirectory>& directory,
                   const OnePointSweep& sweep, const experiments::RunRecord& record) {
  if (options.csv) {
    trace::write_file(*options.csv, experiments::results_csv(sweep.experiment, sweep.results));
    fmt::print("{:<12}{}\n", "CSV", *options.csv);
  }
  if (directory) {
    directory->write(sweep.experiment, sweep.results, {}, record);
    fmt::print("{:<12}{}\n", "results", directory->path().string());
  }
}

ExitCode simulate(const CLI::App& verb, const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  Request request(verb);
  const SwapRequest asked = read(options, request);
  request.check();
  const platforms::Board& board = *asked.plan.board;
  const platforms::Card& card = *asked.plan.card;
  const tiling::SwapPlan plan = plan_for(*asked.plan.network, asked.plan.tiling);
  std::optional<experiments::ResultsDirectory> directory;
  if (options.output) directory.emplace(*options.output, swap_experiment(), options.force);
  TraceFiles traces(options.trace, asked.trace_events, plan, board.name);

  swap::Options how = asked.run;
  how.sink = traces.sink();
  const swap::Result result = swap::simulate(plan, board, card, how);
  const platforms::EnduranceTable endurance = platforms::load_endurance();
  const experiments::Run run{plan,
                             board,
                             card,
                             result,
                             swap::in_core_compute_s(plan, board),
                             experiments::counted_layers(*asked.plan.network, plan.request.element, board, card),
                             endurance.test,
                             {}};

  fmt::print("{}", for_people(run, how));
  traces.finish();
  const double wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  write_results(options, directory, as_sweep(run, how, options.plan.board, asked.plan.card_name),
                {command_line(verb), SPILLWAY_VERSION, wall_s, 1});
  if (!result.stalled) return ExitCode::done;
  fmt::print(stderr, "spillway swap: {}\n", fmt::join(experiments::describe_stall(plan, result), "\n  "));
  return ExitCode::failed;
}

}  // namespace

void add_swap(CLI::App& app, Outcome& outcome) {
  CLI::App& verb = add_verb(app, "swap", "Simulates a network that swaps on one board: time, energy, wear, trace");
  const auto options = std::make_shared<Options>();
  options->plan.add_to(verb);
  const auto add = [&verb](const std::string& name, auto& value, const std::string& text, const std::string& type) {
    return verb.add_option(name, value, text)->type_name(type);
  };
  verb.add_option("--buffer", options->plan.buffer, "Size of one buffer [16 KiB]")->type_name("SIZE");
  add("--mode", options->mode, "IO and compute overlap (parallel) or not (sequential)", "MODE")->capture_default_str();
  add("--frames", options->frames, "Frames, all there from the start", "N")->capture_default_str();
  add("--window", options->window, "Frames in flight at one time [all]", "N");
  add("--queue", options->queue, "A task without buffers is passed by (skip) or holds up the queue (strict)", "QUEUE")
      ->capture_default_str();
  add("--pools", options->pools, "Buffers in three pools (separate) or one (shared: deadlocks)", "POOLS")
      ->capture_default_str();
  add("--driver", options->driver, "The clock: virtual-clock or simgrid", "DRIVER")->capture_default_str();
  add("--contention", options->contention, "Share of the compute rate lost during a transfer [the board's]", "SHARE");
  options->trace.add_to(verb);
  add("--csv", options->csv, "Writes the result as CSV, one line", "FILE");
  add("--output", options->output, "Writes result, configuration, board and card into a folder", "DIR");
  verb.add_flag("--force", options->force, "Writes into a folder that holds other files");
  verb.callback([&verb, options, &outcome] { outcome.code = simulate(verb, *options); });
}

}  // namespace spillway::cli
