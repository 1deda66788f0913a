#include "experiments/runner.hpp"

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/crew/crew.hpp"
#include "experiments/material.hpp"
#include "experiments/metrics.hpp"
#include "experiments/stall.hpp"
#include "sim/swap/energy.hpp"
#include "sim/swap/simulate.hpp"
#include "sim/tiling/swap_plan.hpp"

namespace spillway::experiments {
namespace {

PointResult run_point(const Point& point, const Material& material) {
  const models::Network& network = material.network(point);
  const platforms::Card& card = material.card(point);
  const platforms::Board board = material.board(point);
  const tiling::SwapPlan plan = tiling::make_plan(network, request_of(point));
  const swap::Result result = swap::simulate(plan, board, card, options_of(point));
  if (result.stalled)
    return {PointStatus::stalled, fmt::format("{}", fmt::join(describe_stall(plan, result), "; ")), {}};
  const Run run{plan,
                board,
                card,
                result,
                swap::in_core_compute_s(plan, board),
                counted_layers(network, plan.request.element, board, card),
                material.endurance().test,
                daily_writes_of(point)};
  return {PointStatus::done, "", measure(run)};
}

/// The points of one sweep on their way, shared by its threads.
class Execution {
 public:
  Execution(std::span<const Point> points, const RunOptions& options, const RunPoint& run)
      : points_(points), options_(options), run_(run), results_(points.size()) {
    for (std::size_t place = 0; place < points.size(); ++place) {
      const std::size_t i = options.order.empty() ? place : options.order[place];
      if (i < options.known.size() && options.known[i]) {
        results_[i] = *options.known[i];
        ++finished_;
      } else {
        (options.one_thread(points[i]) ? one_thread_ : any_thread_).push_back(i);
      }
    }
  }

  std::vector<PointResult> go() {
    {
      std::vector<std::jthread> helpers;
      for (unsigned i = 1; i < options_.jobs && i < any_thread_.size(); ++i)
        helpers.emplace_back([this] { run_shared(); });
      for (const std::size_t i : one_thread_) {
        if (!finish(i)) break;
      }
      run_shared();
    }
    if (error_) std::rethrow_exception(error_);
    if (finished_ < points_.size()) throw Stopped(finished_, points_.size());
    return std::move(results_);
  }

 private:
  void run_shared() {
    for (std::size_t i = next_++; i < any_thread_.size(); i = next_++) {
      if (!finish(any_thread_[i])) return;
    }
  }

  /// Runs a point; false: the sweep has ended.
  bool finish(std::size_t i) {
    if (ended_ || is_stopped()) return false;
    try {
      results_[i] = outcome_of(run_, points_[i]);
    } catch (const crew::Unanswered&) {
      end(is_stopped() ? nullptr : std::current_exception());
      return false;
    }
    const std::scoped_lock lock(reporting_);
    if (error_) return false;
    try {
      if (options_.keep) options_.keep(i, results_[i]);
      ++finished_;
      if (options_.progress) options_.progress(finished_, points_.size());
    } catch (...) {
      error_ = std::current_exception();
      ended_ = true;
    }
    return !ended_;
  }

  bool is_stopped() const { return options_.stop && options_.stop(); }

  void end(std::exception_ptr error) {
    const std::scoped_lock lock(reporting_);
    if (!error_) error_ = std::move(error);
    ended_ = true;
  }

  std::span<const Point> points_;
  const RunOptions& options_;
  const RunPoint& run_;
  std::vector<PointResult> results_;
  std::vector<std::size_t> any_thread_, one_thread_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> ended_ = false;
  std::mutex reporting_;  ///< guards what follows
  std::size_t finished_ = 0;
  std::exception_ptr error_;
};

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

PointResult outcome_of(const RunPoint& run, const Point& point) {
  try {
    return run(point);
  } catch (const tiling::Infeasible& refusal) {
    return {PointStatus::infeasible, refusal.what(), {}};
  } catch (const crew::Unanswered&) {
    throw;
  } catch (const std::exception& error) {
    return {PointStatus::failed, error.what(), {}};
  }
}

bool is_on_simgrid(const Point& point) {
  return point.name(Parameter::driver) == "simgrid";
}

std::vector<PointResult> run_points(std::span<const Point> points, const RunOptions& options, const RunPoint& run) {
  return Execution(points, options, run).go();
}

RunPoint run_swap(std::span<const Point> points) {
  return
      [material = std::make_shared<const Material>(points)](const Point& point) { return run_point(point, *material); };
}

std::vector<PointResult> run_points(std::span<const Point> points, const RunOptions& options) {
  return run_points(points, options, run_swap(points));
}

}  // namespace spillway::experiments
