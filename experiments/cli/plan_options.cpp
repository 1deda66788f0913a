#include "experiments/cli/plan_options.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/quantized/qdq_file.hpp"
#include "platforms/units.hpp"

namespace spillway::cli {
namespace {

constexpr std::array rules = {tiling::Rule::paper, tiling::Rule::paper_counts, tiling::Rule::halo,
                              tiling::Rule::min_traffic};
constexpr std::array elements = {models::ElementType::int8, models::ElementType::float32};

/// The card that comes with a board where none is asked for.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> usual_cards = {{
    {"swapnn-paper", "swapnn-paper"},
    {"stm32f746g-disco", "f746-disco-measured"},
    {"stm32h743", "a1-class"},
}};

template <class Values>
std::vector<std::string> names_of(const Values& values) {
  std::vector<std::string> names;
  for (const auto value : values)
    names.emplace_back(to_string(value));
  return names;
}

/// Loads a board or card by name or path. A name that does not exist is a mistake in the option; other mistakes are the
/// file's own.
template <class Load>
auto read_platform(const std::string& option, const std::string& name, Load load, Request& request)
    -> std::optional<decltype(load(name))> {
  try {
    return load(name);
  } catch (const platforms::InputError& error) {
    for (platforms::Problem problem : error.problems()) {
      if (problem.file.empty()) problem.key = option;
      request.problem(problem);
    }
    return std::nullopt;
  }
}

/// The card that is asked for, or the one that goes with the board; empty: there is none.
std::string card_name(const std::optional<std::string>& asked, const std::optional<platforms::Board>& board,
                      Request& request) {
  if (asked) return *asked;
  if (!board) return "";
  for (const auto& [usual_board, usual_card] : usual_cards) {
    if (usual_board == board->name) return std::string(usual_card);
  }
  request.problem("--card", fmt::format("board {} has no usual card; expected one of {}, or a path to a .yaml file",
                                        board->name, fmt::join(platforms::card_names(), ", ")));
  return "";
}

std::uint64_t read_sram(const std::optional<std::string>& text, const std::optional<platforms::Board>& board,
                        Request& request) {
  const auto most = board ? static_cast<std::uint64_t>(board->sram.value) : 0;
  if (!text) return most;
  const std::uint64_t size = request.bytes("--sram", *text);
  if (board && size > most) {
    request.problem("--sram", fmt::format("{} is more than board {} has: expected at most {}",
                                          platforms::format_bytes(size), board->name, platforms::format_bytes(most)));
  }
  return size;
}

/// The number format that is asked for; or the one that a file stores, where the rule does not count int8 whatever it
/// is.
models::ElementType read_element(const PlanOptions& options, std::optional<tiling::Rule> rule,
                                 const std::optional<models::LoadedNetwork>& loaded, Request& request) {
  const bool counts_int8 = rule == tiling::Rule::paper || rule == tiling::Rule::paper_counts;
  if (!options.element) {
    const models::ElementType stored = loaded && loaded->element ? *loaded->element : models::ElementType::int8;
    if (!counts_int8 || stored == models::ElementType::int8) return stored;
    fmt::print(stderr,
               "note: {} stores {}; rule {} counts int8 as the paper does (--rule halo counts what is stored)\n",
               options.network.network, models::to_string(stored), options.rule);
    return models::ElementType::int8;
  }
  const auto element = request.choice("--element", "number format", *options.element, names_of(elements));
  if (!element) return models::ElementType::int8;
  if (counts_int8 && elements[*element] != models::ElementType::int8)
    request.problem("--element",
                    fmt::format("rule {} counts int8 as the paper does; {} needs --rule halo or min-traffic",
                                options.rule, *options.element));
  return elements[*element];
}

/// Whether a model file is one of `spillway quantize`: its numbers are int8.
bool is_quantized(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  return models::is_model_file(path) && content.find("DequantizeLinear") != std::string::npos;
}

}  // namespace

std::optional<models::LoadedNetwork> read_swapped(const NetworkOption& option, Request& request) {
  if (!is_quantized(option.network)) return read(option, request);
  try {
    return models::LoadedNetwork{quantized::read_quantized(option.network).network, {}};
  } catch (const models::OnnxError& error) {
    note(error, request);
  }
  return std::nullopt;
}

void PlanOptions::add_to(CLI::App& verb) {
  network.add_to(verb);
  verb.add_option("--board", board, "A board (spillway list boards) or a .yaml file")
      ->type_name("NAME")
      ->capture_default_str();
  verb.add_option("--card", card, "An SD card (spillway list cards) or a .yaml file [the board's usual card]")
      ->type_name("NAME");
  verb.add_option("--sram", sram, "SRAM for buffers [all that the board has]")->type_name("SIZE");
  verb.add_option("--rule", rule, "How layers are cut into tiles: paper, paper-counts, halo or min-traffic")
      ->type_name("RULE")
      ->capture_default_str();
  verb.add_option("--element", element,
                  "Number format: int8 or float32 (rules halo, min-traffic) [int8; those rules: the file's own]")
      ->type_name("FORMAT");
}

PlanRequest read(const PlanOptions& options, Request& request) {
  return read(options, read_swapped(options.network, request), request);
}

PlanRequest read(const PlanOptions& options, const std::optional<models::LoadedNetwork>& loaded, Request& request) {
  PlanRequest result;
  if (loaded) result.network = loaded->network;
  result.board = read_platform("--board", options.board, platforms::load_board, request);
  result.card_name = card_name(options.card, result.board, request);
  if (options.card || !result.card_name.empty()) {
    result.card = read_platform("--card", result.card_name, platforms::load_card, request);
  }
  result.tiling.sram_bytes = read_sram(options.sram, result.board, request);
  if (options.buffer) result.tiling.buffer_bytes = request.bytes("--buffer", *options.buffer);
  const auto rule = request.choice("--rule", "rule", options.rule, names_of(rules));
  if (rule) result.tiling.rule = rules[*rule];
  result.tiling.element = read_element(options, rule ? std::optional(rules[*rule]) : std::nullopt, loaded, request);
  return result;
}

tiling::SwapPlan plan_for(const models::Network& network, const tiling::Request& request) {
  try {
    return tiling::make_plan(network, request);
  } catch (const std::invalid_argument& error) {
    throw platforms::InputError({platforms::Problem{"", 0, 0, "", error.what()}});
  }
}

}  // namespace spillway::cli
