#include "hw/swap/image/card_image.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "hw/swap/image/chunk_bytes.hpp"
#include "hw/swap/image/operators.hpp"
#include "hw/swap/image/storage_order.hpp"
#include "sim/core/geometry.hpp"
#include "sim/core/layout.hpp"

namespace spillway::execution {
namespace {

/// Sectors that are read or written at a time.
constexpr std::uint32_t sectors_at_a_time = 256;

void require_weights(const core::Layer& layer, const std::string& name, Bytes weights) {
  const std::uint64_t needed = std::uint64_t{layer.channels} * layer.filter_bytes;
  if (weights.size() != needed) {
    throw std::invalid_argument(
        fmt::format("layer `{}` has {} bytes of weights: expected {}", name, weights.size(), needed));
  }
}

}  // namespace

CardImage::CardImage(const core::Plan& plan, const models::Network& network, std::vector<models::NodeId> rows,
                     std::vector<Bytes> weights)
    : plan_(plan),
      rows_(std::move(rows)),
      weights_(std::move(weights)),
      operators_(operators_of(plan, network, rows_)),
      vector_orders_(rows_.size()),
      places_(rows_.size()),
      map_(lay_out(plan, places_)) {
  if (map_.sectors == 0) throw NotExecutable("the card would need 2 TiB or more, or hold a map of 4 GiB or more");
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    require_weights(plan.layers[row], network.node(rows_[row]).name, weights_[row]);
    if (operators_[row].kernel == Kernel::dense) vector_orders_[row] = vector_order(plan, network, rows_, row);
  }
}

/// Calls `take(sector, bytes)` for every chunk, in the order of the card.
template <class Take>
void CardImage::for_each_chunk(const Take& take) const {
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const core::Layer& layer = plan_.layers[row];
    if (!layer.has_weights()) continue;
    for (std::uint32_t tile = 0; tile < layer.tiles(); tile += layer.group_tiles()) {
      for (std::uint32_t chunk = 0; chunk < core::chunks_of(layer, tile); ++chunk) {
        take(map_.layers[row].weights + chunk_offset(layer, tile, chunk),
             chunk_bytes(plan_, row, operators_[row], weights_[row], vector_orders_[row], tile, chunk));
      }
    }
  }
}

CardIdentity CardImage::identity() const {
  CardIdentity identity{hash_of(plan_), 0, map_.sectors};
  for_each_chunk([&](std::uint32_t, const std::vector<std::uint8_t>& bytes) {
    identity.weights_crc = crc32(bytes, identity.weights_crc);
  });
  return identity;
}

void CardImage::write(const WriteSectors& write) const {
  std::array<std::uint8_t, header_bytes> sector{};
  write(run_record_sector, sector);
  CardIdentity identity{hash_of(plan_), 0, map_.sectors};
  for_each_chunk([&](std::uint32_t at, const std::vector<std::uint8_t>& bytes) {
    identity.weights_crc = crc32(bytes, identity.weights_crc);
    write(at, bytes);
  });
  write_header(identity, sector);
  write(header_sector, sector);
}

void CardImage::write_input(std::uint32_t frame, Bytes values, const WriteSectors& write) const {
  const core::Layer stored = input_as_layer(plan_, plan_.layers[0].element_bytes);
  const std::vector<StoredElement> elements = storage_order(stored, plan_.layout);
  const std::size_t element = stored.element_bytes;
  if (values.size() != elements.size() * element) {
    throw std::invalid_argument(
        fmt::format("an input of {} bytes: expected {}", values.size(), elements.size() * element));
  }
  std::vector<std::uint8_t> sectors(std::size_t{map_.input_sectors} * core::sector_bytes);
  for (const StoredElement& at : elements)
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(at.element * element), element,
                sectors.begin() + static_cast<std::ptrdiff_t>(at.byte));
  for (std::uint32_t first = 0; first < map_.input_sectors; first += sectors_at_a_time) {
    const std::size_t count = std::min(sectors_at_a_time, map_.input_sectors - first);
    write(map_.input_of(frame) + first,
          Bytes(sectors).subspan(std::size_t{first} * core::sector_bytes, count * core::sector_bytes));
  }
}

std::vector<std::uint8_t> CardImage::read_map(std::uint32_t row, std::uint32_t frame, const ReadSectors& read) const {
  const core::Layer& layer = plan_.layers[row];
  const auto count = static_cast<std::uint32_t>(map_sectors(layer, plan_.layout));
  std::vector<std::uint8_t> sectors(std::size_t{count} * core::sector_bytes);
  for (std::uint32_t first = 0; first < count; first += sectors_at_a_time) {
    const std::size_t length = std::min(sectors_at_a_time, count - first);
    read(map_.map_of(plan_, row, frame) + first,
         std::span(sectors).subspan(std::size_t{first} * core::sector_bytes, length * core::sector_bytes));
  }
  const std::vector<StoredElement> elements = storage_order(layer, plan_.layout);
  const std::size_t element = layer.element_bytes;
  std::vector<std::uint8_t> values(elements.size() * element);
  for (const StoredElement& at : elements)
    std::copy_n(sectors.begin() + static_cast<std::ptrdiff_t>(at.byte), element,
                values.begin() + static_cast<std::ptrdiff_t>(at.element * element));
  return values;
}

std::vector<std::uint32_t> CardImage::results() const {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < plan_.layers.size(); ++row) {
    if (plan_.layers[row].consumers == 0) rows.push_back(row);
  }
  return rows;
}

}  // namespace spillway::execution
