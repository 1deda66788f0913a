#include "min_traffic_networks.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "models/layers.hpp"

namespace spillway::least_traffic {
namespace {

using models::Network;
using models::NodeId;
using models::Operator;
using models::Shape;
using models::Window;

class Grower {
 public:
  explicit Grower(tiling::Random& random) : random_(random), network_("small") {
    const std::int64_t kind = random_.between(0, 3);
    if (kind == 0) {
      // Rows of whole sectors.
      const std::int64_t width = std::int64_t{8} << random_.between(0, 2);
      many_ = 512 / width;
      input({many_ * (random_.chance(30) ? 2 : 1), random_.between(1, 4), width});
    } else if (kind == 1) {
      // Rows that can be cut where sectors end, of some of the blocks at least.
      input({4 * random_.between(1, 8), random_.between(1, 4), 16 * random_.between(1, 4)});
    } else {
      input({random_.between(1, 16), random_.between(1, 8), random_.between(1, 8)});
    }
  }

  Network grow() {
    layers_ = random_.between(2, 4);
    if (random_.chance(50)) {
      while (made_ < layers_)
        at_ = step(at_);
    } else {
      branch();
    }
    return std::move(network_);
  }

 private:
  void input(const Shape& shape) { at_ = models::input(network_, shape); }

  const Shape& shape_of(NodeId node) const { return network_.node(node).output; }

  /// Layers on one side, nothing or layers on the other, a sum or concatenation, and layers behind it.
  void branch() {
    if (layers_ > 2 && random_.chance(50)) at_ = step(at_);
    const NodeId skip = at_;
    const bool sum = random_.chance(70);
    do
      at_ = same_map(at_, sum ? shape_of(skip).channels : random_.between(1, 16));
    while (made_ + 2 < layers_ && random_.chance(50));
    if (sum) {
      at_ = models::append(network_, random_.chance(80) ? Operator::add : Operator::multiply, name(),
                           random_.chance(50) ? std::vector{skip, at_} : std::vector{at_, skip});
      ++made_;
    } else {
      at_ = models::append(network_, Operator::concat, name(),
                           random_.chance(50) ? std::vector{skip, at_} : std::vector{at_, skip});
      at_ = step(at_);
    }
    while (made_ < layers_)
      at_ = step(at_);
  }

  NodeId step(NodeId from) {
    ++made_;
    const std::int64_t kind = random_.between(0, 9);
    if (kind < 4) return convolution(from);
    if (kind == 4) return depthwise(from, window(shape_of(from), random_.chance(20)), random_.chance(20) ? 2 : 1);
    if (kind == 5) return pool(from);
    if (kind == 6) return models::local_response_normalization(network_, name(), from, 2 * random_.between(0, 3) + 1);
    if (kind == 7) return same_map(from, shape_of(from).channels, false);
    if (made_ == layers_ || random_.chance(30)) return models::dense(network_, name(), from, random_.between(1, 40));
    return convolution(from);
  }

  /// A layer whose output has the height and width of its input.
  NodeId same_map(NodeId from, std::int64_t channels, bool counts = true) {
    made_ += counts ? 1 : 0;
    const Shape shape = shape_of(from);
    Window same = models::square(1);
    if (random_.chance(70)) same = models::square(3, 1, 1);
    if (shape.channels == channels && random_.chance(20)) return depthwise(from, same, 1);
    return models::convolution(network_, name(), from, channels, same, {.groups = groups(shape.channels, channels)});
  }

  NodeId convolution(NodeId from) {
    const Shape shape = shape_of(from);
    std::int64_t filters = random_.between(1, random_.chance(20) ? 32 : 12) * (random_.chance(50) ? 2 : 1);
    if (many_ > 0 && random_.chance(70)) filters = many_;
    return models::convolution(network_, name(), from, filters, window(shape, true),
                               {.groups = groups(shape.channels, filters)});
  }

  std::int64_t groups(std::int64_t channels, std::int64_t filters) {
    return channels % 2 == 0 && filters % 2 == 0 && random_.chance(30) ? 2 : 1;
  }

  NodeId depthwise(NodeId from, const Window& window, std::int64_t multiplier) {
    const std::int64_t channels = shape_of(from).channels;
    return models::convolution(network_, name(), from, multiplier * channels, window, {.groups = channels});
  }

  NodeId pool(NodeId from) {
    if (random_.chance(20)) return models::global_average_pool(network_, name(), from);
    Window one = window(shape_of(from), false);
    one.ceil_mode = random_.chance(20);
    return models::max_pool(network_, name(), from, one);
  }

  Window window(const Shape& shape, bool dilated) {
    Window window;
    window.kernel_height = random_.between(1, std::min<std::int64_t>(5, shape.height));
    window.kernel_width = random_.between(1, std::min<std::int64_t>(5, shape.width));
    window.stride_height = random_.between(1, random_.chance(50) ? 1 : 3);
    window.stride_width = random_.between(1, random_.chance(50) ? 1 : 3);
    if (dilated && random_.chance(30)) {
      window.dilation_height = window.kernel_height * 2 - 1 <= shape.height ? 2 : 1;
      window.dilation_width = window.kernel_width * 2 - 1 <= shape.width ? 2 : 1;
    }
    window.pad_top = random_.between(0, window.kernel_height - 1);
    window.pad_left = random_.between(0, window.kernel_width - 1);
    window.pad_bottom = random_.between(0, window.kernel_height - 1);
    window.pad_right = random_.between(0, window.kernel_width - 1);
    return window;
  }

  std::string name() { return "node" + std::to_string(network_.nodes().size()); }

  tiling::Random& random_;
  Network network_;
  NodeId at_ = 0;
  std::int64_t layers_ = 0, made_ = 0;
  std::int64_t many_ = 0;  ///< channels that fill rows, or 0
};

}  // namespace

models::Network small_network(tiling::Random& random) {
  return Grower(random).grow();
}

}  // namespace spillway::least_traffic
