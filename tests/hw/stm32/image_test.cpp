#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/stm32/image/memory.hpp"
#include "hw/stm32/image/network_source.hpp"

namespace spillway::stm32 {
namespace {

using testing::HasSubstr;

/// A network of one dense layer with so many outputs.
struct Network {
  explicit Network(std::uint32_t outputs, std::uint32_t window = 1) : channels(outputs) {
    layer.channels = outputs;
    layer.height = layer.width = 1;
    layer.tile_channels = 16;
    layer.tile_height = layer.tile_width = 1;
    layer.groups = (outputs + 15) / 16;
    layer.input_height = layer.input_width = 1;
    layer.filter_bytes = layer.piece_bytes = layer.filter_work = 16;
    layer.chunk_filters = 16;
    layer.parts = 1;
    layer.flattened = true;
    quantized.channels = channels.data();
    layer_operator.kernel = execution::Kernel::dense;
    layer_operator.filter_channels = 16;
    plan.layers = {&layer, 1};
    plan.parts = {&part, 1};
    plan.pools = core::Pools::quarters(8);
    plan.buffer_bytes = 4096;
    plan.frames = plan.window = window;
  }

  NetworkMemory memory() const { return memory_of(plan, {&layer_operator, 1}, {&quantized, 1}); }
  std::string refusal() const {
    try {
      memory();
    } catch (const FirmwareTooLarge& error) {
      return error.what();
    }
    return "";
  }

  core::Layer layer;
  core::Part part{0, 16, 0, core::network_input};
  std::vector<int8::OutputChannel> channels;
  execution::QuantizedLayer quantized;
  execution::LayerOperator layer_operator;
  core::Plan plan;
};

TEST(NetworkMemory, CountsTheTables) {
  const NetworkMemory memory = Network(100).memory();
  EXPECT_EQ(memory.tile_buffers_bytes, 8u * 4096);
  EXPECT_GE(memory.table_bytes, 100u * 12);
  EXPECT_LE(memory.table_bytes, 100u * 12 + 300);
  EXPECT_LE(memory.data_bytes(), data_tcm_bytes - program_data_bytes);
  EXPECT_GE(memory.landing_sectors, 1u);
}

TEST(NetworkMemory, ATableThatDoesNotFitTheFlashIsRefused) {
  EXPECT_EQ(Network(80'000).refusal(), "");
  EXPECT_THAT(Network(90'000).refusal(),
              AllOf(HasSubstr("bytes of flash, but beside the program there are 983040"), HasSubstr("1080")));
}

TEST(NetworkMemory, AStateThatDoesNotFitTheDataMemoryIsRefused) {
  EXPECT_EQ(Network(10'000, 10).refusal(), "");
  EXPECT_THAT(Network(10'000, 1000).refusal(), HasSubstr("fewer frames in flight"));
}

TEST(NetworkMemory, BuffersBeyondTheMemoryAreRefused) {
  Network network(16);
  network.plan.buffer_bytes = 64 * 1024;
  EXPECT_THAT(network.refusal(), HasSubstr("give --sram at most 256 KiB"));
}

TEST(NetworkSource, NamesCannotLeaveTheirComments) {
  const Network network(16);
  execution::LayerPlace place;
  const std::string layer_name = "evil\n#error \"\\";
  const std::string source = network_source({"na\"me\n",
                                             network.plan,
                                             {{&place, 1}},
                                             {&network.layer_operator, 1},
                                             {&network.quantized, 1},
                                             {},
                                             {&layer_name, 1}},
                                            network.memory());
  EXPECT_THAT(source, HasSubstr("// evil_#error __\n"));
  EXPECT_THAT(source, HasSubstr("\"na_me_\""));
}

}  // namespace
}  // namespace spillway::stm32
