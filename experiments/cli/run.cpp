#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "experiments/cli/infer_inputs.hpp"
#include "experiments/cli/plan_options.hpp"
#include "experiments/cli/request.hpp"
#include "experiments/cli/run_measured.hpp"
#include "experiments/cli/run_report.hpp"
#include "experiments/cli/trace_files.hpp"
#include "experiments/cli/verbs.hpp"
#include "experiments/execution/board_clock.hpp"
#include "experiments/execution/card_run.hpp"
#include "experiments/execution/quantized_run.hpp"
#include "experiments/execution/task_times.hpp"
#include "hw/kernels/int8/calibration/float_maps.hpp"
#include "hw/kernels/session/program.hpp"
#include "hw/linux/program/program_file.hpp"
#include "hw/swap/image/operators.hpp"
#include "models/onnx_reader.hpp"
#include "models/quantized/qdq_file.hpp"
#include "models/quantized/quantize.hpp"
#include "models/seeded_weights.hpp"
#include "sim/swap/service_times.hpp"
#include "sim/swap/simulate.hpp"
#include "sim/trace/tee.hpp"

namespace spillway::cli {
namespace {

constexpr std::uint64_t most_frames = 100'000;

struct Options {
  PlanOptions plan;
  InferInputs inputs;
  TraceOptions trace;
  std::string card_file;
  std::optional<std::string> frames, window, output, program, calibrate, predict, measured;
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
  std::optional<quantized::QuantizedNetwork> network;
  std::optional<experiments::TaskTimes> times;
  std::vector<float> frames;  ///< one after the other
  std::string origin;
  std::size_t given = 1;  ///< frames in `frames`
  std::uint64_t trace_events = 0;
  std::size_t top = 0;
};

/// A network that is still to be quantised.
struct FloatNetwork {
  models::Network network;
  models::Weights weights;
};

/// The network's own weights, or seeded ones for a network of the zoo. Notes every mistake.
std::optional<FloatNetwork> read_float(const NetworkOption& option, std::uint64_t seed, Request& request) {
  if (!models::is_model_file(option.network)) {
    std::optional<models::LoadedNetwork> loaded = read(option, request);
    if (!loaded) return std::nullopt;
    models::Weights weights = models::SeededWeights(loaded->network, seed).all();
    return FloatNetwork{std::move(loaded->network), std::move(weights)};
  }
  const models::LoadOptions load = read_dimensions(option, request);
  try {
    models::OnnxModel model = models::read_onnx_model(option.network, {.dimensions = load.dimensions, .weights = true});
    return FloatNetwork{std::move(model.network), std::move(model.weights)};
  } catch (const models::OnnxError& error) {
    note(error, request);
  }
  return std::nullopt;
}

/// Whether a model file is one of `spillway quantize`: its numbers are int8.
bool is_quantized(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  return models::is_model_file(path) && content.find("DequantizeLinear") != std::string::npos;
}

std::optional<quantized::QuantizedNetwork> read_quantized_file(const std::string& path, Request& request) {
  try {
    return quantized::read_quantized(path);
  } catch (const models::OnnxError& error) {
    note(error, request);
  }
  return std::nullopt;
}

/// The frames of the only input.
void read_frames(const Options& options, const kernels::Value& input, std::uint64_t seed, RunRequest& asked,
                 Request& request) {
  kernels::Program program;
  program.inputs.push_back(program.add_value(input));
  Frames frames = read(options.inputs, seed, &program, request);
  if (frames.inputs.empty()) return;
  asked.frames = std::move(frames.inputs.front());
  asked.given = frames.count;
  asked.origin = std::move(frames.origin);
}

kernels::Value input_value(const models::Network& network) {
  const auto& nodes = network.nodes();
  const auto input = std::ranges::find(nodes, models::Operator::input, &models::Node::op);
  return {.name = input->name,
          .extents = {1, input->output.channels, input->output.height, input->output.width},
          .is_constant = false,
          .numbers = {},
          .same_as = kernels::no_value};
}

/// Reads the network and its input; a float32 network is quantised with the ranges of the input's frames.
void read_network(const Options& options, std::uint64_t seed, RunRequest& asked, Request& request) {
  const std::string& name = options.plan.network.network;
  if (is_quantized(name)) {
    asked.network = read_quantized_file(name, request);
    if (asked.network) read_frames(options, input_value(asked.network->network), seed, asked, request);
    return;
  }
  const std::optional<FloatNetwork> loaded = read_float(options.plan.network, seed, request);
  if (!loaded) return;
  read_frames(options, input_value(loaded->network), seed, asked, request);
  if (!request.ok()) return;
  try {
    quantized::FoldedNetwork folded = quantized::fold(loaded->network, loaded->weights);
    const std::vector<float> ranges = int8::ranges_of(folded, asked.frames);
    asked.network = quantized::quantize(std::move(folded), ranges);
  } catch (const quantized::QuantizationError& error) {
    for (const quantized::Problem& problem : error.problems())
      request.problem("NETWORK", fmt::format("{}: node '{}': {}", name, problem.node, problem.what));
  }
}

RunRequest read(const Options& options, Request& request) {
  RunRequest asked;
  const std::uint64_t seed =
      request.number("--seed", options.inputs.seed, 0, std::numeric_limits<std::uint64_t>::max());
  read_network(options, seed, asked, request);
  const auto loaded = asked.network ? std::optional(models::LoadedNetwork{asked.network->network, {}}) : std::nullopt;
  asked.plan = read(options.plan, loaded, request);
  if (asked.plan.tiling.element != models::ElementType::int8)
    request.problem("--element", "only int8 networks are run; expected int8");
  if (options.measured) {
    for (const auto& [option, given] :
         {std::pair("--card-file", !options.card_file.empty()), std::pair("--output", options.output.has_value()),
          std::pair("--program", options.program.has_value())})
      if (given) request.problem(option, "makes no sense with --measured: nothing is run");
  } else if (options.card_file.empty()) {
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
  if (options.calibrate) request.writable_file("--calibrate", *options.calibrate);
  if (options.predict) {
    try {
      asked.times = experiments::read_times(*options.predict);
    } catch (const platforms::InputError& error) {
      request.problems(error);
    }
  }
  return asked;
}

/// Keeps the records of a run.
class Recorder final : public trace::Sink {
 public:
  void record(const trace::Record& record) override { records.push_back(record); }
  void pools(const trace::PoolLevels&) override {}

  std::vector<trace::Record> records;
};

ExitCode run(const RunRequest& asked, const Options& options) {
  const tiling::SwapPlan plan = plan_for(asked.network->network, asked.plan.tiling);
  const experiments::QuantizedRun program(*asked.network, plan);
  if (options.measured) {
    fmt::print("{}", judge_measured({*options.measured, options.calibrate, asked.times}, plan, program,
                                    *asked.plan.board, *asked.plan.card));
    return ExitCode::done;
  }
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
  const experiments::CarriedPlan carried{program.plan(), program.image().map(), how.landing_bytes};
  const swap::ServiceTimes times(program.plan(), *asked.plan.board, *asked.plan.card);
  const auto clock = experiments::board_clock(times);
  if (options.lockstep) how.lockstep = clock.get();
  Recorder recorder;
  trace::Tee tee({&recorder});
  if (traces.sink() != nullptr) tee = trace::Tee({&recorder, traces.sink()});
  how.sink = &tee;
  const execution::RunResult result = card.run(how);

  fmt::print("{}", report(plan, program, result, asked.origin));
  const swap::Result simulated = swap::simulate(plan, *asked.plan.board, *asked.plan.card);
  fmt::print("{}", report("simulated", simulated.makespan_ns, result,
                          fmt::format("on board {} with card {}", asked.plan.board->name, asked.plan.card->name)));
  if (asked.times) {
    fmt::print("{}", report("predicted", experiments::makespan_of(experiments::predicted_run(carried, *asked.times)),
                            result, "with " + *options.predict));
  }
  const experiments::Verdict verdict = card.compare_in_core(asked.frames);
  fmt::print("{}", report(verdict));
  print_top(card, asked.top);
  traces.finish();
  if (options.calibrate) {
    write_times(*options.calibrate, experiments::fit_times(carried, recorder.records));
    fmt::print("times       {}\n", *options.calibrate);
  }
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
  add("--calibrate", options->calibrate, "Writes what tasks took in this run, for --predict", "FILE");
  add("--predict", options->predict, "Compares the time with what a file of --calibrate predicts", "FILE");
  add("--measured", options->measured,
      "Runs nothing: --calibrate and --predict take the trace of a board's firmware with this plan and --card", "FILE");
  add("--program", options->program, "Writes plan and tables for `spillway-runtime` on another board", "FILE");
  verb.footer(
      "NETWORK is a file of `spillway quantize`, or is quantised with the ranges of the input's frames. Every run is\n"
      "compared with the same network in one piece; exit code 1 where a bit differs.");
  verb.callback([&verb, options, &outcome] { outcome.code = run(verb, *options); });
}

}  // namespace spillway::cli
