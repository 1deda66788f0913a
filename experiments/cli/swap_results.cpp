#include "experiments/cli/swap_results.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/stall.hpp"

namespace spillway::cli {
namespace {

using experiments::Parameter;

experiments::Point point_of(const experiments::Run& run, const swap::Options& options, const std::string& board,
                            const std::string& card) {
  const tiling::Request& request = run.plan.request;
  experiments::Point point;
  point[Parameter::network] = run.plan.network;
  point[Parameter::board] = board;
  point[Parameter::card] = card;
  point[Parameter::rule] = std::string(tiling::to_string(request.rule));
  point[Parameter::element] = std::string(models::to_string(request.element));
  point[Parameter::sram] = request.sram_bytes;
  point[Parameter::buffer] = request.buffer_bytes;
  point[Parameter::mode] = std::string(options.mode == swap::Mode::parallel ? "parallel" : "sequential");
  point[Parameter::frames] = std::uint64_t{request.frames};
  point[Parameter::window] = std::uint64_t{run.plan.view().window};
  point[Parameter::queue] = std::string(request.queue == core::Queue::skip ? "skip" : "strict");
  point[Parameter::pools] = std::string(request.shared_pool ? "shared" : "separate");
  point[Parameter::contention] = run.board.contention.value;
  point[Parameter::driver] = std::string(options.driver == swap::Driver::virtual_clock ? "virtual-clock" : "simgrid");
  constexpr std::array<const char*, 3> crypto = {"none", "cpu", "accelerator"};
  point[Parameter::crypto] = std::string(crypto[static_cast<std::size_t>(options.crypto)]);
  point[Parameter::daily_writes] = std::string(experiments::of_the_run);
  return point;
}

}  // namespace

experiments::Experiment swap_experiment() {
  experiments::Experiment experiment;
  experiment.name = "swap";
  experiment.title = "One run of spillway swap";
  experiment.question = "How long does it take, and what does it cost?";
  return experiment;
}

OnePointSweep as_sweep(const experiments::Run& run, const swap::Options& options, const std::string& board,
                       const std::string& card) {
  OnePointSweep sweep{swap_experiment(), {}};
  const experiments::Point point = point_of(run, options, board, card);
  experiments::Block block;
  for (std::size_t i = 0; i < experiments::parameter_count; ++i)
    block.push_back({point[i]});
  sweep.experiment.points = {point};
  sweep.experiment.blocks = {block};

  experiments::PointResult result;
  if (run.result.stalled) {
    result.status = experiments::PointStatus::stalled;
    result.reason = fmt::format("{}", fmt::join(experiments::describe_stall(run.plan, run.result), "; "));
  } else {
    result.metrics = experiments::measure(run);
  }
  sweep.results = {result};
  return sweep;
}

}  // namespace spillway::cli
