#include <array>
#include <cstdint>
#include <span>

#include "hw/kernels/int8/run.hpp"
#include "hw/stm32/board.hpp"
#include "hw/stm32/pins.hpp"
#include "hw/stm32/processor.hpp"
#include "hw/stm32/report.hpp"
#include "hw/stm32/tile_buffers.hpp"
#include "hw/stm32/time.hpp"
#include "hw/swap/card_header.hpp"

/// SwapNN's energy benchmark: a convolution that is repeated, alone (in-core) or while blocks of 100 KB are written to
/// the card by DMA, one after the other (out-of-core). The light is on meanwhile, for who reads a power meter. What the
/// card holds is lost.

extern "C" {
// The linker's: their addresses are numbers. (A number that may be 0 is no address to the compiler.)
extern const char benchmark_iterations[], benchmark_kind[];
}

namespace {

using namespace spillway;
using namespace spillway::stm32;

constexpr std::uint32_t block_bytes = 100 * 1024, block_sectors = block_bytes / sector_bytes;

/// 9.4 million multiply-accumulates: at the 3.9 cycles each that CMSIS-NN takes on this core about the 178 ms of the
/// paper's iterations.
constexpr std::uint32_t side = 32, channels = 32, kernel = 3, filter_bytes = kernel * kernel * channels;
constexpr std::uint32_t map_bytes = side * side * channels, weight_bytes = channels * filter_bytes;

struct Memory {
  std::int8_t block[block_bytes];  // aligned as DMA wants it
  std::int8_t input[map_bytes], output[map_bytes], weights[weight_bytes];
};
static_assert(sizeof(Memory) <= 256 * 1024 && block_bytes % sector_bytes == 0);

Memory& memory() {
  return *reinterpret_cast<Memory*>(tile_buffers().data());
}

std::uint32_t writes_done = 0;
bool writing = false;

void fill(std::span<std::int8_t> bytes) {
  std::uint32_t state = static_cast<std::uint32_t>(bytes.size());
  for (std::int8_t& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<std::int8_t>(static_cast<std::int32_t>(state >> 24) % 100);
  }
}

void compute() {
  static constexpr std::array<core::Range, 1> parts{{{0, channels}}};
  static constexpr std::array<int8::OutputChannel, channels> numbers{};
  static std::array<std::int16_t, int8::wanted_scratch(filter_bytes)> scratch alignas(4);
  constexpr int8::Window window{kernel, kernel, 1, 1, 1, 1, 1, 1};
  constexpr core::Region whole{{0, channels}, {0, side}, {0, side}};
  const std::int8_t* const buffers[] = {memory().input};
  const std::array<int8::Patch, 1> patches{{{whole, {buffers, map_bytes}, 0}}};
  int8::convolve({window, channels, channels, parts, numbers.data(), {}}, {side, side, patches},
                 {{0, channels}, {0, channels}, memory().weights}, {whole, memory().output, nullptr}, scratch);
}

std::uint32_t checksum() {
  return execution::crc32({reinterpret_cast<const std::uint8_t*>(memory().output), map_bytes});
}

/// The next block, behind the one before; from the beginning again at the card's end.
void write_block() {
  const std::uint32_t blocks = card().sectors() / block_sectors;
  end_if(card().start(Direction::to_card, writes_done % blocks * block_sectors, block_sectors, memory().block));
}

}  // namespace

extern "C" void pend_sv_interrupt() {
  if (!writing || card().busy()) return;
  end_if(card().result());
  ++writes_done;
  write_block();
}

extern "C" void image_main() {
  const auto iterations = reinterpret_cast<std::uintptr_t>(benchmark_iterations);
  const bool out_of_core = reinterpret_cast<std::uintptr_t>(benchmark_kind) == 2;
  start_board(out_of_core ? "energy benchmark, out-of-core" : "energy benchmark, in-core");
  if (out_of_core) {
    end_if(start_card());
    if (card().sectors() < block_sectors) end({Error::image_truncated, block_sectors});
  }
  fill(memory().block);
  fill(memory().input);
  fill(memory().weights);
  compute();
  const std::uint32_t expected = checksum();

  switch_light(true);
  const std::uint64_t begin_ns = now_ns();
  if (out_of_core) {
    const InterruptsOff alone;
    writing = true;
    write_block();
  }
  for (std::uint32_t i = 0; i < iterations; ++i) {
    compute();
    now_ns();  // an iteration is short against the wrap of the timer, many are not
  }
  {
    const InterruptsOff alone;
    writing = false;
  }
  const std::uint64_t end_ns = now_ns();
  switch_light(false);
  if (out_of_core) end_if(wait_for_card());
  if (checksum() != expected) end({Error::verification, 0});
  report("iterations", iterations);
  report("run_ns", end_ns - begin_ns);
  report("writes", writes_done);
  report("written_bytes", std::uint64_t{writes_done} * block_bytes);
  end({});
}
