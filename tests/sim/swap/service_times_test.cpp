#include "sim/swap/service_times.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "models/zoo.hpp"
#include "sim/core/geometry.hpp"
#include "sim/tiling/swap_plan.hpp"

namespace spillway::swap {
namespace {

TEST(RoundTo10Ns, RoundsHalfUpAndRefusesNonsense) {
  EXPECT_EQ(round_to_10_ns(0), 0U);
  EXPECT_EQ(round_to_10_ns(14e-9), 10U);
  EXPECT_EQ(round_to_10_ns(15.1e-9), 20U);
  EXPECT_EQ(round_to_10_ns(1), 1'000'000'000U);
  EXPECT_THROW(round_to_10_ns(-1e-6), std::invalid_argument);
  EXPECT_THROW(round_to_10_ns(std::nan("")), std::invalid_argument);
  EXPECT_THROW(round_to_10_ns(1e12), std::invalid_argument);
}

// The tables must give each task what the formula gives it.
void expect_formula(const tiling::SwapPlan& swap_plan, const platforms::Card& card, Crypto crypto = Crypto::none) {
  const core::Plan plan = swap_plan.view();
  const platforms::Board board = platforms::load_board("stm32f746g-disco");
  const ServiceTimes times(plan, board, card, crypto);
  const auto crypto_ns = [&](Crypto by, const core::Task& task) {
    if (by != crypto) return std::uint64_t{0};
    const platforms::Figure& cost = by == Crypto::cpu ? *board.crypto.cpu : *board.crypto.accelerator;
    return round_to_10_ns(static_cast<double>(core::bytes_of(plan, task)) * cost.value);
  };
  const auto expect = [&](const core::Task& task) {
    const std::uint64_t bytes = core::bytes_of(plan, task);
    double seconds = 0;
    std::uint64_t added_ns = 0;
    if (task.kind == core::TaskKind::compute) {
      const auto work_class = static_cast<std::size_t>(plan.layers[task.layer].work_class);
      seconds =
          board.compute_overhead.value + static_cast<double>(core::work_of(plan, task)) / board.rates[work_class].value;
      core::Task io = task;
      io.kind = core::TaskKind::read_weights;
      if (plan.layers[task.layer].has_weights()) added_ns += crypto_ns(Crypto::cpu, io);
      io.kind = core::TaskKind::write_output;
      if (task.index + 1 == core::chunks_of(plan.layers[task.layer], task.tile)) added_ns += crypto_ns(Crypto::cpu, io);
      if (task.index == 0 && crypto == Crypto::cpu) {
        std::uint64_t input_bytes = 0;
        io.kind = core::TaskKind::read_input;
        for (io.index = 0; io.index < plan.layers[task.layer].parts; ++io.index)
          input_bytes += core::bytes_of(plan, io);
        added_ns += round_to_10_ns(static_cast<double>(input_bytes) * board.crypto.cpu->value);
      }
    } else {
      added_ns = crypto_ns(Crypto::accelerator, task);
      const auto charged = static_cast<double>(card.full_buffers ? plan.buffer_bytes : bytes);
      seconds = task.kind == core::TaskKind::write_output
                    ? card.write_overhead.value + charged / card.write_bandwidth.value
                    : card.read_overhead.value + charged / card.read_bandwidth.value;
    }
    ASSERT_EQ(times.of(task).bytes, bytes);
    ASSERT_EQ(times.of(task).duration_ns, round_to_10_ns(seconds) + added_ns);
  };
  for (core::LayerIndex row = 0; row < plan.layers.size(); ++row) {
    const core::Layer& layer = plan.layers[row];
    for (std::uint32_t tile = 0; tile < layer.tiles(); ++tile) {
      for (std::uint32_t part = 0; part < layer.parts; ++part) {
        if (plan.parts[layer.first_part + part].resident) continue;
        expect({0, tile, part, row, core::TaskKind::read_input});
      }
      for (std::uint32_t chunk = 0; chunk < core::chunks_of(layer, tile); ++chunk) {
        if (core::reads_weights(layer, tile)) expect({0, tile, chunk, row, core::TaskKind::read_weights});
        expect({0, tile, chunk, row, core::TaskKind::compute});
      }
      if (!layer.keeps_output()) expect({0, tile, 0, row, core::TaskKind::write_output});
    }
  }
}

TEST(ServiceTimes, TablesGiveEachTaskTheFormula) {
  for (const char* network : {"vgg16", "alexnet", "mobilenet", "mobilenet-dense-depthwise", "resnet18", "squeezenet"}) {
    for (const tiling::Rule rule :
         {tiling::Rule::paper, tiling::Rule::paper_counts, tiling::Rule::halo, tiling::Rule::min_traffic}) {
      for (const std::uint64_t buffer : {16, 128}) {
        tiling::Request request;
        request.sram_bytes = 2048 * 1024;
        request.buffer_bytes = buffer * 1024;
        request.rule = rule;
        const tiling::SwapPlan plan = tiling::make_plan(*models::zoo(network), request);
        SCOPED_TRACE(std::string(network) + " " + std::string(tiling::to_string(rule)));
        expect_formula(plan, platforms::load_card("f746-disco-measured"));
        expect_formula(plan, platforms::load_card("swapnn-paper-full-buffer"));
        for (const Crypto crypto : {Crypto::cpu, Crypto::accelerator}) {
          expect_formula(plan, platforms::load_card("swapnn-paper-full-buffer"), crypto);
        }
      }
    }
  }
}

}  // namespace
}  // namespace spillway::swap
