#include "experiments/cli/executed_plan_option.hpp"

#include <cstdint>
#include <fstream>
#include <iterator>

#include "models/load.hpp"
#include "models/quantized/qdq_file.hpp"

namespace spillway::cli {
namespace {

constexpr std::uint64_t most_frames = 100'000;

/// Whether a model file is one of `spillway quantize`: its numbers are int8.
bool is_quantized(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  return models::is_model_file(path) && content.find("DequantizeLinear") != std::string::npos;
}

std::optional<models::LoadedNetwork> read_network(const NetworkOption& option, Request& request) {
  if (!is_quantized(option.network)) return read(option, request);
  try {
    return models::LoadedNetwork{quantized::read_quantized(option.network).network, {}};
  } catch (const models::OnnxError& error) {
    note(error, request);
  }
  return std::nullopt;
}

}  // namespace

ExecutedPlanOption::ExecutedPlanOption() {
  plan.board = "stm32f746g-disco";
  plan.buffer = "16 KiB";
  plan.rule = "halo";
  plan.element = "int8";
}

void ExecutedPlanOption::add_to(CLI::App& verb, bool with_board) {
  const auto add = [&verb](const std::string& name, auto& value, const std::string& text, const std::string& type) {
    return verb.add_option(name, value, text)->type_name(type);
  };
  plan.network.add_to(verb);
  if (with_board)
    add("--board", plan.board, "A board (spillway list boards) or a .yaml file", "NAME")->capture_default_str();
  add("--card", plan.card, "An SD card (spillway list cards) or a .yaml file [the board's usual card]", "NAME");
  add("--sram", plan.sram, "SRAM for buffers [all that the board has]", "SIZE");
  add("--buffer", plan.buffer, "Size of one buffer [16 KiB]", "SIZE");
  add("--rule", plan.rule, "How layers are cut into tiles: halo or min-traffic", "RULE")->capture_default_str();
  add("--frames", frames, "Frames", "N")->capture_default_str();
  add("--window", window, "Frames in flight at one time [all]", "N");
}

PlanRequest read(const ExecutedPlanOption& options, Request& request) {
  const std::optional<models::LoadedNetwork> loaded = read_network(options.plan.network, request);
  PlanRequest asked = read(options.plan, loaded, request);
  const std::uint64_t frames = request.number("--frames", options.frames, 1, most_frames);
  const std::uint64_t window =
      options.window ? request.number("--window", *options.window, 1, frames == 0 ? most_frames : frames) : frames;
  asked.tiling.frames = static_cast<std::uint32_t>(frames);
  asked.tiling.window = static_cast<std::uint32_t>(window);
  return asked;
}

}  // namespace spillway::cli
