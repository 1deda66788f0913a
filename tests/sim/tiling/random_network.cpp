#include "random_network.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "models/layers.hpp"

namespace spillway::tiling {
namespace {

using models::Network;
using models::NodeId;
using models::Operator;
using models::Shape;
using models::Window;

class Grower {
 public:
  explicit Grower(Random& random) : random_(random), network_("random") {
    wide_ = random_.chance(25);
    const Shape narrow{random_.between(1, 12), random_.between(3, 24), random_.between(3, 24)};
    const Shape wide{2 * random_.between(20, 150), random_.between(1, 6), random_.between(1, 6)};
    nodes_.push_back(models::input(network_, wide_ ? wide : narrow));
  }

  Network grow() {
    const std::int64_t operators = random_.between(2, 10);
    for (std::int64_t i = 0; i < operators; ++i)
      nodes_.push_back(next());
    if (random_.chance(40)) end();
    return std::move(network_);
  }

 private:
  NodeId next() {
    const NodeId from = any();
    switch (random_.between(0, 8)) {
      case 0:
      case 1:
      case 2:
        return convolution(from);
      case 3:
        return depthwise(from);
      case 4:
        return pool(from);
      case 5:
        return models::local_response_normalization(network_, name(), from, 2 * random_.between(0, 3) + 1);
      case 6:
        return combine(from, random_.chance(50) ? Operator::add : Operator::multiply, true);
      case 7:
        return combine(from, Operator::concat, false);
      default:
        return models::append(network_, random_.chance(50) ? Operator::relu : Operator::batch_normalization, name(),
                              {from});
    }
  }

  NodeId any() {
    const auto recent = static_cast<std::int64_t>(nodes_.size());
    return nodes_[static_cast<std::size_t>(random_.between(std::max<std::int64_t>(0, recent - 4), recent - 1))];
  }

  NodeId convolution(NodeId from) {
    const Shape shape = network_.node(from).output;
    const std::int64_t groups = shape.channels % 2 == 0 && random_.chance(40) ? 2 : 1;
    const std::int64_t filters = groups * random_.between(1, wide_ && random_.chance(50) ? 400 : 20);
    return models::convolution(network_, name(), from, filters, window(shape, true), {.groups = groups});
  }

  NodeId depthwise(NodeId from) {
    const Shape shape = network_.node(from).output;
    const std::int64_t multiplier = random_.chance(20) ? 2 : 1;
    const bool dense_weight_bytes = shape.channels > 1 && random_.chance(20);
    return models::convolution(network_, name(), from, multiplier * shape.channels, window(shape, false),
                               {.groups = shape.channels, .dense_weight_bytes = dense_weight_bytes});
  }

  NodeId pool(NodeId from) {
    const Shape shape = network_.node(from).output;
    if (random_.chance(15)) return models::global_average_pool(network_, name(), from);
    return models::max_pool(network_, name(), from, window(shape, false));
  }

  /// All nodes with the same map size (and channels) as `from`, at most three.
  NodeId combine(NodeId from, Operator op, bool same_channels) {
    const Shape shape = network_.node(from).output;
    std::vector<NodeId> inputs{from};
    for (const NodeId other : nodes_) {
      const Shape candidate = network_.node(other).output;
      const bool fits = candidate.height == shape.height && candidate.width == shape.width &&
                        (!same_channels || candidate.channels == shape.channels);
      if (other != from && fits && inputs.size() < 3) inputs.push_back(other);
    }
    if (inputs.size() == 1) return convolution(from);
    return models::append(network_, op, name(), inputs);
  }

  Window window(const Shape& shape, bool dilated) {
    Window window;
    window.kernel_height = random_.between(1, std::min<std::int64_t>(5, shape.height));
    window.kernel_width = random_.between(1, std::min<std::int64_t>(5, shape.width));
    window.stride_height = random_.between(1, 3);
    window.stride_width = random_.between(1, 3);
    if (dilated && random_.chance(20)) {
      window.dilation_height = window.kernel_height * 2 - 1 <= shape.height ? 2 : 1;
      window.dilation_width = window.kernel_width * 2 - 1 <= shape.width ? 2 : 1;
    }
    window.pad_top = random_.between(0, window.kernel_height - 1);
    window.pad_left = random_.between(0, window.kernel_width - 1);
    window.pad_bottom = random_.between(0, window.kernel_height - 1);
    window.pad_right = random_.between(0, window.kernel_width - 1);
    return window;
  }

  void end() {
    NodeId last = nodes_.back();
    if (random_.chance(50)) last = models::append(network_, Operator::flatten, name(), {last});
    models::dense(network_, name(), last, random_.between(1, 300));
  }

  std::string name() { return "node" + std::to_string(network_.nodes().size()); }

  Random& random_;
  Network network_;
  bool wide_ = false;  ///< many channels on a small map
  std::vector<NodeId> nodes_;
};

}  // namespace

models::Network random_network(Random& random) {
  return Grower(random).grow();
}

}  // namespace spillway::tiling
