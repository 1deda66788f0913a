#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "models/network.hpp"
#include "sim/core/plan.hpp"

/// Rules that cut a network into tiles for a given SRAM and buffer size.
namespace spillway::tiling {

/// How tiles are chosen; see sim/tiling/README.md.
enum class Rule : std::uint8_t {
  paper,         ///< fewest tiles, whole-filter weight chunks: reproduces the published SwapNN counts and times best
  paper_counts,  ///< halved squares, weights cut both ways: closest to the published counts; cannot be executed
  halo,          ///< `paper` with exact halos, accumulators and card extents: every byte charged is really moved
  min_traffic,   ///< the fewest bytes moved, with weights and outputs that stay in SRAM; can be executed
};

std::string_view to_string(Rule rule);

/// What a plan is made for.
struct Request {
  std::uint64_t sram_bytes = 0;
  std::uint64_t buffer_bytes = 0;
  /// Of feature maps and weights. The paper's rules do not heed it: they count one byte an element, always.
  models::ElementType element = models::ElementType::int8;
  Rule rule = Rule::paper;
  std::uint32_t frames = 1;
  std::uint32_t window = 0;  ///< frames in flight, at most `frames`; 0: all frames
  core::Queue queue = core::Queue::skip;
  bool shared_pool = false;  ///< one pool for all buffers (shows the deadlock of the paper)
};

/// A network and a request that no plan can satisfy: the demand, the bound, and what would make it fit.
class Infeasible : public std::runtime_error {
 public:
  Infeasible(std::string layer_name, std::uint64_t demand, std::uint64_t bound, const std::string& what)
      : std::runtime_error(what), layer(std::move(layer_name)), demand_bytes(demand), bound_bytes(bound) {}

  std::string layer;  ///< empty where the buffers as a whole do not suffice
  std::uint64_t demand_bytes, bound_bytes;
};

/// A network that no buffer size makes swappable: a map read in another shape by anything but a dense layer, a second
/// input, sizes beyond the plan's tables.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A plan with the tables that it points into.
struct SwapPlan {
  std::string network;
  Request request;
  std::vector<std::string> layer_names;     ///< one for each row, the name of the network's node
  std::vector<models::NodeId> layer_nodes;  ///< one for each row
  std::vector<core::Layer> layers;
  std::vector<core::Part> parts;
  std::vector<core::LayerIndex> consumers;
  core::Pools pools;
  core::CardLayout layout = core::CardLayout::contiguous;
  std::uint32_t input_channels = 0, input_height = 1, input_width = 1;  ///< of the network's input
  std::uint32_t input_plane_channels = 0;                               ///< of the network's input, under planes
  /// Empty when firmware and runtime can execute the plan; otherwise why it only counts.
  std::string counting_only;

  /// The view that the core takes; valid as long as this object stays where it is.
  core::Plan view() const;
};

/// Cuts `network` for `request`. Throws Infeasible, Unsupported, and std::invalid_argument for a request that means
/// nothing (no buffer, no frames; rules halo and
/// min-traffic: a buffer that is no multiple of 512 bytes).
SwapPlan make_plan(const models::Network& network, const Request& request);

/// The smallest buffer, a multiple of 512 bytes, with which the same request has a plan; 0 when none has.
std::uint64_t smallest_buffer(const models::Network& network, Request request);

}  // namespace spillway::tiling
