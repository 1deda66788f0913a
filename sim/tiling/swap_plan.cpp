#include "sim/tiling/swap_plan.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "sim/core/layout.hpp"
#include "sim/core/scheduler.hpp"
#include "sim/tiling/builder.hpp"
#include "sim/tiling/counts.hpp"
#include "sim/tiling/cut.hpp"
#include "sim/tiling/executable.hpp"
#include "sim/tiling/min_traffic.hpp"
#include "sim/tiling/planes.hpp"
#include "sim/tiling/refusal.hpp"

namespace spillway::tiling {
namespace {

constexpr std::uint64_t smallest_count = 4;  ///< buffers: one for input, two for weights, one for output
constexpr std::uint64_t largest_count = std::numeric_limits<std::uint16_t>::max();
constexpr std::uint64_t buffer_step = 512;  ///< bytes; buffers are searched in these steps

const RuleSteps& steps_of(Rule rule) {
  switch (rule) {
    case Rule::paper:
      return paper_rule;
    case Rule::paper_counts:
      return paper_counts_rule;
    case Rule::halo:
    case Rule::min_traffic:
      break;
  }
  return halo_rule;
}

bool moves_sectors(Rule rule) {
  return rule == Rule::halo || rule == Rule::min_traffic;
}

/// The paper's rules count one byte an element, whatever the network's.
std::uint32_t element_bytes_of(const Request& request) {
  return moves_sectors(request.rule) ? static_cast<std::uint32_t>(models::bytes_of(request.element)) : 1;
}

void check_request(const Request& request) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument(what); };
  if (request.buffer_bytes == 0) refuse("a buffer of 0 bytes: expected at least 1 byte");
  if (request.buffer_bytes > std::numeric_limits<std::uint32_t>::max()) {
    refuse(fmt::format("a buffer of {}: expected less than 4 GiB", format_bytes(request.buffer_bytes)));
  }
  if (moves_sectors(request.rule) && request.buffer_bytes % core::sector_bytes != 0) {
    refuse(fmt::format("a buffer of {}: rule {} moves whole sectors, expected a multiple of {} bytes",
                       format_bytes(request.buffer_bytes), to_string(request.rule), core::sector_bytes));
  }
  if (request.frames == 0) refuse("0 frames: expected at least 1");
}

core::Pools pools_of(const Request& request) {
  const std::uint64_t count = request.sram_bytes / request.buffer_bytes;
  const std::string sizes = fmt::format("SRAM of {} with buffers of {}", format_bytes(request.sram_bytes),
                                        format_bytes(request.buffer_bytes));
  if (count < smallest_count) {
    throw Infeasible("", smallest_count * request.buffer_bytes, request.sram_bytes,
                     fmt::format("{} gives {} buffers, at least {} are needed: buffer at most {} or SRAM at least {}",
                                 sizes, count, smallest_count, format_bytes(request.sram_bytes / smallest_count),
                                 format_bytes(smallest_count * request.buffer_bytes)));
  }
  if (count > largest_count) {
    throw Infeasible("", request.sram_bytes, largest_count * request.buffer_bytes,
                     fmt::format("{} gives {} buffers, at most {} are possible: buffer at least {}", sizes, count,
                                 largest_count, format_bytes(request.sram_bytes / largest_count + 1)));
  }
  core::Pools pools = core::Pools::quarters(static_cast<std::uint32_t>(count));
  pools.shared = request.shared_pool;
  return pools;
}

Budget budget_of(const Request& request, const core::Pools& pools) {
  return {request.buffer_bytes, pools.shared ? pools.total() : pools.input, element_bytes_of(request)};
}

/// The channels step with the bound on input buffers that all rules have in common.
Cut cut_channels(const RuleSteps& rule, const SwapLayer& layer, const Budget& budget) {
  Cut cut = rule.channels(layer, budget);
  if (cut.input_buffers <= budget.input_buffers) return cut;
  const std::uint64_t demand = cut.input_buffers * budget.buffer_bytes;
  const std::uint64_t bound = budget.input_buffers * budget.buffer_bytes;
  throw Infeasible(
      layer.name, demand, bound,
      fmt::format("layer `{}`: the smallest tile reads its input into {} buffers of {}, the input pool has "
                  "{}; it needs SRAM of at least {} with this buffer",
                  layer.name, cut.input_buffers, format_bytes(budget.buffer_bytes), budget.input_buffers,
                  format_bytes(4 * demand)));
}

std::uint64_t smallest_buffer_of(const std::vector<SwapLayer>& layers, Request request) {
  const std::uint64_t first = std::max(buffer_step, request.sram_bytes / largest_count / buffer_step * buffer_step);
  for (request.buffer_bytes = first; request.buffer_bytes * smallest_count <= request.sram_bytes;
       request.buffer_bytes += buffer_step) {
    try {
      const Budget budget = budget_of(request, pools_of(request));
      for (const SwapLayer& layer : layers)
        cut_channels(steps_of(request.rule), layer, budget);
      return request.buffer_bytes;
    } catch (const Infeasible&) {
    }
  }
  return 0;
}

std::string remedy(const std::vector<SwapLayer>& layers, const Request& request) {
  const std::uint64_t smallest = smallest_buffer_of(layers, request);
  if (smallest == 0) return fmt::format("no buffer size works with SRAM of {}", format_bytes(request.sram_bytes));
  return fmt::format("the smallest buffer that works with SRAM of {} is {}", format_bytes(request.sram_bytes),
                     format_bytes(smallest));
}

std::string_view reason(core::Status status) {
  switch (status) {
    case core::Status::too_few_buffers:
      return "a pool is empty";
    case core::Status::input_pool_small:
      return "a tile needs more input buffers than the pool has";
    case core::Status::output_pool_small:
      return "there are fewer output than input buffers";
    default:
      return "the plan is incomplete";
  }
}

/// Cuts the layers by a rule of two steps. Throws Infeasible.
void cut_layers(SwapPlan& plan, const std::vector<SwapLayer>& layers, const RuleSteps& rule, const Budget& budget) {
  Builder builder(plan, layers);
  for (const SwapLayer& layer : layers) {
    try {
      Cut cut = cut_channels(rule, layer, budget);
      rule.map(layer, budget, cut);
      builder.add(layer, cut);
    } catch (const Infeasible& refusal) {
      throw Infeasible(refusal.layer, refusal.demand_bytes, refusal.bound_bytes,
                       fmt::format("{}; {}", refusal.what(), remedy(layers, plan.request)));
    }
  }
}

SwapPlan finished(SwapPlan plan) {
  if (const core::Status status = core::Scheduler::check(plan.view()); status != core::Status::ok) {
    throw Infeasible("", 0, 0, fmt::format("the scheduler refuses the plan: {}", reason(status)));
  }
  plan.counting_only = why_counting_only(plan);
  return plan;
}

}  // namespace

std::string_view to_string(Rule rule) {
  switch (rule) {
    case Rule::paper:
      return "paper";
    case Rule::paper_counts:
      return "paper-counts";
    case Rule::halo:
      return "halo";
    case Rule::min_traffic:
      break;
  }
  return "min-traffic";
}

core::Plan SwapPlan::view() const {
  core::Plan plan;
  plan.layers = layers;
  plan.parts = parts;
  plan.consumers = consumers;
  plan.pools = pools;
  plan.buffer_bytes = static_cast<std::uint32_t>(request.buffer_bytes);
  plan.frames = request.frames;
  plan.window = request.window == 0 ? request.frames : std::min(request.window, request.frames);
  plan.queue = request.queue;
  plan.layout = layout;
  plan.input_channels = input_channels;
  plan.input_height = input_height;
  plan.input_width = input_width;
  plan.input_plane_channels = input_plane_channels;
  return plan;
}

SwapPlan make_plan(const models::Network& network, const Request& request) {
  check_request(request);
  const RuleSteps& rule = steps_of(request.rule);
  const std::vector<SwapLayer> layers = lower(network, rule.lowering);

  SwapPlan plan;
  plan.network = network.name();
  plan.request = request;
  plan.pools = pools_of(request);
  plan.layout = rule.layout;
  const Planes input = planes_of(layers, element_bytes_of(request), 0);
  plan.input_channels = input.input_channels;
  plan.input_height = input.input_height;
  plan.input_width = input.input_width;
  const Budget budget = budget_of(request, plan.pools);
  std::optional<SwapPlan> least;
  if (request.rule == Rule::min_traffic) least = least_traffic(plan, layers, budget);
  try {
    cut_layers(plan, layers, rule, budget);
  } catch (const Infeasible&) {
    if (!least) throw;
    return finished(*std::move(least));
  }
  const bool better = least && traffic(least->view()).bytes() <= traffic(plan.view()).bytes();
  return finished(better ? *std::move(least) : std::move(plan));
}

std::uint64_t smallest_buffer(const models::Network& network, Request request) {
  return smallest_buffer_of(lower(network, steps_of(request.rule).lowering), request);
}

}  // namespace spillway::tiling
