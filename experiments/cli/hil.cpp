#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include <fmt/format.h>

#include "experiments/cli/executed_plan_option.hpp"
#include "experiments/cli/request.hpp"
#include "experiments/cli/table.hpp"
#include "experiments/cli/trace_files.hpp"
#include "experiments/cli/verbs.hpp"
#include "experiments/execution/board_clock.hpp"
#include "experiments/traces/run_trace.hpp"
#include "hw/hil/host/line.hpp"
#include "hw/hil/host/lockstep.hpp"
#include "hw/swap/card_header.hpp"
#include "platforms/units.hpp"
#include "sim/swap/service_times.hpp"

namespace spillway::cli {
namespace {

struct Options {
  ExecutedPlanOption plan;
  TraceOptions trace;
  std::string port, baud = "921600", deadline = "1 s", repeats = "3";
};

/// What to run and how, read and checked.
struct HilRequest {
  PlanRequest plan;
  unsigned baud = 0;
  hil::Patience patience;
  std::uint64_t trace_events = 0;
};

std::chrono::milliseconds read_deadline(const std::string& text, Request& request) {
  constexpr double longest_s = 3600;
  try {
    const double seconds = platforms::parse_quantity(text, platforms::Unit::seconds);
    if (seconds >= 1e-3 && seconds <= longest_s) return std::chrono::milliseconds(std::llround(seconds * 1000));
    request.problem("--deadline", fmt::format("\"{}\" is out of range; expected 1 ms to 1 h", text));
  } catch (const platforms::UnitError& error) {
    request.problem("--deadline", error.what());
  }
  return {};
}

HilRequest read(const Options& options, Request& request) {
  HilRequest asked{read(options.plan, request), 0, {}, 0};
  if (const std::string problem = hil::problem_of_port(options.port); !problem.empty())
    request.problem("--port", problem);
  asked.baud = static_cast<unsigned>(request.number("--baud", options.baud, 1200, 12'000'000));
  asked.patience.answer = read_deadline(options.deadline, request);
  asked.patience.repeats = static_cast<unsigned>(request.number("--repeats", options.repeats, 0, 1000));
  asked.trace_events = read(options.trace, request);
  return asked;
}

std::string decision(const std::optional<core::Task>& task, const traces::RunTrace& names) {
  return task ? describe(*task, names) : std::string("nothing");
}

std::string side(const hil::Decisions& decisions, const traces::RunTrace& names) {
  if (decisions.status != core::Status::ok)
    return fmt::format("does not know what ended (status {})", static_cast<int>(decisions.status));
  return fmt::format("IO: {}; compute: {}{}{}", decision(decisions.io, names), decision(decisions.compute, names),
                     decisions.done ? "; done" : "", decisions.stalled ? "; stalled" : "");
}

std::string report(const hil::LockstepResult& result, std::uint64_t plan_hash, const tiling::SwapPlan& plan) {
  const hil::Hello& hello = result.device.hello;
  std::string text = report_line(
      "device", fmt::format("{}: {} layers, {} frames, window {}, plan {:016x}{}", result.device.program, hello.layers,
                            hello.frames, hello.window, hello.plan_hash,
                            result.same_plan ? "" : fmt::format("; here {:016x}: another plan", plan_hash)));
  text += report_line("lockstep", fmt::format("{} steps, {} decisions the same, {} of virtual time",
                                              with_thousands(result.steps), with_thousands(result.decisions),
                                              platforms::format_seconds(seconds(result.makespan_ns))));
  text += report_line("line", fmt::format("{} messages sent, {} of them again; {} damaged frames, {} other messages",
                                          with_thousands(result.line.sent), result.line.repeated,
                                          result.line.damaged_frames, result.line.other_messages));
  if (result.cycles > 0)
    text += report_line("scheduler",
                        fmt::format("{} cycles of the device a step, at most {}",
                                    with_thousands(result.cycles / result.steps), with_thousands(result.most_cycles)));
  if (result.difference) {
    traces::RunTrace names;
    names.layer_names = plan.layer_names;
    text += report_line("difference", fmt::format("at step {}, {} ns", with_thousands(result.difference->step),
                                                  with_thousands(result.difference->now_ns)));
    text += report_line("  host", side(result.difference->host, names));
    text += report_line("  device", side(result.difference->device, names));
  }
  return text;
}

ExitCode run(const CLI::App& verb, const Options& options) {
  Request request(verb);
  const HilRequest asked = read(options, request);
  request.check();
  const tiling::SwapPlan plan = plan_for(*asked.plan.network, asked.plan.tiling);
  const core::Plan view = plan.view();
  TraceFiles traces(options.trace, asked.trace_events, plan, asked.plan.board->name);
  const swap::ServiceTimes times(view, *asked.plan.board, *asked.plan.card);
  const auto clock = experiments::board_clock(times);
  const std::uint64_t plan_hash = execution::hash_of(view);
  try {
    const auto line = hil::open_line(options.port, asked.baud, asked.patience.answer * (asked.patience.repeats + 1));
    const std::uint32_t session = std::random_device()();
    const hil::LockstepResult result =
        hil::run_lockstep(view, plan_hash, *clock, *line, asked.patience, session, traces.sink());
    fmt::print("{}", report(result, plan_hash, plan));
    if (!result.difference) traces.finish();
    if (result.difference) {
      fmt::print(stderr, "spillway hil: the device decides differently at step {}\n", result.difference->step);
    } else if (!result.same_plan) {
      fmt::print(stderr,
                 "spillway hil: the device has another plan, which decides the same; expected the --sram, --buffer, "
                 "--rule, --frames and --window of its firmware\n");
    } else if (!result.done) {
      fmt::print(stderr, "spillway hil: the plan stalled, on both sides\n");
    }
    return result.done && result.same_plan && !result.difference ? ExitCode::done : ExitCode::failed;
  } catch (const hil::PeerError& error) {
    fmt::print(stderr, "spillway hil: {}: {}\n", options.port, error.what());
  } catch (const hil::LineError& error) {
    fmt::print(stderr, "spillway hil: {}\n", error.what());
  }
  return ExitCode::failed;
}

}  // namespace

void add_hil(CLI::App& app, Outcome& outcome) {
  CLI::App& verb = add_verb(app, "hil", "Lockstep with a firmware: virtual time here, decisions there, compared");
  const auto options = std::make_shared<Options>();
  options->plan.add_to(verb, true);
  const auto add = [&verb](const std::string& name, auto& value, const std::string& text, const std::string& type) {
    return verb.add_option(name, value, text)->type_name(type);
  };
  add("--port", options->port, "Where the firmware listens: unix:PATH or a serial device", "PORT");
  add("--baud", options->baud, "Of a serial device", "RATE")->capture_default_str();
  add("--deadline", options->deadline, "Of an answer", "TIME")->capture_default_str();
  add("--repeats", options->repeats, "Questions asked again for want of an answer", "N")->capture_default_str();
  options->trace.add_to(verb);
  verb.footer(
      "Exit code 1 at the first decision that differs, which is printed with both sides; for a device with another\n"
      "plan; and where the device does not answer. hw/hil/README.md describes the messages.");
  verb.callback([&verb, options, &outcome] { outcome.code = run(verb, *options); });
}

}  // namespace spillway::cli
