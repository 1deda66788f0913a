#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/cli/infer_inputs.hpp"
#include "experiments/cli/largest.hpp"
#include "experiments/cli/network_option.hpp"
#include "experiments/cli/request.hpp"
#include "experiments/cli/table.hpp"
#include "experiments/cli/verbs.hpp"
#include "hw/kernels/session/load_program.hpp"
#include "hw/kernels/session/session.hpp"
#include "sim/trace/output_file.hpp"

namespace spillway::cli {
namespace {

constexpr std::uint64_t most_frames = 1'000'000, most_threads = 1024;

struct Options {
  NetworkOption network;
  InferInputs inputs;
  std::string threads = "1";
  std::string backend{kernels::to_string(kernels::backends().front())};
  std::optional<std::string> frames, output;
  std::string warm_up = "0";
  std::string top = "5";
  bool profile = false;
};

/// What to run, read and checked.
struct InferRequest {
  kernels::Program program;
  Frames frames;
  kernels::SessionOptions session;
  std::size_t count = 1, warm_up = 0, top = 5;
};

std::vector<std::string> backend_names() {
  std::vector<std::string> names;
  for (const kernels::Backend backend : kernels::backends())
    names.emplace_back(to_string(backend));
  return names;
}

std::optional<kernels::Program> read_program(const Options& options, std::uint64_t seed, Request& request) {
  const models::LoadOptions load = read_dimensions(options.network, request);
  if (options.network.network.empty()) {
    request.problem("NETWORK", "the name of a network is missing; `spillway list models` shows all");
    return std::nullopt;
  }
  try {
    return kernels::load_program(options.network.network, {load.dimensions, seed});
  } catch (const models::UnknownNetwork& error) {
    request.problem("NETWORK", unknown("network", error.name(), error.names(), "`spillway list models` shows all"));
  } catch (const models::OnnxError& error) {
    note(error, request);
  }
  return std::nullopt;
}

InferRequest read(const Options& options, Request& request) {
  InferRequest asked;
  asked.session.threads = static_cast<int>(request.number("--threads", options.threads, 1, most_threads));
  const std::optional<std::size_t> backend = request.choice("--backend", "back-end", options.backend, backend_names());
  if (backend) asked.session.backend = kernels::backends()[*backend];
  asked.warm_up = request.number("--warm-up", options.warm_up, 0, most_frames);
  asked.top = request.number("--top", options.top, 0, most_frames);
  if (options.output) request.writable_file("--output", *options.output);
  const std::uint64_t seed =
      request.number("--seed", options.inputs.seed, 0, std::numeric_limits<std::uint64_t>::max());
  std::optional<kernels::Program> program = read_program(options, seed, request);
  asked.frames = read(options.inputs, seed, program ? &*program : nullptr, request);
  if (program) asked.program = std::move(*program);
  asked.count = options.frames ? request.number("--frames", *options.frames, 1, most_frames) : asked.frames.count;
  return asked;
}

/// The outputs of one frame, for people: the largest numbers and where they are.
void print_top(const kernels::Session& session, std::size_t frame, std::size_t top) {
  const kernels::Program& program = session.program();
  for (std::size_t position = 0; position < program.outputs.size(); ++position) {
    fmt::print("frame {:<6}{}  {}\n", frame, program.values[program.outputs[position]].name,
               largest_text(session.output(position), top));
  }
}

std::string mebibytes(std::size_t bytes) {
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

void print_session(const kernels::Session& session, const InferRequest& asked) {
  const kernels::SessionMemory& memory = session.memory();
  fmt::print("{}: {} calls, back-end {}, {} thread{}\n", session.program().name, session.program().steps.size(),
             to_string(asked.session.backend), asked.session.threads, asked.session.threads == 1 ? "" : "s");
  fmt::print("input       {}\n", asked.frames.origin);
  fmt::print(
      "memory      weights {}, their copies in another order {}, feature maps {} (largest live set {}), scratch "
      "{}\n",
      mebibytes(memory.weights), mebibytes(memory.prepared), mebibytes(memory.arena), mebibytes(memory.largest_live),
      mebibytes(memory.scratch));
}

void print_times(std::vector<double> seconds, std::size_t warm_up) {
  std::ranges::sort(seconds);
  fmt::print("time        {:.3f} ms a frame (median of {}, fastest {:.3f} ms, slowest {:.3f} ms, {} frames before)\n",
             seconds[seconds.size() / 2] * 1e3, seconds.size(), seconds.front() * 1e3, seconds.back() * 1e3, warm_up);
}

void print_profile(const kernels::Session& session, const std::vector<double>& seconds, std::size_t frames) {
  Table table({{"layer", false}, {"kind", false}, {"library", false}, {"with", false}, {"ms", true}, {"share", true}});
  const double all = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  for (std::size_t step = 0; step < seconds.size(); ++step) {
    const kernels::Step& call = session.program().steps[step];
    table.row({call.name, std::string(kind_of(call.layer)), std::string(session.computed_by(step)),
               fmt::format("{}", fmt::join(call.fused, " ")),
               fmt::format("{:.3f}", seconds[step] / static_cast<double>(frames) * 1e3),
               fmt::format("{:.1f} %", seconds[step] / all * 100)});
  }
  fmt::print("\n{}", table.text());
}

void infer(const CLI::App& verb, const Options& options) {
  Request request(verb);
  InferRequest asked = read(options, request);
  request.check();
  kernels::Session session(std::move(asked.program), asked.session);
  print_session(session, asked);

  std::optional<trace::OutputFile> output;
  if (options.output) output.emplace(*options.output);
  std::vector<double> seconds, steps(session.program().steps.size());
  constexpr std::size_t most_shown = 10;
  for (std::size_t frame = 0; frame < asked.warm_up + asked.count; ++frame) {
    const bool measured = frame >= asked.warm_up;
    const std::size_t number = measured ? frame - asked.warm_up : 0, given = number % asked.frames.count;
    for (std::size_t position = 0; position < asked.frames.inputs.size(); ++position) {
      const std::span<float> input = session.input(position);
      std::copy_n(asked.frames.inputs[position].begin() + static_cast<std::ptrdiff_t>(given * input.size()),
                  input.size(), input.begin());
    }
    const auto begin = std::chrono::steady_clock::now();
    session.run(measured && options.profile ? std::span<double>(steps) : std::span<double>());
    if (!measured) continue;
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    if (number < most_shown && number < asked.frames.count && asked.top > 0) print_top(session, number, asked.top);
    for (std::size_t position = 0; output && position < session.program().outputs.size(); ++position) {
      const std::span<const float> numbers = session.output(position);
      output->write({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
    }
  }
  print_times(seconds, asked.warm_up);
  if (output) {
    output->commit();
    fmt::print("output      {}\n", *options.output);
  }
  if (options.profile) print_profile(session, steps, asked.count);
}

}  // namespace

void add_infer(CLI::App& app, Outcome& outcome) {
  CLI::App& verb = add_verb(app, "infer", "Runs a whole network in this process: answers, time, memory");
  const auto options = std::make_shared<Options>();
  options->network.add_to(verb);
  options->inputs.add_to(verb);
  const auto add = [&verb](const std::string& name, auto& value, const std::string& text, const std::string& type) {
    return verb.add_option(name, value, text)->type_name(type);
  };
  add("--threads", options->threads, "Threads of a layer", "N")->capture_default_str();
  add("--backend", options->backend, fmt::format("Who computes: {}", fmt::join(backend_names(), " or ")), "NAME")
      ->capture_default_str();
  add("--frames", options->frames, "Frames to run, from the first again behind the last [those of the input]", "N");
  add("--warm-up", options->warm_up, "Frames before that, which are not counted", "N")->capture_default_str();
  add("--top", options->top, "Largest numbers to show of each output", "N")->capture_default_str();
  add("--output", options->output, "Writes the outputs of all frames as raw float32", "FILE");
  verb.add_flag("--profile", options->profile, "Shows the time of each layer");
  verb.footer(
      "A network of the zoo has seeded, calibrated weights. The back-end eigen gives the same bits for any number of\n"
      "threads; onednn agrees with it to 1e-5 of the largest output. For an image, a value x from 0 to 255 becomes\n"
      "(x * scale - mean) / std.");
  verb.callback([&verb, options, &outcome] {
    infer(verb, *options);
    outcome.code = ExitCode::done;
  });
}

}  // namespace spillway::cli
