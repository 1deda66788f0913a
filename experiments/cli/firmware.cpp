#include "experiments/execution/firmware.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "experiments/cli/infer_inputs.hpp"
#include "experiments/cli/network_option.hpp"
#include "experiments/cli/new_folder.hpp"
#include "experiments/cli/plan_options.hpp"
#include "experiments/cli/request.hpp"
#include "experiments/cli/table.hpp"
#include "experiments/cli/verbs.hpp"
#include "hw/kernels/int8/calibration/float_maps.hpp"
#include "hw/stm32/image/build.hpp"
#include "hw/swap/image/operators.hpp"
#include "models/quantized/qdq_file.hpp"
#include "models/quantized/quantize.hpp"
#include "models/seeded_weights.hpp"
#include "platforms/catalogue.hpp"
#include "platforms/units.hpp"
#include "sim/tiling/swap_plan.hpp"
#include "sim/trace/output_file.hpp"

namespace spillway::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* only_board = "stm32f746g-disco";
constexpr const char* record_name = "firmware.json";
constexpr std::uint64_t most_frames = 1'000'000, most_iterations = 1'000'000;

struct Options {
  NetworkOption network;
  std::string board = only_board;
  std::string sram = "256 KiB";
  std::optional<std::string> buffer, input, frames, benchmark;
  std::string rule = "halo", window = "1", seed = "1", iterations = "1000";
  std::string output;
  bool overwrite = false;
};

constexpr std::array rules = {tiling::Rule::halo, tiling::Rule::min_traffic};
constexpr std::array<std::string_view, 2> benchmarks = {"in-core", "out-of-core"};

template <class Values>
std::vector<std::string> texts_of(const Values& values) {
  std::vector<std::string> texts;
  for (const auto value : values) {
    if constexpr (requires { to_string(value); })
      texts.emplace_back(to_string(value));
    else
      texts.emplace_back(value);
  }
  return texts;
}

/// What is asked for, read and checked.
struct FirmwareOptions {
  std::optional<std::size_t> benchmark;
  std::uint64_t iterations = 1000;
  std::optional<quantized::QuantizedNetwork> network;
  std::vector<std::vector<float>> inputs;
  tiling::Request tiling;
  fs::path output;
};

fs::path read_output(const Options& options, Request& request) {
  fs::path path = options.output;
  std::error_code error;
  if (path.empty())
    request.problem("--output", "is missing; expected the folder to make");
  else if (fs::exists(path, error) && !fs::is_directory(path, error))
    request.problem("--output", fmt::format("\"{}\" is a file; expected a folder", path.string()));
  else if (fs::exists(path, error) && !fs::is_empty(path, error)) {
    if (!fs::exists(path / record_name, error))
      request.problem("--output", fmt::format("\"{}\" holds other files; expected a new folder", path.string()));
    else if (!options.overwrite)
      request.problem("--output",
                      fmt::format("\"{}\" holds an earlier firmware; --overwrite replaces it", path.string()));
  } else {
    const fs::path parent = fs::absolute(path, error).parent_path();
    if (!fs::is_directory(parent, error))
      request.problem("--output",
                      fmt::format("cannot make \"{}\": there is no folder {}", path.string(), parent.string()));
  }
  return path;
}

models::Shape input_shape(const models::Network& network) {
  for (const models::Node& node : network.nodes()) {
    if (node.op == models::Operator::input) return node.output;
  }
  return {};
}

/// A network of the zoo, which nobody trained: weights and ranges from the seed.
std::optional<quantized::QuantizedNetwork> quantize_seeded(const Options& options, std::uint64_t seed,
                                                           Request& request) {
  const std::optional<models::LoadedNetwork> loaded = read(options.network, request);
  if (!loaded) return std::nullopt;
  const quantized::FoldedNetwork folded =
      quantized::fold(loaded->network, models::SeededWeights(loaded->network, seed).all());
  const std::vector<float> frame = noise(input_shape(folded.network).elements(), seed);
  fmt::print(stderr, "note: {} comes without trained numbers; weights and ranges are made from seed {}\n",
             options.network.network, seed);
  return quantized::quantize(folded, int8::ranges_of(folded, frame));
}

std::optional<quantized::QuantizedNetwork> read_network(const Options& options, std::uint64_t seed, Request& request) {
  const std::string& name = options.network.network;
  if (name.empty()) {
    request.problem("NETWORK", "is missing; expected a network that `spillway quantize` wrote, or one of the zoo");
    return std::nullopt;
  }
  try {
    if (models::is_model_file(name)) return quantized::read_quantized(name);
    return quantize_seeded(options, seed, request);
  } catch (const models::OnnxError& error) {
    note(error, request);
  } catch (const quantized::QuantizationError& error) {
    for (const quantized::Problem& problem : error.problems())
      request.problem("NETWORK", fmt::format("{}: node '{}': {}", name, problem.node, problem.what));
  }
  return std::nullopt;
}

/// The frames: of a file, all or the first of them, or noise.
std::vector<std::vector<float>> read_inputs(const Options& options, std::uint64_t seed, const models::Network& network,
                                            Request& request) {
  const models::Shape shape = input_shape(network);
  const auto elements = static_cast<std::size_t>(shape.elements());
  std::vector<float> numbers;
  if (options.input) {
    kernels::Value value;
    value.name = "input";
    value.extents = {1, shape.channels, shape.height, shape.width};
    numbers = read_frames("--input", *options.input, value, {}, request);
  }
  const std::size_t given = numbers.size() / elements;
  std::uint64_t count = options.input ? given : 1;
  if (options.frames) count = request.number("--frames", *options.frames, 1, options.input ? given : most_frames);
  std::vector<std::vector<float>> frames;
  for (std::uint64_t frame = 0; frame < count; ++frame) {
    if (options.input) {
      const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(frame * elements);
      frames.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(elements));
    } else {
      frames.push_back(noise(shape.elements(), seed + frame));
    }
  }
  return frames;
}

void read_tiling(const Options& options, FirmwareOptions& asked, Request& request) {
  asked.tiling.sram_bytes = request.bytes("--sram", options.sram);
  if (asked.tiling.sram_bytes > stm32::sram_bytes) {
    request.problem("--sram", fmt::format("{} is more than SRAM1 and SRAM2 have for tile buffers: expected at most {}",
                                          options.sram, platforms::format_bytes(stm32::sram_bytes)));
  }
  if (!options.buffer)
    request.problem("--buffer", "is missing; expected the size of a tile buffer, a multiple of 512 bytes: 4 KiB");
  else if ((asked.tiling.buffer_bytes = request.bytes("--buffer", *options.buffer)) % 512 != 0)
    request.problem("--buffer", fmt::format("{} is no multiple of 512 bytes; the nearest is {} B", *options.buffer,
                                            (asked.tiling.buffer_bytes + 256) / 512 * 512));
  const auto rule = request.choice("--rule", "rule", options.rule, texts_of(rules));
  if (rule) asked.tiling.rule = rules[*rule];
  asked.tiling.element = models::ElementType::int8;
}

FirmwareOptions read(const Options& options, Request& request) {
  FirmwareOptions asked;
  request.choice("--board", "board with a firmware", options.board, {only_board});
  asked.output = read_output(options, request);
  if (options.benchmark) {
    asked.benchmark = request.choice("--benchmark", "benchmark", *options.benchmark, texts_of(benchmarks));
    asked.iterations = request.number("--iterations", options.iterations, 1, most_iterations);
    if (!options.network.network.empty())
      request.problem("NETWORK", "is not needed: the benchmark has a computation of its own");
    return asked;
  }
  const std::uint64_t seed = request.number("--seed", options.seed, 0, std::numeric_limits<std::uint32_t>::max());
  read_tiling(options, asked, request);
  asked.network = read_network(options, seed, request);
  if (!asked.network || !request.ok()) return asked;
  asked.inputs = read_inputs(options, seed, asked.network->network, request);
  asked.tiling.frames = static_cast<std::uint32_t>(asked.inputs.size());
  asked.tiling.window = static_cast<std::uint32_t>(
      request.number("--window", options.window, 1, std::max<std::size_t>(asked.inputs.size(), 1)));
  return asked;
}

void print_memory(const core::Plan& plan, const stm32::NetworkMemory& memory) {
  const auto line = [](const std::string& name, const std::string& text) { fmt::print("{}", report_line(name, text)); };
  line("buffers", fmt::format("{} of {} bytes, {} bytes of SRAM", plan.pools.total(), plan.buffer_bytes,
                              with_thousands(memory.tile_buffers_bytes)));
  line("tables", fmt::format("{} bytes of flash", with_thousands(memory.table_bytes)));
  line("data TCM",
       fmt::format("{} bytes: scheduler {}, scratch of the kernels {}, landing area {}, tasks {}",
                   with_thousands(memory.data_bytes()), with_thousands(memory.scheduler_words * 4),
                   with_thousands(memory.scratch_elements * 2), with_thousands(memory.landing_sectors * 512),
                   with_thousands(memory.data_bytes() - memory.scheduler_words * 4 - memory.scratch_elements * 2 -
                                  memory.landing_sectors * 512)));
}

void make_network(const FirmwareOptions& asked, const fs::path& folder, nlohmann::ordered_json& record) {
  const tiling::SwapPlan plan = plan_for(asked.network->network, asked.tiling);
  try {
    const experiments::QuantizedRun run(*asked.network, plan);
    const std::string& name = asked.network->network.name();
    const stm32::NetworkMemory memory = experiments::write_firmware(
        run, plan.layer_names, {name, platforms::data_directory(), asked.inputs, true}, folder);
    fmt::print("{}: {} layers, {} frames\n", name, plan.layers.size(), asked.inputs.size());
    print_memory(run.plan(), memory);
    record["network"] = name;
    record["plan_hash"] = fmt::format("{:016x}", run.image().identity().plan);
    record["frames"] = asked.inputs.size();
    record["tile_buffers_bytes"] = memory.tile_buffers_bytes;
    record["table_bytes"] = memory.table_bytes;
    record["data_bytes"] = memory.data_bytes();
  } catch (const stm32::FirmwareTooLarge& error) {
    throw platforms::InputError(
        {platforms::Problem{"", 0, 0, "NETWORK", fmt::format("{}: {}", asked.network->network.name(), error.what())}});
  } catch (const execution::NotExecutable& error) {
    throw platforms::InputError({platforms::Problem{"", 0, 0, "NETWORK", error.what()}});
  }
}

void make_benchmark(const FirmwareOptions& asked, const fs::path& folder, nlohmann::ordered_json& record) {
  const std::string name(benchmarks[*asked.benchmark]);
  stm32::build_images(
      {platforms::data_directory(), {name}, {fmt::format("SPILLWAY_ITERATIONS={}", asked.iterations)}, folder});
  fmt::print("energy benchmark, {}: {} iterations\n", name, asked.iterations);
  record["benchmark"] = name;
  record["iterations"] = asked.iterations;
}

void make_firmware(const CLI::App& verb, const Options& options) {
  Request request(verb);
  const FirmwareOptions asked = read(options, request);
  request.check();
  NewFolder folder(asked.output);
  nlohmann::ordered_json record;
  record["spillway"] = SPILLWAY_VERSION;
  record["command"] = command_line(verb);
  if (asked.benchmark)
    make_benchmark(asked, folder.path(), record);
  else
    make_network(asked, folder.path(), record);
  trace::write_file(folder.path() / record_name, record.dump(2) + "\n");
  folder.keep();
  fmt::print("{}", report_line("output", asked.output.string() +
                                             (asked.benchmark ? ": the image"
                                                              : ": network.elf, lockstep.elf, card.img, network.cpp")));
}

}  // namespace

void add_firmware(CLI::App& app, Outcome& outcome) {
  CLI::App& verb = add_verb(app, "firmware", "Makes a board's firmware: plan, SD image and ELF file");
  const auto options = std::make_shared<Options>();
  options->network.add_to(verb);
  const auto add = [&verb](const std::string& name, auto& value, const std::string& text, const std::string& type) {
    return verb.add_option(name, value, text)->type_name(type);
  };
  add("--board", options->board, "The board", "NAME")->capture_default_str();
  add("--sram", options->sram, "SRAM for tile buffers", "SIZE")->capture_default_str();
  add("--buffer", options->buffer, "Size of a tile buffer, a multiple of 512 bytes", "SIZE");
  add("--rule", options->rule, "How layers are cut into tiles: halo or min-traffic", "RULE")->capture_default_str();
  add("--input", options->input, "Frames that go onto the card, raw float32 or an image [noise]", "FILE");
  add("--frames", options->frames, "Frames to compute [all of --input; 1]", "N");
  add("--window", options->window, "Frames in flight", "N")->capture_default_str();
  add("--seed", options->seed, "Of noise and of the weights of a network of the zoo", "NUMBER")->capture_default_str();
  add("--benchmark", options->benchmark, "SwapNN's energy benchmark: in-core or out-of-core", "NAME");
  add("--iterations", options->iterations, "Of the benchmark", "N")->capture_default_str();
  add("--output", options->output, "The folder to make", "DIR");
  verb.add_flag("--overwrite", options->overwrite, "Replaces an earlier firmware in that folder");
  verb.footer(
      "NETWORK is a file that `spillway quantize` wrote, or a network of the zoo. hw/stm32/README.md says how to "
      "flash\n"
      "the image and to write the card; `scripts/emulate network.elf --card card.img` runs both on the virtual board.\n"
      "lockstep.elf is what `spillway hil` speaks with: `scripts/emulate lockstep.elf --serial SOCKET`.");
  verb.callback([&verb, options, &outcome] {
    make_firmware(verb, *options);
    outcome.code = ExitCode::done;
  });
}

}  // namespace spillway::cli
