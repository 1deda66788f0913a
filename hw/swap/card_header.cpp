#include "hw/swap/card_header.hpp"

namespace spillway::execution {
namespace {

constexpr std::uint8_t magic[] = {'S', 'P', 'I', 'L', 'L', 'W', 'A', 'Y'};
constexpr std::uint32_t version_at = sizeof magic, plan_at = version_at + 4, weights_at = plan_at + 8,
                        sectors_at = weights_at + 4, crc_at = sectors_at + 4;

class Hash {
 public:
  void operator()(std::uint32_t value) {
    for (int i = 0; i < 4; ++i, value >>= 8)
      state_ = (state_ ^ (value & 0xFF)) * 0x100000001B3;
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xCBF29CE484222325;
};

void add(Hash& hash, const core::Layer& layer) {
  const std::uint32_t fields[] = {layer.channels,
                                  layer.height,
                                  layer.width,
                                  layer.tile_channels,
                                  layer.tile_height,
                                  layer.tile_width,
                                  layer.groups,
                                  layer.rows,
                                  layer.columns,
                                  layer.input_height,
                                  layer.input_width,
                                  layer.kernel_height,
                                  layer.kernel_width,
                                  layer.stride_height,
                                  layer.stride_width,
                                  layer.pad_top,
                                  layer.pad_left,
                                  layer.channel_halo,
                                  layer.chunks,
                                  layer.chunk_filters,
                                  layer.pieces,
                                  layer.filter_bytes,
                                  layer.piece_bytes,
                                  layer.filter_work,
                                  layer.first_part,
                                  layer.parts,
                                  layer.first_consumer,
                                  layer.consumers,
                                  layer.input_buffers,
                                  layer.element_bytes,
                                  static_cast<std::uint32_t>(layer.work_class),
                                  layer.channelwise,
                                  layer.flattened,
                                  layer.waits_for_all,
                                  layer.weight_pins,
                                  layer.output_pins,
                                  layer.plane_channels};
  for (const std::uint32_t field : fields)
    hash(field);
}

void put(std::uint8_t* at, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i, value >>= 8)
    at[i] = static_cast<std::uint8_t>(value);
}

std::uint64_t get(const std::uint8_t* at, int bytes) {
  std::uint64_t value = 0;
  for (int i = bytes; i-- > 0;)
    value = value << 8 | at[i];
  return value;
}

}  // namespace

std::uint64_t hash_of(const core::Plan& plan) {
  Hash hash;
  hash(static_cast<std::uint32_t>(plan.layers.size()));
  for (const core::Layer& layer : plan.layers)
    add(hash, layer);
  for (const core::Part& part : plan.parts) {
    hash(part.first_channel);
    hash(part.channels);
    hash(part.producer_channel);
    hash(part.producer);
    hash(part.resident);
  }
  for (const core::LayerIndex consumer : plan.consumers)
    hash(consumer);
  const std::uint32_t fields[] = {plan.pools.input,
                                  plan.pools.weights,
                                  plan.pools.output,
                                  plan.pools.shared,
                                  plan.buffer_bytes,
                                  plan.frames,
                                  plan.window,
                                  static_cast<std::uint32_t>(plan.queue),
                                  static_cast<std::uint32_t>(plan.layout),
                                  plan.input_channels,
                                  plan.input_height,
                                  plan.input_width,
                                  plan.input_plane_channels};
  for (const std::uint32_t field : fields)
    hash(field);
  return hash.value();
}

std::uint32_t crc32(std::span<const std::uint8_t> bytes, std::uint32_t before) {
  std::uint32_t crc = ~before;
  for (const std::uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit)
      crc = crc >> 1 ^ (0xEDB88320 & (0 - (crc & 1)));
  }
  return ~crc;
}

void write_header(const CardIdentity& identity, std::span<std::uint8_t, header_bytes> sector) {
  for (std::uint8_t& byte : sector)
    byte = 0;
  for (std::uint32_t i = 0; i < sizeof magic; ++i)
    sector[i] = magic[i];
  put(&sector[version_at], card_version, 4);
  put(&sector[plan_at], identity.plan, 8);
  put(&sector[weights_at], identity.weights_crc, 4);
  put(&sector[sectors_at], identity.sectors, 4);
  put(&sector[crc_at], crc32(sector.first(crc_at)), 4);
}

CardFault check_header(std::span<const std::uint8_t, header_bytes> sector, const CardIdentity& needed) {
  for (std::uint32_t i = 0; i < sizeof magic; ++i) {
    if (sector[i] != magic[i]) return CardFault::no_header;
  }
  if (get(&sector[version_at], 4) != card_version) return CardFault::other_version;
  if (get(&sector[crc_at], 4) != crc32(sector.first(crc_at))) return CardFault::damaged;
  if (get(&sector[plan_at], 8) != needed.plan) return CardFault::other_plan;
  if (get(&sector[weights_at], 4) != needed.weights_crc) return CardFault::other_weights;
  if (get(&sector[sectors_at], 4) < needed.sectors) return CardFault::too_short;
  return CardFault::none;
}

}  // namespace spillway::execution
