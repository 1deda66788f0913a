#include "memory_card.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "hw/swap/compute_int8.hpp"
#include "sim/core/layout.hpp"
#include "sim/core/scheduler.hpp"

namespace spillway::execution {
namespace {

constexpr std::int8_t guard = 0x5A;
constexpr std::size_t guard_bytes = 64;

/// One run of the core over the real parts of an execution.
class Run {
 public:
  Run(const core::Plan& plan, const CardImage& image, const QuantizedNetwork& network, MemoryCard& card,
      std::uint32_t landing_sectors, tiling::Random& random)
      : plan_(plan),
        image_(image),
        network_(network),
        card_(card),
        random_(random),
        sram_(plan, random),
        storage_(core::Scheduler::storage_words(core::size_of(plan))),
        landing_(std::size_t{landing_sectors} * core::sector_bytes),
        movement_(landing_) {
    const JobSize size = job_size(plan);
    io_buffers_.resize(size.buffers);
    job_buffers_.resize(size.buffers);
    patches_.resize(size.patches);
    parts_.resize(size.parts);
    const std::span<const LayerOperator> operators = image.operators();
    scratch_.resize(random.chance(50) ? wanted_scratch(plan, operators) : least_scratch(operators));
    if (scheduler_.start(plan, storage_) != core::Status::ok) throw std::logic_error("the core refuses the plan");
  }

  void run() {
    while (!scheduler_.done()) {
      if (!io_) begin_io();
      if (!compute_) begin_compute();
      if (!io_ && !compute_) throw std::logic_error("the run stalls");
      if (io_ && (!compute_ || random_.chance(50))) {
        step_io();
      } else {
        finish_compute();
      }
    }
    if (!sram_.intact()) throw std::logic_error("somebody wrote behind a pool");
  }

 private:
  void begin_io() {
    io_ = scheduler_.select_io();
    if (!io_) return;
    moved_sectors_ = 0;
    movement_.begin(plan_, image_.map(), *io_,
                    {buffers_of(scheduler_, *io_, sram_.pools(), io_buffers_), plan_.buffer_bytes});
  }

  void begin_compute() {
    compute_ = scheduler_.select_compute();
    if (!compute_) return;
    prepare(job_, plan_, image_.operators()[compute_->layer], scheduler_, *compute_, sram_.pools(),
            {job_buffers_, patches_, parts_});
    computed_ = random_.chance(50);
    if (computed_) compute();
  }

  void compute() {
    compute_int8(plan_.layers[compute_->layer], image_.operators()[compute_->layer], network_.layers[compute_->layer],
                 job_, scratch_);
  }

  void step_io() {
    Transfer transfer;
    if (movement_.next(transfer)) {
      moved_sectors_ += transfer.sectors;
      card_.carry_out(transfer, movement_.writes());
      return;
    }
    const std::uint64_t charged = core::bytes_of(plan_, *io_);
    if (moved_sectors_ * core::sector_bytes != charged)
      throw std::logic_error(fmt::format("kind {} of layer {} tile {} moves {} bytes and is charged {}",
                                         static_cast<int>(io_->kind), io_->layer, io_->tile,
                                         moved_sectors_ * core::sector_bytes, charged));
    scheduler_.finish(*io_);
    io_.reset();
  }

  void finish_compute() {
    if (!computed_) compute();
    scheduler_.finish(*compute_);
    compute_.reset();
  }

  const core::Plan& plan_;
  const CardImage& image_;
  const QuantizedNetwork& network_;
  MemoryCard& card_;
  tiling::Random& random_;
  Sram sram_;
  std::vector<std::uint32_t> storage_;
  std::vector<std::int8_t> landing_;
  Movement movement_;
  std::vector<std::int8_t*> io_buffers_;
  std::vector<const std::int8_t*> job_buffers_;
  std::vector<int8::Patch> patches_;
  std::vector<core::Range> parts_;
  std::vector<std::int16_t> scratch_;
  core::Scheduler scheduler_;
  std::optional<core::Task> io_, compute_;
  TileJob job_;
  bool computed_ = false;
  std::uint64_t moved_sectors_ = 0;
};

void fill(std::span<std::int8_t> bytes, tiling::Random& random) {
  for (std::int8_t& byte : bytes)
    byte = static_cast<std::int8_t>(random.between(-128, 127));
}

}  // namespace

MemoryCard::MemoryCard(std::uint32_t sectors, tiling::Random& random)
    : bytes_(std::size_t{sectors} * core::sector_bytes) {
  for (std::uint8_t& byte : bytes_)
    byte = static_cast<std::uint8_t>(random.between(0, 255));
}

std::span<std::uint8_t> MemoryCard::at(std::uint64_t sector, std::size_t bytes) {
  if (sector * core::sector_bytes + bytes > bytes_.size()) throw std::logic_error("a transfer beyond the card");
  return std::span(bytes_).subspan(sector * core::sector_bytes, bytes);
}

void MemoryCard::carry_out(const Transfer& transfer, bool to_card) {
  const std::size_t bytes = std::size_t{transfer.sectors} * core::sector_bytes;
  if (bytes == 0) throw std::logic_error("a transfer of nothing");
  auto* const memory = reinterpret_cast<std::uint8_t*>(transfer.memory);
  const std::span<std::uint8_t> stored = at(transfer.sector, bytes);
  if (to_card) {
    std::copy_n(memory, bytes, stored.begin());
    sectors_written += transfer.sectors;
  } else {
    std::copy(stored.begin(), stored.end(), memory);
    sectors_read += transfer.sectors;
  }
}

WriteSectors MemoryCard::writer() {
  return [this](std::uint32_t sector, std::span<const std::uint8_t> bytes) {
    std::ranges::copy(bytes, at(sector, bytes.size()).begin());
  };
}

ReadSectors MemoryCard::reader() {
  return [this](std::uint32_t sector, std::span<std::uint8_t> bytes) {
    std::ranges::copy(at(sector, bytes.size()), bytes.begin());
  };
}

Sram::Sram(const core::Plan& plan, tiling::Random& random) {
  const std::uint16_t counts[] = {plan.pools.input, plan.pools.weights, plan.pools.output};
  for (int pool = 0; pool < 3; ++pool) {
    memory_[pool].resize(std::size_t{counts[pool]} * plan.buffer_bytes);
    fill(memory_[pool], random);
    memory_[pool].insert(memory_[pool].end(), guard_bytes, guard);
  }
  pools_ = {memory_[0].data(), memory_[1].data(), memory_[2].data(), plan.buffer_bytes};
}

bool Sram::intact() const {
  return std::ranges::all_of(memory_, [](const std::vector<std::int8_t>& memory) {
    return std::all_of(memory.end() - guard_bytes, memory.end(), [](std::int8_t byte) { return byte == guard; });
  });
}

void run_in_memory(const core::Plan& plan, const CardImage& image, const QuantizedNetwork& network, MemoryCard& card,
                   std::uint32_t landing_sectors, tiling::Random& random) {
  Run(plan, image, network, card, landing_sectors, random).run();
}

}  // namespace spillway::execution
