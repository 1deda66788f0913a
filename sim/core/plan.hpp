#pragma once

#include <cstdint>
#include <span>

/// The scheduler core: freestanding C++20, the same source in the simulators, the Linux runtime and the firmware.
namespace spillway::core {

/// Whether the core is built with pins (Layer::weight_pins, output_pins). Firmware whose plans have none saves their
/// text with -DSPILLWAY_CORE_WITHOUT_PINS; such a core refuses a plan that has pins.
#ifdef SPILLWAY_CORE_WITHOUT_PINS
inline constexpr bool with_pins = false;
#else
inline constexpr bool with_pins = true;
#endif

/// Number of a layer row.
using LayerIndex = std::uint16_t;

/// Part::producer of a part that comes from the network's input, which lies on the card from the start.
inline constexpr LayerIndex network_input = 0xFFFF;

/// Compute speed classes; a board gives one rate for each.
enum class WorkClass : std::uint8_t { convolution, pointwise, depthwise, dense, elementwise, pooling };
inline constexpr int work_classes = 6;

/// A range of a layer's input channels that is read by one operation for each tile. A tile has several parts when its
/// input exceeds one buffer or comes from several producers.
struct Part {
  std::uint32_t first_channel = 0;  ///< in the layer's input channels; both operands of an Add begin at 0
  std::uint32_t channels = 0;
  std::uint32_t producer_channel = 0;  ///< channel of the producer's output that first_channel stands for
  LayerIndex producer = network_input;
  bool resident = false;  ///< its producer keeps its output in SRAM (Layer::output_pins): nothing is read

  friend constexpr bool operator==(const Part&, const Part&) = default;
};

/// One layer: a row of the constant table that describes the task graph by arithmetic.
///
/// The output (channels x height x width) is cut into tiles of tile_channels x tile_height x tile_width, the last of
/// a row, column or group smaller. Tile number = (group * rows + row) * columns + column.
/// A tile's weights are cut into chunks: blocks of chunk_filters filters (the last smaller), each block into `pieces`
/// pieces along the filter. Chunk number in the tile = block * pieces + piece.
struct Layer {
  std::uint32_t channels = 0, height = 0, width = 0;                 ///< of the output
  std::uint32_t tile_channels = 0, tile_height = 0, tile_width = 0;  ///< of a full tile
  std::uint32_t groups = 1, rows = 1, columns = 1;                   ///< tiles along channels, height, width
  std::uint32_t input_height = 0, input_width = 0;

  // Receptive field: output row y reads input rows y * stride - pad to y * stride - pad + kernel - 1, clipped.
  std::uint16_t kernel_height = 1, kernel_width = 1;  ///< dilation included
  std::uint16_t stride_height = 1, stride_width = 1;
  std::uint16_t pad_top = 0, pad_left = 0;
  std::uint16_t channel_halo = 0;  ///< channelwise: input channels read beyond the tile's own on either side

  // Weights.
  std::uint32_t chunks = 1;         ///< compute tasks of a full group's tile; 1 without weights
  std::uint32_t chunk_filters = 1;  ///< filters in a block
  std::uint32_t pieces = 1;         ///< pieces of a block
  std::uint32_t filter_bytes = 0;   ///< weights of one output channel on the card; 0: no weights to read
  std::uint32_t piece_bytes = 0;    ///< of one filter in all pieces but the last, which has the rest
  std::uint32_t filter_work = 0;    ///< multiply-accumulates (pooling: elements read) per output element

  // Input.
  std::uint16_t first_part = 0, parts = 0;          ///< range of Plan::parts
  std::uint16_t first_consumer = 0, consumers = 0;  ///< range of Plan::consumers
  std::uint16_t input_buffers = 1;                  ///< taken together for a tile; its largest tile decides
  std::uint8_t element_bytes = 1;                   ///< of feature maps
  WorkClass work_class = WorkClass::convolution;
  bool channelwise = false;    ///< a tile reads the input channels of its own group only (depthwise, pooling, Add)
  bool flattened = false;      ///< a tile reads the whole input as a vector: parts count elements, all producers' tiles
                               ///< must be finished
  bool waits_for_all = false;  ///< regional input, yet every tile of the producers must be finished: an operator that
                               ///< the plan does not model lies between (rule paper-counts), or the layer has pins

  // Pins: buffers that a frame's layer takes all together and holds beyond a tile. The pins of one layer of one frame
  // are held at a time; until they are granted the layer holds nothing. A layer with pins waits for all.
  std::uint16_t weight_pins = 0;  ///< weights outside: hold the chunks of a group while all tiles of the group use
                                  ///< them; the group's first tile reads them. 0: every tile reads its chunks
  std::uint16_t output_pins = 0;  ///< kept output: hold the output, a tile each, until the next row, its only reader,
                                  ///< has computed; it is neither written nor read. 0: the output goes to the card.
                                  ///< What else that row reads must be finished before, or the two wait for each
                                  ///< other's pins: a part without channels makes this layer wait for it
  std::uint32_t plane_channels = 0;  ///< of the output under CardLayout::planes

  constexpr std::uint32_t tiles() const { return groups * rows * columns; }
  constexpr std::uint32_t group_tiles() const { return rows * columns; }
  constexpr bool has_weights() const { return filter_bytes != 0; }
  constexpr bool weights_outside() const { return with_pins && weight_pins != 0; }
  constexpr bool keeps_output() const { return with_pins && output_pins != 0; }
  constexpr bool has_pins() const { return with_pins && (weight_pins | output_pins) != 0; }
};

/// Buffers of each pool.
struct Pools {
  std::uint16_t input = 0, weights = 0, output = 0;
  /// One pool of input + weights + output buffers for all (the layout that the paper found to deadlock). It is there to
  /// show the deadlock: outside the no-deadlock claim and refused by firmware.
  bool shared = false;

  constexpr std::uint32_t total() const { return std::uint32_t{input} + weights + output; }
  /// The paper's division of n buffers: n/4 input, n/4 output (both rounded down), the rest weights.
  static constexpr Pools quarters(std::uint32_t n) {
    const auto quarter = static_cast<std::uint16_t>(n / 4);
    return {quarter, static_cast<std::uint16_t>(n - 2 * quarter), quarter, false};
  }
};

/// How a ready queue treats a task whose buffers are not free.
enum class Queue : std::uint8_t {
  skip,    ///< the next task that can start goes first
  strict,  ///< the head of the line waits; may deadlock, outside the no-deadlock claim
};

/// How feature maps and weights lie on the card.
enum class CardLayout : std::uint8_t {
  contiguous,  ///< every operation is one transfer of exactly the bytes needed (how the paper counts)
  tile_major,  ///< tiles one after the other, each from a 512-byte boundary: see layout.hpp
  planes,      ///< blocks of channels, in each row after row from a 512-byte boundary: see layout.hpp
};

/// The whole schedule, made by the host, constant, in flash on a microcontroller. The caller owns the tables.
struct Plan {
  std::span<const Layer> layers;  ///< in topological order, which is the order of priority
  std::span<const Part> parts;
  std::span<const LayerIndex> consumers;  ///< of each layer: the rows that read its output, ascending
  Pools pools;
  std::uint32_t buffer_bytes = 0;
  std::uint32_t frames = 1;
  std::uint32_t window = 1;  ///< frames in flight: frame f starts when frame f - window is done
  Queue queue = Queue::skip;
  CardLayout layout = CardLayout::contiguous;
  /// Of the network's input; only tile_major and planes need it. One that only dense layers read is channels alone.
  std::uint32_t input_channels = 0, input_height = 1, input_width = 1;
  std::uint32_t input_plane_channels = 0;  ///< of the network's input under planes
};

}  // namespace spillway::core
