#include "experiments/execution/task_times.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <vector>

#include <Eigen/Dense>
#include <nlohmann/json.hpp>

#include "hw/linux/lockstep_clock.hpp"
#include "hw/swap/extents.hpp"
#include "platforms/board.hpp"
#include "platforms/problems.hpp"
#include "sim/core/geometry.hpp"
#include "sim/core/scheduler.hpp"
#include "sim/cost/nonnegative.hpp"
#include "sim/trace/output_file.hpp"

namespace spillway::experiments {
namespace {

using nlohmann::json;

std::uint32_t extents_of(const core::Plan& plan, const execution::CardMap& map, const core::Task& task) {
  execution::ExtentWalk walk(plan, map, task);
  execution::Extent extent;
  std::uint32_t count = 0;
  while (walk.next(extent))
    count += extent.sectors != 0;
  return count;
}

/// Times over their terms.
class Fit {
 public:
  explicit Fit(std::size_t terms) : terms_(terms) {}

  void add(const std::vector<double>& row, std::uint64_t nanoseconds) {
    rows_.insert(rows_.end(), row.begin(), row.end());
    times_.push_back(static_cast<double>(nanoseconds) / 1e3);
  }

  std::vector<double> solution() const {
    if (times_.empty()) return std::vector<double>(terms_, 0);
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::Map<const Rows> a(rows_.data(), static_cast<Eigen::Index>(times_.size()),
                                   static_cast<Eigen::Index>(terms_));
    const Eigen::Map<const Eigen::VectorXd> b(times_.data(), static_cast<Eigen::Index>(times_.size()));
    const Eigen::VectorXd x = cost::nonnegative_least_squares(a, b);
    return {x.begin(), x.end()};
  }

 private:
  std::size_t terms_;
  std::vector<double> rows_, times_;
};

std::vector<double> io_terms(const core::Plan& plan, const execution::CardMap& map, const core::Task& task) {
  return {1, static_cast<double>(extents_of(plan, map, task)), static_cast<double>(core::bytes_of(plan, task)) / 1e3};
}

IoTimes io_times(const Fit& fit) {
  const std::vector<double> x = fit.solution();
  return {x[0], x[1], x[2]};
}

json to_json(const IoTimes& times) {
  return {{"task_us", times.task}, {"extent_us", times.extent}, {"kilobyte_us", times.kilobyte}};
}

IoTimes io_from(const json& object) {
  return {object.at("task_us"), object.at("extent_us"), object.at("kilobyte_us")};
}

}  // namespace

std::uint64_t TaskTimes::of(const core::Plan& plan, const execution::CardMap& map, const core::Task& task) const {
  double us = compute;
  if (task.kind == core::TaskKind::compute) {
    us += work[static_cast<std::size_t>(plan.layers[task.layer].work_class)] *
          static_cast<double>(core::work_of(plan, task)) / 1e3;
  } else {
    const IoTimes& io = task.kind == core::TaskKind::write_output ? write : read;
    const std::vector<double> terms = io_terms(plan, map, task);
    us = io.task + io.extent * terms[1] + io.kilobyte * terms[2];
  }
  return static_cast<std::uint64_t>(std::llround(us * 1e3));
}

TaskTimes fit_times(const core::Plan& plan, const execution::CardMap& map, std::span<const trace::Record> records) {
  Fit reads(3), writes(3), computes(1 + core::work_classes);
  std::array<bool, core::work_classes> seen{};
  for (const trace::Record& record : records) {
    const std::uint64_t took = record.end_ns - record.start_ns;
    if (record.task.kind != core::TaskKind::compute) {
      (record.task.kind == core::TaskKind::write_output ? writes : reads).add(io_terms(plan, map, record.task), took);
      continue;
    }
    const auto of_class = static_cast<std::size_t>(plan.layers[record.task.layer].work_class);
    std::vector<double> row(1 + core::work_classes);
    row[0] = 1;
    row[1 + of_class] = static_cast<double>(core::work_of(plan, record.task)) / 1e3;
    seen[of_class] = true;
    computes.add(row, took);
  }
  TaskTimes times{io_times(reads), io_times(writes), 0, {}};
  const std::vector<double> x = computes.solution();
  times.compute = x[0];
  const double slowest = *std::max_element(x.begin() + 1, x.end());
  for (std::size_t of_class = 0; of_class < times.work.size(); ++of_class)
    times.work[of_class] = seen[of_class] ? x[1 + of_class] : slowest;
  return times;
}

std::uint64_t predicted_makespan(const core::Plan& plan, const execution::CardMap& map, const TaskTimes& times) {
  std::vector<std::uint32_t> storage(core::Scheduler::storage_words(core::size_of(plan)));
  core::Scheduler scheduler;
  if (scheduler.start(plan, storage) != core::Status::ok) throw std::invalid_argument("the scheduler refuses the plan");
  execution::FixedTimes clock([&](const core::Task& task) { return times.of(plan, map, task); });
  std::optional<core::Task> io, compute;
  while (!scheduler.done()) {
    if (!io && (io = scheduler.select_io())) clock.start(*io);
    if (!compute && (compute = scheduler.select_compute())) clock.start(*compute);
    if (!io && !compute) throw std::logic_error("the plan stalls");
    const execution::LockstepClock::Ends ends = clock.first_to_end();
    clock.go_on();
    if (ends.compute) {
      scheduler.finish(*compute);
      compute.reset();
    }
    if (ends.io) {
      scheduler.finish(*io);
      io.reset();
    }
  }
  return clock.now_ns();
}

void write_times(const std::filesystem::path& path, const TaskTimes& times) {
  json compute = {{"task_us", times.compute}};
  for (std::size_t of_class = 0; of_class < times.work.size(); ++of_class)
    compute[std::string(platforms::work_class_names[of_class]) + "_us"] = times.work[of_class];
  const json file = {{"read", to_json(times.read)}, {"write", to_json(times.write)}, {"compute", compute}};
  trace::write_file(path, file.dump(2) + "\n");
}

TaskTimes read_times(const std::filesystem::path& path) {
  const auto refuse = [&path](const std::string& why) {
    return platforms::InputError({platforms::Problem{path.string(), 0, 0, "", why}});
  };
  std::ifstream file(path);
  if (!file) throw refuse("cannot be opened");
  try {
    const json content = json::parse(file);
    TaskTimes times{io_from(content.at("read")), io_from(content.at("write")), content.at("compute").at("task_us"), {}};
    for (std::size_t of_class = 0; of_class < times.work.size(); ++of_class)
      times.work[of_class] = content.at("compute").at(std::string(platforms::work_class_names[of_class]) + "_us");
    return times;
  } catch (const json::exception& error) {
    throw refuse(std::string("is no file of `spillway run --calibrate`: ") + error.what());
  }
}

}  // namespace spillway::experiments
