#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "experiments/execution/quantized_run.hpp"
#include "hw/stm32/image/memory.hpp"

namespace spillway::experiments {

/// What a firmware is made of and for.
struct FirmwareRequest {
  std::string name;                        ///< of the network
  std::filesystem::path sources;           ///< top of Spillway's source tree
  std::vector<std::vector<float>> inputs;  ///< one for each frame of the plan, by channel, row, column
  bool build = true;                       ///< false: tables and card alone
};

/// Files in the folder of a firmware.
inline constexpr const char *network_source_file = "network.cpp", *card_file = "card.img", *image_file = "network.elf";

/// Writes tables, card and images of a network into a folder that is there. Returns what the network takes of the
/// board's memory. Throws stm32::FirmwareTooLarge before anything is written, stm32::BuildFailed, execution::CardError.
stm32::NetworkMemory write_firmware(const QuantizedRun& run, const std::vector<std::string>& layer_names,
                                    const FirmwareRequest& request, const std::filesystem::path& folder);

/// The results of a frame from the card after a run: of each row that no row reads, in the order of the rows, by
/// channel, row, column. Throws execution::CardError.
std::vector<std::vector<std::int8_t>> read_results(const QuantizedRun& run, const std::filesystem::path& card,
                                                   std::uint32_t frame);

}  // namespace spillway::experiments
