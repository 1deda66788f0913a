#include "experiments/execution/task_times.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include <Eigen/Dense>
#include <nlohmann/json.hpp>

#include "hw/linux/lockstep_clock.hpp"
#include "hw/swap/extents.hpp"
#include "hw/swap/movement.hpp"
#include "platforms/board.hpp"
#include "platforms/problems.hpp"
#include "sim/core/geometry.hpp"
#include "sim/core/scheduler.hpp"
#include "sim/cost/nonnegative.hpp"
#include "sim/trace/output_file.hpp"

namespace spillway::experiments {
namespace {

using nlohmann::json;

/// The transfers that a driver makes of IO tasks.
class Commands {
 public:
  explicit Commands(const CarriedPlan& carried)
      : carried_(carried), landing_(carried.landing_bytes), movement_(landing_) {
    std::uint32_t most = 1;
    for (const core::Layer& layer : carried.plan.layers)
      most = std::max<std::uint32_t>(most, layer.input_buffers);
    memory_.resize(std::size_t{most} * carried.plan.buffer_bytes);
    for (std::uint32_t buffer = 0; buffer < most; ++buffer)
      buffers_.push_back(memory_.data() + std::size_t{buffer} * carried.plan.buffer_bytes);
  }

  /// 1, commands, thousands of bytes, runs that are copied.
  std::vector<double> terms(const core::Task& task) {
    movement_.begin(carried_.plan, carried_.map, task, {buffers_, carried_.plan.buffer_bytes});
    std::uint32_t commands = 0, landed = 0;
    execution::Transfer transfer;
    while (movement_.next(transfer)) {
      ++commands;
      landed += transfer.memory == landing_.data() ? 1 : 0;
    }
    return {1, static_cast<double>(commands), static_cast<double>(core::bytes_of(carried_.plan, task)) / 1e3,
            landed == 0 ? 0 : runs(task)};
  }

 private:
  double runs(const core::Task& task) const {
    execution::ExtentWalk walk(carried_.plan, carried_.map, task);
    execution::Extent extent;
    double count = 0;
    while (walk.next(extent))
      count += extent.rows * extent.columns;
    return count;
  }

  const CarriedPlan& carried_;
  std::vector<std::int8_t> landing_, memory_;
  std::vector<std::int8_t*> buffers_;
  execution::Movement movement_;
};

/// Times over their terms.
class Fit {
 public:
  explicit Fit(std::size_t terms) : terms_(terms) {}

  void add(const std::vector<double>& row, std::uint64_t nanoseconds) {
    rows_.insert(rows_.end(), row.begin(), row.end());
    times_.push_back(static_cast<double>(nanoseconds) / 1e3);
  }

  /// The square of an error counts by one over the time that is expected, found by repetition: short and long tasks
  /// matter by what they take together, and all tasks together take as long as measured. (One over the measured time
  /// would count what was slow by chance too little.)
  std::vector<double> solution() const {
    if (times_.empty()) return std::vector<double>(terms_, 0);
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::Map<const Rows> rows(rows_.data(), static_cast<Eigen::Index>(times_.size()),
                                      static_cast<Eigen::Index>(terms_));
    const Eigen::Map<const Eigen::VectorXd> times(times_.data(), static_cast<Eigen::Index>(times_.size()));
    constexpr int repetitions = 5;
    constexpr double least_us = 0.1;
    Eigen::VectorXd expected = times, x;
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      const Eigen::VectorXd weights = expected.cwiseMax(least_us).cwiseSqrt().cwiseInverse();
      const Eigen::MatrixXd a = rows.array().colwise() * weights.array();
      // Columns of one length: the solver compares gradients.
      Eigen::VectorXd lengths = a.colwise().norm();
      for (double& length : lengths)
        if (length == 0) length = 1;
      // The time for a task comes last of what would say the same: where each is one command, it is the command's time.
      lengths[0] *= 2;
      const Eigen::MatrixXd scaled = a.array().rowwise() / lengths.transpose().array();
      x = cost::nonnegative_least_squares(scaled, times.cwiseProduct(weights)).cwiseQuotient(lengths);
      expected = rows * x;
    }
    return {x.begin(), x.end()};
  }

 private:
  std::size_t terms_;
  std::vector<double> rows_, times_;
};

constexpr std::size_t work_terms = 3;

/// 1, and for each class thousands of its work, of output values and of gathered input values.
std::vector<double> compute_terms(const core::Plan& plan, const core::Task& task) {
  const core::Layer& layer = plan.layers[task.layer];
  const core::Region out = core::output_region(layer, task.tile);
  const double pixels = static_cast<double>(out.rows.size()) * out.columns.size();
  const double filters = layer.has_weights() ? core::filters_of(layer, task.tile, task.index) : out.channels.size();
  const double work = static_cast<double>(core::work_of(plan, task));
  std::vector<double> terms(1 + work_terms * core::work_classes);
  terms[0] = 1;
  double* const of_class = &terms[1 + work_terms * static_cast<std::size_t>(layer.work_class)];
  of_class[0] = work / 1e3;
  of_class[1] = pixels * filters / 1e3;
  of_class[2] = work / filters / 1e3;
  return terms;
}

IoTimes io_times(const Fit& fit) {
  const std::vector<double> x = fit.solution();
  return {x[0], x[1], x[2], x[3]};
}

json to_json(const IoTimes& times) {
  return {
      {"task_us", times.task}, {"command_us", times.command}, {"kilobyte_us", times.kilobyte}, {"run_us", times.run}};
}

json to_json(const Gap& gap) {
  return {{"next_us", gap.next}, {"wake_us", gap.wake}};
}

/// Looks the terms up for one task after the other.
class Durations {
 public:
  Durations(const CarriedPlan& carried, const TaskTimes& times)
      : carried_(carried), times_(times), commands_(carried) {}

  std::uint64_t of(const core::Task& task) {
    double us = 0;
    if (task.kind == core::TaskKind::compute) {
      us = times_.compute;
      const std::vector<double> terms = compute_terms(carried_.plan, task);
      for (std::size_t of_class = 0; of_class < times_.work.size(); ++of_class) {
        const WorkTimes& work = times_.work[of_class];
        const double* const amount = &terms[1 + work_terms * of_class];
        us += work.work * amount[0] + work.output * amount[1] + work.input * amount[2];
      }
    } else {
      const IoTimes& io = task.kind == core::TaskKind::write_output ? times_.write : times_.read;
      const std::vector<double> terms = commands_.terms(task);
      us = io.task + io.command * terms[1] + io.kilobyte * terms[2] + io.run * terms[3];
    }
    return static_cast<std::uint64_t>(std::llround(us * 1e3));
  }

 private:
  const CarriedPlan& carried_;
  const TaskTimes& times_;
  Commands commands_;
};

platforms::InputError refusal(const std::string& what) {
  return platforms::InputError({platforms::Problem{"", 0, 0, "--predict", what}});
}

}  // namespace

CardTimes card_times(const platforms::Card& card) {
  return {card.read_overhead.value * 1e6, 1e9 / card.read_bandwidth.value, card.write_overhead.value * 1e6,
          1e9 / card.write_bandwidth.value};
}

std::function<std::uint64_t(const core::Task&)> TaskTimes::durations(const CarriedPlan& carried) const {
  return [all = std::make_shared<Durations>(carried, *this)](const core::Task& task) { return all->of(task); };
}

TaskTimes TaskTimes::with(const platforms::Card& other) const {
  if (!card) throw refusal("the file does not say with which card the trace was taken: --calibrate it with --measured");
  const CardTimes now = card_times(other);
  TaskTimes moved = *this;
  moved.read.command += now.read_overhead - card->read_overhead;
  moved.read.kilobyte += now.read_kilobyte - card->read_kilobyte;
  moved.write.command += now.write_overhead - card->write_overhead;
  moved.write.kilobyte += now.write_kilobyte - card->write_kilobyte;
  for (const double term : {moved.read.command, moved.read.kilobyte, moved.write.command, moved.write.kilobyte})
    if (term < 0) throw refusal("card " + other.name + " is faster than the fit allows: calibrate with it");
  moved.card = now;
  return moved;
}

TaskTimes fit_times(const CarriedPlan& carried, std::span<const trace::Record> records) {
  Fit reads(4), writes(4), computes(1 + work_terms * core::work_classes);
  Commands commands(carried);
  std::array<bool, core::work_classes> seen{};
  for (const trace::Record& record : records) {
    const std::uint64_t took = record.end_ns - record.start_ns;
    if (record.task.kind != core::TaskKind::compute) {
      (record.task.kind == core::TaskKind::write_output ? writes : reads).add(commands.terms(record.task), took);
      continue;
    }
    seen[static_cast<std::size_t>(carried.plan.layers[record.task.layer].work_class)] = true;
    computes.add(compute_terms(carried.plan, record.task), took);
  }
  TaskTimes times{io_times(reads), io_times(writes), 0, {}, gap_of(records, true), gap_of(records, false), {}};
  const std::vector<double> x = computes.solution();
  times.compute = x[0];
  std::size_t slowest = 0;
  for (std::size_t of_class = 0; of_class < times.work.size(); ++of_class) {
    const double* const found = &x[1 + work_terms * of_class];
    times.work[of_class] = {found[0], found[1], found[2]};
    if (found[0] > times.work[slowest].work) slowest = of_class;
  }
  constexpr auto convolution = static_cast<std::size_t>(core::WorkClass::convolution),
                 pointwise = static_cast<std::size_t>(core::WorkClass::pointwise);
  for (std::size_t of_class = 0; of_class < times.work.size(); ++of_class) {
    if (seen[of_class]) continue;
    std::size_t like = slowest;
    if (of_class == pointwise && seen[convolution]) like = convolution;
    if (of_class == convolution && seen[pointwise]) like = pointwise;
    times.work[of_class] = times.work[like];
  }
  return times;
}

std::vector<trace::Record> predicted_run(const CarriedPlan& carried, const TaskTimes& times) {
  std::vector<std::uint32_t> storage(core::Scheduler::storage_words(core::size_of(carried.plan)));
  core::Scheduler scheduler;
  if (scheduler.start(carried.plan, storage) != core::Status::ok)
    throw std::invalid_argument("the scheduler refuses the plan");
  const auto duration = times.durations(carried);
  std::uint64_t gap_ns = 0;
  execution::FixedTimes clock([&](const core::Task& task) { return gap_ns + duration(task); });
  std::vector<trace::Record> records;
  std::optional<trace::Record> io, compute;
  const auto start = [&](std::optional<trace::Record>& running, const std::optional<core::Task>& task, double gap_us) {
    if (!task) return;
    gap_ns = static_cast<std::uint64_t>(std::llround(gap_us * 1e3));
    clock.start(*task);
    running = trace::Record{*task, clock.now_ns() + gap_ns, 0, core::bytes_of(carried.plan, *task)};
  };
  const auto finish = [&](std::optional<trace::Record>& running) {
    running->end_ns = clock.now_ns();
    scheduler.finish(running->task);
    records.push_back(*running);
    running.reset();
  };
  execution::LockstepClock::Ends ended;
  while (!scheduler.done()) {
    if (!io) start(io, scheduler.select_io(), ended.io ? times.io_gap.next : times.io_gap.wake);
    if (!compute)
      start(compute, scheduler.select_compute(), ended.compute ? times.compute_gap.next : times.compute_gap.wake);
    if (!io && !compute) throw std::logic_error("the plan stalls");
    ended = clock.first_to_end();
    clock.go_on();
    if (ended.compute) finish(compute);
    if (ended.io) finish(io);
  }
  return records;
}

std::uint64_t makespan_of(std::span<const trace::Record> records) {
  std::uint64_t makespan = 0;
  for (const trace::Record& record : records)
    makespan = std::max(makespan, record.end_ns);
  return makespan;
}

void write_times(const std::filesystem::path& path, const TaskTimes& times) {
  json compute = {{"task_us", times.compute}};
  for (std::size_t of_class = 0; of_class < times.work.size(); ++of_class) {
    const WorkTimes& work = times.work[of_class];
    compute[std::string(platforms::work_class_names[of_class])] = {
        {"work_us", work.work}, {"output_us", work.output}, {"input_us", work.input}};
  }
  json file = {{"read", to_json(times.read)},
               {"write", to_json(times.write)},
               {"compute", compute},
               {"gap", {{"io", to_json(times.io_gap)}, {"compute", to_json(times.compute_gap)}}}};
  if (times.card) {
    file["card"] = {{"read_overhead_us", times.card->read_overhead},
                    {"read_kilobyte_us", times.card->read_kilobyte},
                    {"write_overhead_us", times.card->write_overhead},
                    {"write_kilobyte_us", times.card->write_kilobyte}};
  }
  trace::write_file(path, file.dump(2) + "\n");
}

TaskTimes read_times(const std::filesystem::path& path) {
  std::vector<platforms::Problem> problems;
  const auto problem = [&](const std::string& key, const std::string& what) {
    problems.push_back({path.string(), 0, 0, key, what});
  };
  std::error_code error;
  std::ifstream file(path);
  if (!std::filesystem::is_regular_file(path, error) || !file) {
    problem("", "is no file that can be read; expected one of `spillway run --calibrate`");
    throw platforms::InputError(problems);
  }
  json content = json::parse(file, nullptr, false);
  if (!content.is_object()) {
    problem("", "is no JSON object; expected a file of `spillway run --calibrate`");
    throw platforms::InputError(problems);
  }
  json numbers = content.flatten();
  const auto take = [&](const std::string& group, const std::string& key) {
    const std::string pointer = "/" + group + "/" + key;
    const auto found = numbers.find(pointer);
    double value = 0;
    if (found == numbers.end())
      problem(pointer, "is missing; expected microseconds");
    else if (!found->is_number() || (value = *found) < 0)
      problem(pointer, found->dump() + " is no time; expected microseconds, 0 or more");
    if (found != numbers.end()) numbers.erase(found);
    return value;
  };
  const auto io = [&](const std::string& group) {
    return IoTimes{take(group, "task_us"), take(group, "command_us"), take(group, "kilobyte_us"),
                   take(group, "run_us")};
  };
  const auto gap = [&](const std::string& group) { return Gap{take(group, "next_us"), take(group, "wake_us")}; };
  TaskTimes times{io("read"), io("write"), take("compute", "task_us"), {}, gap("gap/io"), gap("gap/compute"), {}};
  for (std::size_t of_class = 0; of_class < times.work.size(); ++of_class) {
    const std::string group = "compute/" + std::string(platforms::work_class_names[of_class]);
    times.work[of_class] = {take(group, "work_us"), take(group, "output_us"), take(group, "input_us")};
  }
  if (content.contains("card")) {
    times.card = CardTimes{take("card", "read_overhead_us"), take("card", "read_kilobyte_us"),
                           take("card", "write_overhead_us"), take("card", "write_kilobyte_us")};
  }
  for (const auto& left : numbers.items())
    problem(left.key(), "is unknown");
  if (!problems.empty()) throw platforms::InputError(problems);
  return times;
}

}  // namespace spillway::experiments
