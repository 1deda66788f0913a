#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "random_case.hpp"
#include "temporary_folder.hpp"
#include <gtest/gtest.h>

#include "hw/linux/card_file.hpp"
#include "hw/linux/float32_kernels.hpp"
#include "hw/linux/runtime.hpp"
#include "hw/swap/image/card_image.hpp"
#include "hw/swap/image/operators.hpp"

namespace spillway::execution {
namespace {

using models::Node;
using models::NodeId;
using models::Operator;
using models::Shape;
using Values = std::vector<double>;

std::size_t at(const Shape& shape, std::int64_t c, std::int64_t y, std::int64_t x) {
  return static_cast<std::size_t>((c * shape.height + y) * shape.width + x);
}

/// A network with random float32 numbers, and its outputs by the definition, in double.
class FloatCase {
 public:
  FloatCase(const models::Network& network, const tiling::SwapPlan& plan, tiling::Random& random)
      : network_(network), rows_(plan.layer_nodes) {
    weights_.resize(rows_.size());
    biases_.resize(rows_.size());
    layers_.resize(rows_.size());
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const Node& node = network.node(rows_[row]);
      if (random.chance(30)) layers_[row].minimum = 0;
      if (network.weights(rows_[row]) == 0) continue;
      const Shape from = network.input_shape(rows_[row]);
      const std::int64_t products = node.op == Operator::dense ? from.elements()
                                                               : from.channels / node.groups *
                                                                     node.window.kernel_height * node.window.kernel_width;
      for (std::int64_t i = 0; i < products * node.output.channels; ++i)
        weights_[row].push_back(number(random) / std::sqrt(static_cast<float>(products)));
      for (std::int64_t i = 0; i < node.output.channels; ++i)
        biases_[row].push_back(number(random));
      layers_[row].bias = biases_[row].data();
    }
    for (std::int64_t i = 0; i < network.node(0).output.elements(); ++i)
      input_.push_back(number(random));
  }

  const std::vector<FloatLayer>& layers() const { return layers_; }
  Bytes input() const { return bytes_of(input_); }
  std::vector<Bytes> weights() const {
    std::vector<Bytes> all;
    for (const std::vector<float>& row : weights_)
      all.push_back(bytes_of(row));
    return all;
  }

  std::vector<Values> outputs() const {
    std::vector<Values> values;
    for (NodeId id = 0; id < network_.nodes().size(); ++id) {
      const Node& node = network_.node(id);
      Values& made = values.emplace_back();
      const auto row = std::ranges::find(rows_, id);
      if (id == 0) {
        made.assign(input_.begin(), input_.end());
      } else if (row == rows_.end()) {
        for (const NodeId from : node.inputs)
          made.insert(made.end(), values[from].begin(), values[from].end());
      } else {
        for (std::int64_t c = 0; c < node.output.channels; ++c) {
          for (std::int64_t y = 0; y < node.output.height; ++y) {
            for (std::int64_t x = 0; x < node.output.width; ++x)
              made.push_back(element(values, id, static_cast<std::size_t>(row - rows_.begin()), c, y, x));
          }
        }
      }
    }
    return values;
  }

 private:
  static float number(tiling::Random& random) { return static_cast<float>(random.between(-1000, 1000)) / 500; }
  static Bytes bytes_of(const std::vector<float>& numbers) {
    return {reinterpret_cast<const std::uint8_t*>(numbers.data()), numbers.size() * sizeof(float)};
  }

  double element(const std::vector<Values>& values, NodeId id, std::size_t row, std::int64_t c, std::int64_t y,
                 std::int64_t x) const {
    const Node& node = network_.node(id);
    const Shape from = network_.input_shape(id);
    const Values& input = values[node.inputs.front()];
    const models::Window& window = node.window;
    double sum = biases_[row].empty() ? 0 : biases_[row][static_cast<std::size_t>(c)];
    double most = -1e300, count = 0;
    if (node.op == Operator::dense) {
      for (std::int64_t i = 0; i < from.elements(); ++i)
        sum += weights_[row][static_cast<std::size_t>(c * from.elements() + i)] * input[static_cast<std::size_t>(i)];
    } else if (node.op == Operator::add) {
      for (const NodeId operand : node.inputs)
        sum += values[operand][at(from, c, y, x)];
    } else {
      const bool pool = node.op != Operator::convolution;
      const std::int64_t own = pool ? 1 : from.channels / node.groups;
      const std::int64_t first = pool ? c : c / (node.output.channels / node.groups) * own;
      for (std::int64_t i = 0; i < window.kernel_height; ++i) {
        for (std::int64_t j = 0; j < window.kernel_width; ++j) {
          const std::int64_t in_row = y * window.stride_height - window.pad_top + i * window.dilation_height;
          const std::int64_t in_column = x * window.stride_width - window.pad_left + j * window.dilation_width;
          if (in_row < 0 || in_row >= from.height || in_column < 0 || in_column >= from.width) continue;
          for (std::int64_t k = 0; k < own; ++k) {
            const double value = input[at(from, first + k, in_row, in_column)];
            const std::int64_t weight =
                ((c * own + k) * window.kernel_height + i) * window.kernel_width + j;
            sum += pool ? value : value * weights_[row][static_cast<std::size_t>(weight)];
            most = std::max(most, value);
          }
          ++count;
        }
      }
      if (node.op == Operator::max_pool) sum = most;
      if (node.op == Operator::average_pool) sum /= count;
    }
    return std::max(sum, static_cast<double>(layers_[row].minimum));
  }

  const models::Network& network_;
  std::vector<NodeId> rows_;
  std::vector<std::vector<float>> weights_, biases_;
  std::vector<FloatLayer> layers_;
  std::vector<float> input_;
};

void expect_close(const models::Network& network, const tiling::SwapPlan& made, const std::filesystem::path& path,
                  tiling::Random& random) {
  SCOPED_TRACE(to_text(network, made));
  const core::Plan plan = made.view();
  const FloatCase numbers(network, made, random);
  const CardImage image(plan, network, made.layer_nodes, numbers.weights());
  {
    const CardFile card = CardFile::create(path, image.map().sectors);
    const WriteSectors writer = [&card](std::uint32_t sector, Bytes bytes) { card.write(sector, bytes); };
    image.write(writer);
    for (std::uint32_t frame = 0; frame < plan.frames; ++frame)
      image.write_input(frame, numbers.input(), writer);
    card.flush();
  }
  const CardFile card(path, Access::direct);
  run({plan, image.map(), image.operators(), float32_kernels(plan, image.operators(), numbers.layers())}, card);

  const CardFile cached(path, Access::cached);
  const ReadSectors reader = [&](std::uint32_t sector, std::span<std::uint8_t> bytes) { cached.read(sector, bytes); };
  const std::vector<Values> expected = numbers.outputs();
  for (const std::uint32_t row : image.results()) {
    const Values& exact = expected[made.layer_nodes[row]];
    const std::vector<std::uint8_t> bytes = image.read_map(row, plan.frames - 1, reader);
    std::vector<float> found(bytes.size() / sizeof(float));
    std::memcpy(found.data(), bytes.data(), bytes.size());
    ASSERT_EQ(found.size(), exact.size());
    double largest = 0, error = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      largest = std::max(largest, std::fabs(exact[i]));
      error = std::max(error, std::fabs(exact[i] - found[i]));
    }
    EXPECT_LE(error, 1e-5 * largest) << "row " << row;
  }
}

TEST(Float32, AgreesWithTheUntiledNetwork) {
  const mpi::TemporaryFolder folder;
  tiling::Random random(5);
  int cases = 0, cut = 0, kept = 0;
  for (int i = 0; i < 400 && !HasFailure(); ++i) {
    const models::Network network = tiling::random_network(random);
    const std::optional<tiling::SwapPlan> plan =
        random_plan(network, random.chance(50) ? tiling::Rule::halo : tiling::Rule::min_traffic, random,
                    models::ElementType::float32);
    if (!plan || !is_executable(network, *plan)) continue;
    ++cases;
    for (const core::Layer& layer : plan->layers) {
      cut += layer.pieces > 1;
      kept += layer.keeps_output();
    }
    expect_close(network, *plan, folder.path() / "card", random);
  }
  EXPECT_GT(cases, 40);
  EXPECT_GT(cut, 5);
  EXPECT_GT(kept, 5);
}

}  // namespace
}  // namespace spillway::execution
