#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "random_case.hpp"

#include "hw/linux/card_file.hpp"
#include "hw/linux/runtime.hpp"
#include "hw/swap/image/card_image.hpp"

namespace spillway::execution {

/// A quantised network cut by a plan on a card's file, with an input for each frame.
class CardOnDisk {
 public:
  CardOnDisk(const models::Network& network, const tiling::SwapPlan& made, const std::filesystem::path& path,
             tiling::Random& random);

  const core::Plan& plan() const { return plan_; }

  RunResult run(const RunOptions& options) const;

  /// Expects every frame's results to be the untiled reference's.
  void expect_results() const;

 private:
  WriteSectors writer(const CardFile& card) const;

  std::filesystem::path path_;
  core::Plan plan_;
  QuantizedNetwork network_;
  CardImage image_;
  std::vector<std::vector<std::int8_t>> inputs_;
};

}  // namespace spillway::execution
