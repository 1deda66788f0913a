#include "experiments/cli/executed_plan_option.hpp"

#include <cstdint>

namespace spillway::cli {
namespace {

constexpr std::uint64_t most_frames = 100'000;

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
  PlanRequest asked = read(options.plan, request);
  const std::uint64_t frames = request.number("--frames", options.frames, 1, most_frames);
  const std::uint64_t window =
      options.window ? request.number("--window", *options.window, 1, frames == 0 ? most_frames : frames) : frames;
  asked.tiling.frames = static_cast<std::uint32_t>(frames);
  asked.tiling.window = static_cast<std::uint32_t>(window);
  return asked;
}

}  // namespace spillway::cli
