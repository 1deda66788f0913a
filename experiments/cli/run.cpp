#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/cli/infer_inputs.hpp"
#include "experiments/cli/plan_options.hpp"
#include "experiments/cli/request.hpp"
#include "experiments/cli/run_report.hpp"
#include "experiments/cli/trace_files.hpp"
#include "experiments/cli/verbs.hpp"
#include "experiments/execution/board_clock.hpp"
#include "experiments/execution/card_run.hpp"
#include "experiments/execution/quantized_run.hpp"
#include "hw/kernels/int8/calibration/float_maps.hpp"
#include "hw/kernels/session/program.hpp"
#include "hw/linux/program/program_file.hpp"
#include "hw/swap/image/operators.hpp"
#include "models/onnx_reader.hpp"
#include "models/quantized/quantize.hpp"
#include "models/seeded_weights.hpp"
#include "models/zoo.hpp"
#include "sim/swap/service_times.hpp"

namespace spillway::cli {
namespace {

constexpr std::uint64_t most_frames = 100'000;

struct Options {
  PlanOptions plan;
  InferInputs inputs;
  TraceOptions trace;
  std::string card_file;
  std::optional<std::string> frames, window, output, program;
  std::string top = "5";
  bool lockstep = false, cached = false;

  Options() {
    plan.board = "stm32f746g-disco";
    plan.buffer = "16 KiB";
    plan.rule = "halo";
    plan.element = "int8";
  }
};

/// What to run, read and checked.
struct RunRequest {
  PlanRequest plan;
  std::optional<models::Weights> weights;
  std::vector<float> frames;  ///< one after the other
  std::string origin;
  std::size_t given = 1;  ///< frames in `frames`
  std::uint64_t trace_events = 0;
  std::size_t top = 0;
};

/// The network's own weights, or seeded ones for a network of the zoo.
models::Weights weights_of(const Options& options, const models::Network& network, std::uint64_t seed,
                           Request& request) {
  if (!models::is_model_file(options.plan.network.network)) return models::SeededWeights(network, seed).all();
  const models::LoadOptions load = read_dimensions(options.plan.network, request);
  return models::read_onnx_model(options.plan.network.network, {.dimensions = load.dimensions, .weights = true})
      .weights;
}

void read_frames(const Options& options, RunRequest& asked, std::uint64_t seed, Request& request) {
  if (!asked.plan.network) return;
  asked.weights = weights_of(options, *asked.plan.network, seed, request);
  const kernels::Program program = kernels::lower(*asked.plan.network, *asked.weights);
  Frames frames = read(options.inputs, seed, &program, request);
  if (frames.inputs.size() != 1) {
    request.problem("NETWORK", fmt::format("has {} inputs: a swapped network has one", frames.inputs.size()));
    return;
  }
  asked.frames = std::move(frames.inputs.front());
  asked.given = frames.count;
  asked.origin = std::move(frames.origin);
}

RunRequest read(const Options& options, Request& request) {
  RunRequest asked;
  asked.plan = read(options.plan, request);
  if (asked.plan.tiling.element != models::ElementType::int8)
    request.problem("--element", "only int8 networks are run; expected int8");
  const std::uint64_t seed =
      request.number("--seed", options.inputs.seed, 0, std::numeric_limits<std::uint64_t>::max());
  read_frames(options, asked, seed, request);
  if (options.card_file.empty()) {
    request.problem("--card-file", "the file that stands for the card is missing");
  } else {
    request.writable_file("--card-file", options.card_file);
    if (std::filesystem::exists(options.card_file) && !execution::CardFile::holds_card(options.card_file))
      request.problem("--card-file", fmt::format("{} holds something else than a card: expected a new name, or a card "
                                                 "that is to be written anew",
                                                 options.card_file));
  }
  const std::uint64_t frames = options.frames ? request.number("--frames", *options.frames, 1, most_frames)
                                              : static_cast<std::uint64_t>(asked.given);
  const std::uint64_t window =
      options.window ? request.number("--window", *options.window, 1, frames == 0 ? most_frames : frames) : frames;
  asked.plan.tiling.frames = static_cast<std::uint32_t>(frames);
  asked.plan.tiling.window = static_cast<std::uint32_t>(window);
  asked.trace_events = read(options.trace, request);
  asked.top = request.number("--top", options.top, 0, most_frames);
  if (options.output) request.writable_file("--output", *options.output);
  if (options.program) request.writable_file("--program", *options.program);
  return asked;
}

/// The network in int8; its ranges are those of the given frames.
quantized::QuantizedNetwork quantized_network(const RunRequest& asked) {
  quantized::FoldedNetwork folded = quantized::fold(*asked.plan.network, *asked.weights);
  const std::vector<float> ranges = int8::ranges_of(folded, asked.frames);
  return quantized::quantize(std::move(folded), ranges);
}

ExitCode run(const RunRequest& asked, const Options& options) {
  const quantized::QuantizedNetwork network = quantized_network(asked);
  const tiling::SwapPlan plan = plan_for(network.network, asked.plan.tiling);
  const experiments::QuantizedRun program(network, plan);
  TraceFiles traces(options.trace, asked.trace_events, plan, asked.plan.board->name);

  experiments::CardRun card(program, options.card_file,
                            options.cached ? execution::Access::cached : execution::Access::direct);
  card.write(asked.frames);
  if (options.program) {
    const execution::CardImage& image = program.image();
    write_program(*options.program, execution::stored_program(program.plan(), plan.layer_names, image.operators(),
                                                              program.layers(), image.identity()));
  }
  execution::RunOptions how;
  const swap::ServiceTimes times(program.plan(), *asked.plan.board, *asked.plan.card);
  const auto clock = experiments::board_clock(times);
  if (options.lockstep) how.lockstep = clock.get();
  how.sink = traces.sink();
  const execution::RunResult result = card.run(how);

  fmt::print("{}", report(plan, program, result, asked.origin));
  const experiments::Verdict verdict = card.compare_in_core(asked.frames);
  fmt::print("{}", report(verdict));
  print_top(card, asked.top);
  traces.finish();
  if (options.program) fmt::print("program     {}\n", *options.program);
  if (options.output) {
    card.write_outputs(*options.output);
    fmt::print("output      {}\n", *options.output);
  }
  return verdict.same() ? ExitCode::done : ExitCode::failed;
}

ExitCode run(const CLI::App& verb, const Options& options) {
  Request request(verb);
  const RunRequest asked = read(options, request);
  request.check();
  try {
    return run(asked, options);
  } catch (const quantized::QuantizationError& error) {
    request.problem("NETWORK", error.what());
  } catch (const execution::NotExecutable& error) {
    request.problem("NETWORK", error.what());
  }
  request.check();
  return ExitCode::bad_request;
}

}  // namespace

void add_run(CLI::App& app, Outcome& outcome) {
  CLI::App& verb = add_verb(app, "run", "Runs a network that swaps on this machine: real IO, real kernels, trace");
  const auto options = std::make_shared<Options>();
  options->plan.add_to(verb);
  options->inputs.add_to(verb);
  const auto add = [&verb](const std::string& name, auto& value, const std::string& text, const std::string& type) {
    return verb.add_option(name, value, text)->type_name(type);
  };
  add("--card-file", options->card_file, "The file that stands for the card; written anew", "FILE");
  verb.add_option("--buffer", options->plan.buffer, "Size of one buffer [16 KiB]")->type_name("SIZE");
  add("--frames", options->frames, "Frames to run, from the first again behind the last [those of the input]", "N");
  add("--window", options->window, "Frames in flight at one time [all]", "N");
  verb.add_flag("--lockstep", options->lockstep,
                "Delivers completions in the order of the board's and card's times: the decisions of `swap`");
  verb.add_flag("--cached", options->cached, "Lets the page cache answer (without: O_DIRECT)");
  options->trace.add_to(verb);
  add("--top", options->top, "Largest numbers to show of each output", "N")->capture_default_str();
  add("--output", options->output, "Writes the outputs of all frames as raw float32", "FILE");
  add("--program", options->program, "Writes plan and tables for `spillway-runtime` on another board", "FILE");
  verb.footer(
      "The network is quantised to int8 with the ranges of the input's frames. Every run is compared with the same\n"
      "network in one piece; exit code 1 where a bit differs.");
  verb.callback([&verb, options, &outcome] { outcome.code = run(verb, *options); });
}

}  // namespace spillway::cli
