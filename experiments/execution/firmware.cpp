#include "experiments/execution/firmware.hpp"

#include <algorithm>
#include <bit>

#include "hw/linux/card_file.hpp"
#include "hw/stm32/image/build.hpp"
#include "hw/stm32/image/network_source.hpp"
#include "models/quantized/quantized_network.hpp"
#include "sim/trace/output_file.hpp"

namespace spillway::experiments {
namespace {

namespace fs = std::filesystem;

/// Emulated cards have a power of two of bytes, and begin with 1 MiB.
std::uint32_t card_sectors(std::uint32_t needed) {
  return std::max(std::bit_ceil(needed), 2048u);
}

void write_card(const QuantizedRun& run, const FirmwareRequest& request, const fs::path& path) {
  const execution::CardFile card = execution::CardFile::create(path, card_sectors(run.image().map().sectors));
  const execution::WriteSectors write = [&](std::uint32_t sector, std::span<const std::uint8_t> bytes) {
    card.write(sector, bytes);
  };
  for (std::uint32_t frame = 0; frame < run.plan().frames; ++frame) {
    std::vector<std::uint8_t> values;
    for (const float value : request.inputs.at(frame))
      values.push_back(static_cast<std::uint8_t>(quantized::quantize(value, run.table().input_scale())));
    run.image().write_input(frame, values, write);
  }
  run.image().write(write);
  card.flush();
}

}  // namespace

stm32::NetworkMemory write_firmware(const QuantizedRun& run, const std::vector<std::string>& layer_names,
                                    const FirmwareRequest& request, const fs::path& folder) {
  const execution::CardImage& image = run.image();
  const stm32::NetworkMemory memory = stm32::memory_of(run.plan(), image.operators(), run.layers());
  const fs::path source = fs::absolute(folder / network_source_file);
  trace::write_file(source, stm32::network_source({request.name, run.plan(), image.map(), image.operators(),
                                                   run.layers(), image.identity(), layer_names},
                                                  memory));
  write_card(run, request, folder / card_file);
  if (request.build) {
    stm32::build_images(
        {request.sources,
         {"network", "lockstep"},
         {"SPILLWAY_NETWORK=" + source.string(), "SPILLWAY_TILE_BUFFERS=" + std::to_string(memory.tile_buffers_bytes)},
         folder});
  }
  return memory;
}

std::vector<std::vector<std::int8_t>> read_results(const QuantizedRun& run, const fs::path& path, std::uint32_t frame) {
  const execution::CardFile card(path, execution::Access::cached);
  const execution::ReadSectors read = [&](std::uint32_t sector, std::span<std::uint8_t> bytes) {
    card.read(sector, bytes);
  };
  std::vector<std::vector<std::int8_t>> results;
  for (const std::uint32_t row : run.image().results()) {
    const std::vector<std::uint8_t> bytes = run.image().read_map(row, frame, read);
    results.emplace_back(bytes.begin(), bytes.end());
  }
  return results;
}

}  // namespace spillway::experiments
