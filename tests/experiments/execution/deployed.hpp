#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/execution/firmware.hpp"
#include "models/quantized/quantized_network.hpp"
#include "sim/tiling/swap_plan.hpp"
#include "tests/hw/stm32/virtual_board.hpp"

/// Trained networks with their firmware, for the tests on the virtual board.
namespace spillway::experiments::tests {

/// `fmnist_vggmini` (72 KB of weights) or `fmnist_wide` (over 1 MB), as the tests' data hold them.
quantized::QuantizedNetwork trained(const std::string& name);

/// Fashion-MNIST's first test images.
std::vector<std::vector<float>> images(std::size_t count);

tiling::Request request_for(std::uint64_t sram_kib, std::uint64_t buffer_kib, std::uint32_t frames,
                            tiling::Rule rule = tiling::Rule::halo, std::uint32_t window = 1);

/// A network with its firmware in a folder of its own.
class Deployed {
 public:
  /// `build`: false leaves the image out.
  Deployed(const std::string& name, const tiling::Request& request, bool build = true);

  const QuantizedRun& run() const { return run_; }
  const stm32::NetworkMemory& memory() const { return memory_; }
  std::filesystem::path source() const { return folder_ / network_source_file; }
  std::filesystem::path image() const { return folder_ / image_file; }
  /// As it was made; tests work on copies.
  std::filesystem::path card() const { return folder_ / card_file; }

  /// What a frame's result must be: the network computed with everything in memory.
  const std::vector<std::int8_t>& in_core(std::uint32_t frame) const { return in_core_[frame]; }

  /// Every frame's result on a card is that, bit for bit.
  void expect_right_results(const std::filesystem::path& card) const;

  /// Every map of the last frame is on the card as it is in memory.
  void expect_right_maps(const std::filesystem::path& card) const;

 private:
  quantized::QuantizedNetwork network_;
  tiling::SwapPlan plan_;
  QuantizedRun run_;
  std::vector<std::vector<float>> inputs_;
  std::vector<std::vector<std::int8_t>> in_core_;
  stm32::NetworkMemory memory_;
  stm32::tests::Folder folder_;
};

}  // namespace spillway::experiments::tests
