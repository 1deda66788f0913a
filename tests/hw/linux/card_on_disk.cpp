#include "card_on_disk.hpp"

#include "reference.hpp"
#include <gtest/gtest.h>

namespace spillway::execution {

CardOnDisk::CardOnDisk(const models::Network& network, const tiling::SwapPlan& made, const std::filesystem::path& path,
                       tiling::Random& random)
    : path_(path),
      plan_(made.view()),
      network_(quantized(network, made, random)),
      image_(plan_, network_.network, network_.rows, network_.weight_bytes()) {
  const CardFile card = CardFile::create(path, image_.map().sectors);
  image_.write(writer(card));
  for (std::uint32_t frame = 0; frame < plan_.frames; ++frame) {
    inputs_.push_back(random_input(network, random));
    image_.write_input(frame, {reinterpret_cast<const std::uint8_t*>(inputs_.back().data()), inputs_.back().size()},
                       writer(card));
  }
  card.flush();
}

WriteSectors CardOnDisk::writer(const CardFile& card) const {
  return [&card](std::uint32_t sector, std::span<const std::uint8_t> bytes) { card.write(sector, bytes); };
}

RunResult CardOnDisk::run(const RunOptions& options) const {
  const CardFile card(path_, Access::direct);
  return execution::run(
      {plan_, image_.map(), image_.operators(), int8_kernels(plan_, image_.operators(), network_.layers)}, card,
      options);
}

void CardOnDisk::expect_results() const {
  const CardFile card(path_, Access::cached);
  const ReadSectors reader = [&card](std::uint32_t sector, std::span<std::uint8_t> bytes) { card.read(sector, bytes); };
  for (std::uint32_t frame = 0; frame < plan_.frames; ++frame) {
    const auto expected = reference(network_, inputs_[frame]);
    for (const std::uint32_t row : image_.results()) {
      const std::vector<std::uint8_t> bytes = image_.read_map(row, frame, reader);
      ASSERT_EQ(std::vector<std::int8_t>(bytes.begin(), bytes.end()), expected[network_.rows[row]])
          << "frame " << frame << " row " << row;
    }
  }
}

}  // namespace spillway::execution
