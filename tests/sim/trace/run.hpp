#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "sim/core/plan.hpp"
#include "sim/core/scheduler.hpp"
#include "sim/trace/sink.hpp"

/// Plans and runs for the tests of the trace writers.
namespace spillway::trace::tests {

/// A plan with the tables that it points into.
struct Network {
  std::vector<std::string> names;
  std::vector<core::Layer> layers;
  std::vector<core::Part> parts;
  std::vector<core::LayerIndex> consumers;
  core::Pools pools = core::Pools::quarters(8);
  std::uint32_t frames = 1, window = 1;

  core::Plan plan() const {
    core::Plan plan;
    plan.layers = layers;
    plan.parts = parts;
    plan.consumers = consumers;
    plan.pools = pools;
    plan.buffer_bytes = 4096;
    plan.frames = frames;
    plan.window = window;
    return plan;
  }
};

/// A 3 x 3 convolution of an 8 x 8 map in `rows` stripes, a pooling of 2 x 2 in `rows / 2` stripes, and the addition of
/// two operands that both are the pooling.
inline Network three_layers(std::uint32_t rows = 4, std::uint32_t frames = 1, std::uint32_t window = 1) {
  core::Layer convolution;
  convolution.channels = convolution.tile_channels = 4;
  convolution.height = convolution.width = convolution.tile_width = 8;
  convolution.rows = rows;
  convolution.tile_height = 8 / rows;
  convolution.input_height = convolution.input_width = 8;
  convolution.kernel_height = convolution.kernel_width = 3;
  convolution.pad_top = convolution.pad_left = 1;
  convolution.chunks = 2;
  convolution.chunk_filters = 2;
  convolution.filter_bytes = convolution.piece_bytes = 27;
  convolution.filter_work = 27;
  convolution.parts = 1;
  convolution.consumers = 1;

  core::Layer pooling = convolution;
  pooling.height = pooling.width = pooling.tile_width = 4;
  pooling.rows = rows / 2;
  pooling.tile_height = 4 / pooling.rows;
  pooling.kernel_height = pooling.kernel_width = pooling.stride_height = pooling.stride_width = 2;
  pooling.pad_top = pooling.pad_left = 0;
  pooling.chunks = 1;
  pooling.chunk_filters = 4;
  pooling.filter_bytes = pooling.piece_bytes = 0;
  pooling.channelwise = true;
  pooling.first_part = 1;
  pooling.first_consumer = 1;

  core::Layer addition = pooling;
  addition.input_height = addition.input_width = 4;
  addition.kernel_height = addition.kernel_width = addition.stride_height = addition.stride_width = 1;
  addition.first_part = 2;
  addition.parts = 2;
  addition.first_consumer = 2;
  addition.consumers = 0;
  addition.input_buffers = 2;

  Network network;
  network.names = {"conv1_1", "pool1", "add1"};
  network.layers = {convolution, pooling, addition};
  network.parts = {{0, 3, 0, core::network_input}, {0, 4, 0, 0}, {0, 4, 0, 1}, {0, 4, 0, 1}};
  network.consumers = {1, 2};
  network.frames = frames;
  network.window = window;
  return network;
}

/// Runs a plan through the scheduler: one IO and one compute task at a time. IO takes 1,234 ns, compute 2,001 ns.
/// Returns the makespan in nanoseconds, 0 for a plan that does not finish.
inline std::uint64_t run(const core::Plan& plan, Sink& sink) {
  struct Busy {
    core::Task task;
    std::uint64_t start_ns, end_ns;
  };
  std::vector<std::uint32_t> storage(core::Scheduler::storage_words(core::size_of(plan)));
  core::Scheduler scheduler;
  if (scheduler.start(plan, storage) != core::Status::ok) return 0;
  std::optional<Busy> io, cpu;
  std::uint64_t now = 0;
  const auto report_pools = [&] {
    const auto used = [&](std::uint16_t size, core::Pool pool) {
      return static_cast<std::uint16_t>(size - scheduler.free_buffers(pool));
    };
    sink.pools({now, used(plan.pools.input, core::Pool::input), used(plan.pools.weights, core::Pool::weights),
                used(plan.pools.output, core::Pool::output)});
  };
  const auto finish = [&](std::optional<Busy>& resource) {
    if (!resource || resource->end_ns != now) return;
    const Busy done = *std::exchange(resource, std::nullopt);
    sink.record({done.task, done.start_ns, done.end_ns, core::is_io(done.task.kind) ? 100u : 0u});
    scheduler.finish(done.task);
    report_pools();
  };
  while (!scheduler.done()) {
    if (!cpu) {
      if (const auto task = scheduler.select_compute()) cpu = {*task, now, now + 2001};
    }
    if (!io) {
      if (const auto task = scheduler.select_io()) io = {*task, now, now + 1234};
    }
    report_pools();
    if (!io && !cpu) return 0;
    now = std::min(io ? io->end_ns : UINT64_MAX, cpu ? cpu->end_ns : UINT64_MAX);
    finish(cpu);
    finish(io);
  }
  return now;
}

/// Keeps everything it is told.
struct Recorder final : Sink {
  std::vector<Record> records;
  std::vector<PoolLevels> levels;

  void record(const Record& record) override { records.push_back(record); }
  void pools(const PoolLevels& now) override { levels.push_back(now); }
};

/// A folder that is removed at the end of the test.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "spillway-trace-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace spillway::trace::tests
