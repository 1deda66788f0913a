#include "experiments/runner.hpp"

#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/metrics.hpp"
#include "experiments/stall.hpp"
#include "models/zoo.hpp"
#include "platforms/board.hpp"
#include "platforms/card.hpp"
#include "sim/swap/energy.hpp"
#include "sim/swap/simulate.hpp"
#include "sim/tiling/swap_plan.hpp"

namespace spillway::experiments {
namespace {

/// What the points refer to by name, loaded once before any thread starts and only read afterwards.
struct Material {
  std::map<std::string, models::Network> networks;
  std::map<std::string, platforms::Board> boards;
  std::map<std::string, platforms::Card> cards;
};

Material load(std::span<const Point> points) {
  Material material;
  for (const Point& point : points) {
    const std::string& network = point.name(Parameter::network);
    if (!material.networks.contains(network)) material.networks.emplace(network, models::zoo(network).value());
    const std::string& board = point.name(Parameter::board);
    if (!material.boards.contains(board)) material.boards.emplace(board, platforms::load_board(board));
    const std::string& card = point.name(Parameter::card);
    if (!material.cards.contains(card)) material.cards.emplace(card, platforms::load_card(card));
  }
  return material;
}

tiling::Rule rule_of(const Point& point) {
  for (const tiling::Rule rule : {tiling::Rule::paper, tiling::Rule::paper_counts, tiling::Rule::halo}) {
    if (tiling::to_string(rule) == point.name(Parameter::rule)) return rule;
  }
  throw std::logic_error("unknown rule " + point.name(Parameter::rule));
}

tiling::Request request_of(const Point& point) {
  tiling::Request request;
  request.sram_bytes = point.count(Parameter::sram);
  request.buffer_bytes = point.count(Parameter::buffer);
  request.element = point.name(Parameter::element) == "int8" ? models::ElementType::int8 : models::ElementType::float32;
  request.rule = rule_of(point);
  request.frames = static_cast<std::uint32_t>(point.count(Parameter::frames));
  request.window = static_cast<std::uint32_t>(point.count(Parameter::window));
  request.queue = point.name(Parameter::queue) == "skip" ? core::Queue::skip : core::Queue::strict;
  request.shared_pool = point.name(Parameter::pools) == "shared";
  return request;
}

swap::Options options_of(const Point& point) {
  swap::Options options;
  options.mode = point.name(Parameter::mode) == "parallel" ? swap::Mode::parallel : swap::Mode::sequential;
  options.driver =
      point.name(Parameter::driver) == "virtual-clock" ? swap::Driver::virtual_clock : swap::Driver::simgrid;
  return options;
}

PointResult run_point(const Point& point, const Material& material) {
  PointResult outcome;
  try {
    const models::Network& network = material.networks.at(point.name(Parameter::network));
    const platforms::Card& card = material.cards.at(point.name(Parameter::card));
    platforms::Board board = material.boards.at(point.name(Parameter::board));
    board.contention.value = point.figure(Parameter::contention);

    const tiling::SwapPlan plan = tiling::make_plan(network, request_of(point));
    const swap::Result result = swap::simulate(plan, board, card, options_of(point));
    if (result.stalled)
      return {PointStatus::stalled, fmt::format("{}", fmt::join(describe_stall(plan, result), "; ")), {}};
    const Run run{plan, board, card, result, swap::in_core_compute_s(plan, board)};
    for (const Metric& metric : metrics())
      outcome.metrics.push_back(metric.of(run));
  } catch (const tiling::Infeasible& refusal) {
    return {PointStatus::infeasible, refusal.what(), {}};
  } catch (const std::exception& error) {
    return {PointStatus::failed, error.what(), {}};
  }
  return outcome;
}

}  // namespace

std::string_view to_string(PointStatus status) {
  switch (status) {
    case PointStatus::done:
      return "ok";
    case PointStatus::infeasible:
      return "infeasible";
    case PointStatus::stalled:
      return "stalled";
    case PointStatus::failed:
      return "failed";
  }
  return "";
}

std::vector<PointResult> run_points(std::span<const Point> points, const RunOptions& options) {
  const Material material = load(points);
  std::vector<PointResult> results(points.size());
  std::vector<std::size_t> any_thread, this_thread;
  for (std::size_t i = 0; i < points.size(); ++i) {
    (points[i].name(Parameter::driver) == "simgrid" ? this_thread : any_thread).push_back(i);
  }

  std::mutex reporting;
  std::size_t finished = 0;
  const auto run = [&](std::size_t i) {
    results[i] = run_point(points[i], material);
    const std::scoped_lock lock(reporting);
    ++finished;
    if (options.progress) options.progress(finished, points.size());
  };
  std::atomic<std::size_t> next = 0;
  const auto run_shared = [&] {
    for (std::size_t i = next++; i < any_thread.size(); i = next++)
      run(any_thread[i]);
  };

  std::vector<std::jthread> helpers;
  for (unsigned i = 1; i < options.jobs && i < points.size(); ++i)
    helpers.emplace_back(run_shared);
  for (const std::size_t i : this_thread)
    run(i);
  run_shared();
  helpers.clear();
  return results;
}

}  // namespace spillway::experiments
