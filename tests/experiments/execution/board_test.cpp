#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/execution/firmware.hpp"
#include "hw/kernels/int8/calibration/float_maps.hpp"
#include "hw/kernels/int8/network/in_core.hpp"
#include "hw/stm32/errors.hpp"
#include "models/onnx_reader.hpp"
#include "models/quantized/quantize.hpp"
#include "tests/hw/stm32/virtual_board.hpp"
#include "tests/paths/paths.hpp"

namespace spillway::experiments {
namespace {

namespace fs = std::filesystem;
using stm32::tests::BoardRun;
using stm32::tests::Folder;

constexpr std::size_t pixels = 28 * 28;
constexpr std::uint64_t kib = 1024;

std::vector<std::vector<float>> images(std::size_t count) {
  std::ifstream file(paths::source("tests/models/data/fmnist_x200.f32"), std::ios::binary);
  std::vector<std::vector<float>> frames(count, std::vector<float>(pixels));
  for (std::vector<float>& frame : frames)
    file.read(reinterpret_cast<char*>(frame.data()), static_cast<std::streamsize>(pixels * sizeof(float)));
  EXPECT_TRUE(file.good());
  return frames;
}

quantized::QuantizedNetwork quantized_fashion() {
  const models::OnnxModel model =
      models::read_onnx_model(paths::source("tests/models/data/fmnist_vggmini.onnx"), {.dimensions = {}, .weights = true});
  const quantized::FoldedNetwork folded = quantized::fold(model.network, model.weights);
  std::vector<float> calibration;
  for (const std::vector<float>& frame : images(50))
    calibration.insert(calibration.end(), frame.begin(), frame.end());
  return quantized::quantize(folded, int8::ranges_of(folded, calibration));
}

tiling::Request request_for(std::uint64_t sram, std::uint64_t buffer, std::uint32_t frames) {
  tiling::Request request;
  request.sram_bytes = sram;
  request.buffer_bytes = buffer;
  request.rule = tiling::Rule::halo;
  request.frames = frames;
  request.window = 1;
  return request;
}

/// A network with its firmware in a folder.
class Deployed {
 public:
  Deployed(quantized::QuantizedNetwork network, const tiling::Request& request)
      : network_(std::move(network)), plan_(tiling::make_plan(network_.network, request)), run_(network_, plan_) {
    inputs_ = images(request.frames);
    memory_ = write_firmware(run_, plan_.layer_names, {"fashion", paths::source(""), inputs_, true}, folder_ / "");
  }

  const QuantizedRun& run() const { return run_; }
  fs::path elf() const { return folder_ / image_file; }
  fs::path card() const { return folder_ / card_file; }

  /// What every frame's results must be: the network computed with everything in memory.
  std::vector<std::int8_t> in_core(std::uint32_t frame) const {
    int8::InCore reference(run_.table());
    reference.run_float(inputs_[frame]);
    return reference.output(0);
  }

  void expect_right_results() const {
    for (std::uint32_t frame = 0; frame < run_.plan().frames; ++frame)
      EXPECT_EQ(read_results(run_, card(), frame), std::vector<std::vector<std::int8_t>>{in_core(frame)}) << "frame " << frame;
  }

 private:
  quantized::QuantizedNetwork network_;
  tiling::SwapPlan plan_;
  QuantizedRun run_;
  std::vector<std::vector<float>> inputs_;
  stm32::NetworkMemory memory_;
  Folder folder_;
};

TEST(Board, ClassifiesFashionWith32KiBOfTileBuffers) {
  const Deployed fashion(quantized_fashion(), request_for(32 * kib, 4 * kib, 20));
  const BoardRun run = stm32::tests::run_on_board(fashion.elf(), fashion.card());
  ASSERT_EQ(run.status, 0) << run.description();
  EXPECT_EQ(run.complaints, "");
  fashion.expect_right_results();
}

}  // namespace
}  // namespace spillway::experiments
