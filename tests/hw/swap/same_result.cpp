#include "same_result.hpp"

#include <optional>

#include "memory_card.hpp"
#include "random_case.hpp"
#include "reference.hpp"
#include <gtest/gtest.h>

namespace spillway::execution {
namespace {

void note(const core::Plan& plan, const std::vector<LayerOperator>& operators, Covered& covered) {
  ++covered.plans;
  covered.planes += plan.layout == core::CardLayout::planes;
  covered.frames_reuse_maps += plan.frames > plan.window;
  for (std::size_t row = 0; row < operators.size(); ++row) {
    const core::Layer& layer = plan.layers[row];
    ++covered.kernels[static_cast<int>(operators[row].kernel)];
    covered.several_tiles += layer.group_tiles() > 1;
    covered.several_chunks += layer.chunks > layer.pieces;
    covered.cut_filters += layer.pieces > 1;
    covered.weights_outside += layer.weights_outside();
    covered.kept_outputs += layer.keeps_output();
    covered.several_parts += layer.parts > 1;
    covered.several_buffers += layer.input_buffers > 1;
    covered.channel_groups += layer.groups > 1;
  }
}

}  // namespace

void expect_same_result(const models::Network& network, const tiling::SwapPlan& made, tiling::Random& random,
                        Covered& covered) {
  SCOPED_TRACE(to_text(network, made));
  const core::Plan plan = made.view();
  const QuantizedNetwork quantized_network = quantized(network, made, random);
  note(plan, quantized_network.operators, covered);
  const CardImage image(plan, network, made.layer_nodes, quantized_network.weight_bytes());
  MemoryCard card(image.map().sectors, random);
  image.write(card.writer());
  std::vector<std::vector<std::int8_t>> inputs;
  for (std::uint32_t frame = 0; frame < plan.frames; ++frame) {
    inputs.push_back(random_input(network, random));
    image.write_input(frame, {reinterpret_cast<const std::uint8_t*>(inputs.back().data()), inputs.back().size()},
                      card.writer());
  }
  const std::vector<std::uint8_t> before = card.bytes();
  const auto landing = static_cast<std::uint32_t>(random.chance(50) ? random.between(1, 4) : 64);
  ASSERT_NO_THROW(run_in_memory(plan, image, quantized_network, card, landing, random));

  const auto constant = static_cast<std::ptrdiff_t>(std::size_t{image.map().results} * 512);
  EXPECT_TRUE(std::equal(before.begin(), before.begin() + constant, card.bytes().begin()))
      << "weights or inputs changed";
  for (std::uint32_t frame = 0; frame < plan.frames; ++frame) {
    const auto expected = reference(quantized_network, inputs[frame]);
    for (const std::uint32_t row : image.results()) {
      const std::vector<std::uint8_t> bytes = image.read_map(row, frame, card.reader());
      ASSERT_EQ(std::vector<std::int8_t>(bytes.begin(), bytes.end()), expected[made.layer_nodes[row]])
          << "frame " << frame << " row " << row;
    }
  }
}

void expect_same_result(tiling::Random& random, Covered& covered) {
  const models::Network network = tiling::random_network(random);
  for (const tiling::Rule rule : {tiling::Rule::halo, tiling::Rule::min_traffic}) {
    const std::optional<tiling::SwapPlan> plan = random_plan(network, rule, random);
    if (!plan || !is_executable(network, *plan)) continue;
    expect_same_result(network, *plan, random, covered);
  }
}

}  // namespace spillway::execution
