#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/cli/interrupt.hpp"
#include "experiments/cli/layer_report.hpp"
#include "experiments/cli/machine.hpp"
#include "experiments/cli/request.hpp"
#include "experiments/cli/verbs.hpp"
#include "experiments/progress.hpp"
#include "hw/kernels/session/load_program.hpp"
#include "hw/kernels/session/session.hpp"
#include "models/zoo.hpp"
#include "sim/cost/layer_times.hpp"
#include "sim/cost/rounding.hpp"
#include "sim/trace/output_file.hpp"

namespace spillway::cli {
namespace {

constexpr std::uint64_t most_frames = 10'000;
constexpr double quiet_load = 0.3;  ///< cores that others may keep busy without a note
const std::vector<std::string> usual_networks = {"squeezenet", "mobilenet", "googlenet",  "resnet18",
                                                 "resnet50",   "alexnet",   "densenet121"};

struct Options {
  std::vector<std::string> networks;
  std::string frames = "7";
  std::string backend = "eigen", calls = "fastest";
  std::optional<std::string> output, layers;
};

/// What to measure, read and checked.
struct MeasureRequest {
  std::vector<std::string> networks;
  std::size_t frames = 1;
  kernels::Backend backend = kernels::Backend::eigen;
  bool median = false;  ///< the median call of a layer counts, not the fastest
};

MeasureRequest read(const Options& options, Request& request) {
  MeasureRequest asked;
  asked.networks = options.networks.empty() ? usual_networks : options.networks;
  std::vector<std::string> known, backends;
  for (const std::string_view name : models::zoo_names())
    known.emplace_back(name);
  for (const std::string& name : asked.networks)
    request.choice("--networks", "network", name, known);
  asked.frames = request.number("--frames", options.frames, 1, most_frames);
  for (const kernels::Backend backend : kernels::backends())
    backends.emplace_back(to_string(backend));
  const std::optional<std::size_t> backend = request.choice("--backend", "back-end", options.backend, backends);
  if (backend) asked.backend = kernels::backends()[*backend];
  asked.median = request.choice("--calls", "call", options.calls, {"fastest", "median"}) == 1U;
  if (options.output) request.writable_file("--output", *options.output);
  if (options.layers) request.writable_file("--layers", *options.layers);
  return asked;
}

void fill_inputs(kernels::Session& session) {
  std::minstd_rand random(1);
  std::uniform_real_distribution<float> number(-1, 1);
  for (std::size_t position = 0; position < session.program().inputs.size(); ++position)
    for (float& value : session.input(position))
      value = number(random);
}

/// Runs one network; a frame before that is not counted.
class NetworkMeasurement {
 public:
  NetworkMeasurement(const std::string& network, int threads, kernels::Backend backend)
      : network_(network),
        threads_(threads),
        session_(kernels::load_program(network), kernels::SessionOptions{threads, backend}),
        seconds_(session_.program().steps.size()) {}

  void run_frame() {
    fill_inputs(session_);
    std::vector<double> steps(seconds_.size());
    session_.run(steps);
    if (std::exchange(is_first_, false)) return;
    for (std::size_t step = 0; step < steps.size(); ++step)
      seconds_[step].push_back(steps[step]);
  }

  /// At least one nanosecond a call: a clock may not tell the shortest ones from nothing.
  void append_to(std::vector<cost::LayerTime>& times, bool median) {
    const std::vector<kernels::Step>& steps = session_.program().steps;
    for (std::size_t step = 0; step < steps.size(); ++step) {
      std::vector<double>& seconds = seconds_[step];
      const auto kept = seconds.begin() + static_cast<std::ptrdiff_t>(median ? seconds.size() / 2 : 0);
      std::ranges::nth_element(seconds, kept);
      times.push_back({network_, steps[step].name, steps[step].fused, threads_, std::max(cost::rounded(*kept), 1e-9)});
    }
  }

 private:
  std::string network_;
  int threads_;
  kernels::Session session_;
  std::vector<std::vector<double>> seconds_;  ///< by step, of each frame
  bool is_first_ = true;
};

std::vector<cost::LayerTime> measure_layers(const MeasureRequest& asked, int cores) {
  std::vector<int> threads = {1};
  if (cores > 1) threads.push_back(cores);
  const std::size_t all = asked.networks.size() * threads.size() * (asked.frames + 1);
  std::size_t done = 0;
  experiments::Progress progress(stderr, "measure");
  const Interrupt interrupt;
  std::vector<cost::LayerTime> times;
  for (const std::string& network : asked.networks) {
    for (const int count : threads) {
      NetworkMeasurement measurement(network, count, asked.backend);
      for (std::size_t frame = 0; frame <= asked.frames; ++frame) {
        if (interrupt.requested()) throw std::runtime_error("interrupted; nothing was written");
        measurement.run_frame();
        progress.report(++done, all);
      }
      measurement.append_to(times, asked.median);
    }
  }
  return times;
}

void write_file(const std::string& path, const std::string& text) {
  trace::write_file(path, text);
  fmt::print("output      {}\n", path);
}

void measure(const CLI::App& verb, const Options& options) {
  Request request(verb);
  const MeasureRequest asked = read(options, request);
  request.check();

  const double load = background_load();
  if (load > quiet_load)
    fmt::print(stderr, "measure: other programs keep {:.1f} cores busy: the times will be too long\n", load);
  platforms::Computer computer = this_machine();
  const std::vector<cost::LayerTime> times = measure_layers(asked, computer.cores);
  const std::string how = fmt::format("back-end {}, background load {:.1f}", to_string(asked.backend), load);
  computer.cpu.peak = {cost::rounded(cost::highest_rate(times)),
                       "measured: the highest rate of a layer on one core, " + how};
  computer =
      fit_layers(std::move(computer), times,
                 fmt::format("layers of {} on one and all cores, {} call in {} frames, {}",
                             fmt::join(asked.networks, ", "), asked.median ? "median" : "fastest", asked.frames, how));
  fmt::print("{}\n", computer.description);
  print_layer_fit(computer, times);
  if (options.output) write_file(*options.output, to_yaml(computer));
  if (options.layers) write_file(*options.layers, cost::to_csv(times));
}

}  // namespace

void add_measure(CLI::App& app, Outcome& outcome) {
  CLI::App& verb = add_verb(app, "measure", "Measures kernels and memory of this machine and describes it as a board");
  const auto options = std::make_shared<Options>();
  verb.add_option("--networks", options->networks,
                  fmt::format("Networks of the zoo whose layers are timed [{}]", fmt::join(usual_networks, ",")))
      ->type_name("NAME")
      ->delimiter(',');
  verb.add_option("--frames", options->frames, "Frames of each")->type_name("N")->capture_default_str();
  verb.add_option("--calls", options->calls,
                  "Which call of a layer counts: fastest, to which others on the machine add nothing, or median, as a "
                  "run has them")
      ->type_name("WHICH")
      ->capture_default_str();
  verb.add_option("--backend", options->backend, "Who computes; generated programs take eigen")
      ->type_name("NAME")
      ->capture_default_str();
  verb.add_option("--output", options->output, "Writes the board, as in platforms/computers")->type_name("FILE");
  verb.add_option("--layers", options->layers,
                  "Writes the time of each layer, for `calibrate --layers` and `pipeline --layer-times`")
      ->type_name("FILE");
  verb.callback([&verb, options, &outcome] {
    measure(verb, *options);
    outcome.code = ExitCode::done;
  });
}

}  // namespace spillway::cli
