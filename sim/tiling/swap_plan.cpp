#include "sim/tiling/swap_plan.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "sim/core/geometry.hpp"
#include "sim/core/layout.hpp"
#include "sim/core/scheduler.hpp"
#include "sim/tiling/cut.hpp"
#include "sim/tiling/executable.hpp"
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
      break;
  }
  return halo_rule;
}

/// The paper's rules count one byte an element, whatever the network's.
std::uint32_t element_bytes_of(const Request& request) {
  return request.rule == Rule::halo ? static_cast<std::uint32_t>(models::bytes_of(request.element)) : 1;
}

void check_request(const Request& request) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument(what); };
  if (request.buffer_bytes == 0) refuse("a buffer of 0 bytes: expected at least 1 byte");
  if (request.buffer_bytes > std::numeric_limits<std::uint32_t>::max()) {
    refuse(fmt::format("a buffer of {}: expected less than 4 GiB", format_bytes(request.buffer_bytes)));
  }
  if (request.rule == Rule::halo && request.buffer_bytes % core::sector_bytes != 0) {
    refuse(fmt::format("a buffer of {}: rule halo moves whole sectors, expected a multiple of {} bytes",
                       format_bytes(request.buffer_bytes), core::sector_bytes));
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

/// Puts the tables together, layer after layer.
class Builder {
 public:
  Builder(SwapPlan& plan, const std::vector<SwapLayer>& layers) : plan_(plan), layers_(layers) {}

  void add(const SwapLayer& from, const Cut& cut) {
    core::Layer layer;
    layer.channels = from.channels;
    layer.height = from.height;
    layer.width = from.width;
    layer.tile_channels = cut.tile_channels;
    layer.tile_height = cut.tile_height;
    layer.tile_width = cut.tile_width;
    layer.groups = count(from, ceil_divide(from.channels, cut.tile_channels));
    layer.rows = count(from, ceil_divide(from.height, cut.tile_height));
    layer.columns = count(from, ceil_divide(from.width, cut.tile_width));
    count(from, std::uint64_t{layer.groups} * layer.rows * layer.columns);
    layer.input_height = from.input_height;
    layer.input_width = from.input_width;
    layer.kernel_height = static_cast<std::uint16_t>(from.kernel_height);
    layer.kernel_width = static_cast<std::uint16_t>(from.kernel_width);
    layer.stride_height = static_cast<std::uint16_t>(from.stride_height);
    layer.stride_width = static_cast<std::uint16_t>(from.stride_width);
    layer.pad_top = static_cast<std::uint16_t>(from.pad_top);
    layer.pad_left = static_cast<std::uint16_t>(from.pad_left);
    layer.channel_halo = small(from, from.channel_halo);
    layer.chunks = count(from, ceil_divide(cut.tile_channels, cut.chunk_filters) * cut.pieces);
    layer.chunk_filters = cut.chunk_filters;
    layer.pieces = cut.pieces;
    layer.filter_bytes = count(from, cut.filter_bytes);
    layer.piece_bytes = count(from, cut.piece_bytes);
    layer.filter_work = from.filter_work;
    layer.element_bytes = static_cast<std::uint8_t>(cut.element_bytes);
    layer.work_class = from.work_class;
    layer.channelwise = from.channelwise;
    layer.flattened = from.flattened;
    layer.waits_for_all = from.waits_for_all;
    layer.first_part = small(from, plan_.parts.size());
    layer.parts = small(from, cut.parts.size());
    layer.first_consumer = small(from, plan_.consumers.size());
    plan_.parts.insert(plan_.parts.end(), cut.parts.begin(), cut.parts.end());
    const std::uint64_t buffers = ceil_divide(largest_input(layer), plan_.request.buffer_bytes);
    layer.input_buffers = small(from, std::min(buffers, cut.input_buffers));
    add_consumers();
    layer.consumers = small(from, plan_.consumers.size() - layer.first_consumer);
    plan_.layer_names.push_back(from.name);
    plan_.layer_nodes.push_back(from.node);
    plan_.layers.push_back(layer);
  }

 private:
  std::uint64_t largest_input(const core::Layer& layer) const {
    std::uint64_t largest = 0;
    for (std::uint32_t tile = 0; tile < layer.tiles(); ++tile) {
      std::uint64_t bytes = 0;
      for (std::size_t part = layer.first_part; part < plan_.parts.size(); ++part) {
        bytes += core::input_region(layer, plan_.parts[part], tile).elements() * layer.element_bytes;
      }
      largest = std::max(largest, bytes);
    }
    return largest;
  }

  void add_consumers() {
    const std::size_t row = plan_.layers.size();
    for (std::size_t reader = row + 1; reader < layers_.size(); ++reader) {
      const auto& sources = layers_[reader].sources;
      const auto reads = [row](const core::Part& part) { return part.producer == row; };
      if (std::any_of(sources.begin(), sources.end(), reads)) {
        plan_.consumers.push_back(static_cast<core::LayerIndex>(reader));
      }
    }
  }

  static std::uint32_t count(const SwapLayer& layer, std::uint64_t value) {
    return within<std::uint32_t>(layer, value);
  }
  static std::uint16_t small(const SwapLayer& layer, std::uint64_t value) {
    return within<std::uint16_t>(layer, value);
  }
  template <class Integer>
  static Integer within(const SwapLayer& layer, std::uint64_t value) {
    if (value > std::numeric_limits<Integer>::max()) {
      throw Unsupported(fmt::format("layer `{}`: the plan's tables take numbers up to {}, this one needs {}",
                                    layer.name, std::numeric_limits<Integer>::max(), value));
    }
    return static_cast<Integer>(value);
  }

  SwapPlan& plan_;
  const std::vector<SwapLayer>& layers_;
};

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

}  // namespace

std::string_view to_string(Rule rule) {
  switch (rule) {
    case Rule::paper:
      return "paper";
    case Rule::paper_counts:
      return "paper-counts";
    case Rule::halo:
      break;
  }
  return "halo";
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
  plan.layout = steps_of(request.rule).layout;
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
  const Budget budget = budget_of(request, plan.pools);
  Builder builder(plan, layers);
  for (const SwapLayer& layer : layers) {
    try {
      Cut cut = cut_channels(rule, layer, budget);
      rule.map(layer, budget, cut);
      builder.add(layer, cut);
    } catch (const Infeasible& refusal) {
      throw Infeasible(refusal.layer, refusal.demand_bytes, refusal.bound_bytes,
                       fmt::format("{}; {}", refusal.what(), remedy(layers, request)));
    }
  }
  if (const core::Status status = core::Scheduler::check(plan.view()); status != core::Status::ok) {
    throw Infeasible("", 0, 0, fmt::format("the scheduler refuses the plan: {}", reason(status)));
  }
  plan.counting_only = why_counting_only(plan);
  return plan;
}

std::uint64_t smallest_buffer(const models::Network& network, Request request) {
  return smallest_buffer_of(lower(network, steps_of(request.rule).lowering), request);
}

}  // namespace spillway::tiling
