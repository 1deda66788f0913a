#include "tests/experiments/execution/deployed.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "hw/kernels/int8/network/in_core.hpp"
#include "hw/linux/card_file.hpp"
#include "models/quantized/qdq_file.hpp"
#include "tests/paths/paths.hpp"

namespace spillway::experiments::tests {

quantized::QuantizedNetwork trained(const std::string& name) {
  return quantized::read_quantized(paths::source("tests/models/data/" + name + "_int8.onnx"));
}

std::vector<std::vector<float>> images(std::size_t count) {
  constexpr std::size_t pixels = 28 * 28;
  std::ifstream file(paths::source("tests/models/data/fmnist_x200.f32"), std::ios::binary);
  std::vector<std::vector<float>> frames(count, std::vector<float>(pixels));
  for (std::vector<float>& frame : frames)
    file.read(reinterpret_cast<char*>(frame.data()), static_cast<std::streamsize>(pixels * sizeof(float)));
  EXPECT_TRUE(file.good());
  return frames;
}

tiling::Request request_for(std::uint64_t sram_kib, std::uint64_t buffer_kib, std::uint32_t frames, tiling::Rule rule,
                            std::uint32_t window) {
  tiling::Request request;
  request.sram_bytes = sram_kib * 1024;
  request.buffer_bytes = buffer_kib * 1024;
  request.rule = rule;
  request.frames = frames;
  request.window = window;
  return request;
}

Deployed::Deployed(const std::string& name, const tiling::Request& request, bool build)
    : network_(trained(name)),
      plan_(tiling::make_plan(network_.network, request)),
      run_(network_, plan_),
      inputs_(images(request.frames)) {
  memory_ = write_firmware(run_, plan_.layer_names, {name, paths::source(""), inputs_, build}, folder_ / "");
  int8::InCore reference(run_.table());
  for (const std::vector<float>& input : inputs_) {
    reference.run_float(input);
    in_core_.push_back(reference.output(0));
  }
}

void Deployed::expect_right_results(const std::filesystem::path& card) const {
  for (std::uint32_t frame = 0; frame < run_.plan().frames; ++frame)
    EXPECT_EQ(read_results(run_, card, frame), std::vector<std::vector<std::int8_t>>{in_core(frame)})
        << "frame " << frame;
}

void Deployed::expect_right_maps(const std::filesystem::path& path) const {
  int8::InCore reference(run_.table());
  reference.run_float(inputs_.back());
  const execution::CardFile card(path, execution::Access::cached);
  const execution::ReadSectors read = [&](std::uint32_t sector, std::span<std::uint8_t> bytes) {
    card.read(sector, bytes);
  };
  for (std::uint32_t row = 0; row < run_.plan().layers.size(); ++row) {
    const core::Layer& layer = run_.plan().layers[row];
    if (layer.keeps_output()) continue;
    const std::vector<std::uint8_t> found = run_.image().read_map(row, run_.plan().frames - 1, read);
    const std::span<const std::int8_t> expected = reference.map(row);
    ASSERT_EQ(found.size(), expected.size()) << "row " << row;
    // By channel, row, column here; by row, column, channel there.
    const std::size_t area = std::size_t{layer.height} * layer.width;
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(static_cast<std::int8_t>(found[i]), expected[i % area * layer.channels + i / area])
          << "row " << row << ", element " << i;
    }
  }
}

}  // namespace spillway::experiments::tests
