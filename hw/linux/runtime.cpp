#include "hw/linux/runtime.hpp"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <thread>

#include "hw/linux/run_log.hpp"
#include "hw/swap/compute_int8.hpp"
#include "hw/swap/movement.hpp"
#include "sim/core/geometry.hpp"
#include "sim/core/layout.hpp"
#include "sim/core/scheduler.hpp"

namespace spillway::execution {
namespace {

using core::Task;

/// Memory that direct access takes.
constexpr std::size_t alignment = 4096;
struct Release {
  void operator()(std::int8_t* memory) const { ::operator delete[](memory, std::align_val_t{alignment}); }
};
using Memory = std::unique_ptr<std::int8_t[], Release>;

Memory allocated(std::size_t bytes) {
  return Memory(static_cast<std::int8_t*>(::operator new[](bytes, std::align_val_t{alignment})));
}

class Runner {
 public:
  Runner(const Program& program, const CardFile& card, const RunOptions& options)
      : program_(program),
        plan_(program.plan),
        card_(card),
        options_(options),
        storage_(core::Scheduler::storage_words(core::size_of(plan_))),
        landing_(allocated(options.landing_bytes)),
        movement_(std::span(landing_.get(), options.landing_bytes)),
        log_(plan_, options.sink != nullptr) {
    if (plan_.pools.shared || plan_.queue != core::Queue::skip)
      throw std::invalid_argument("a plan of one shared pool or a strict queue can deadlock: it only counts");
    if (core::Scheduler::check(plan_) != core::Status::ok || scheduler_.start(plan_, storage_) != core::Status::ok)
      throw std::invalid_argument("the scheduler refuses the plan");
    const std::uint16_t counts[] = {plan_.pools.input, plan_.pools.weights, plan_.pools.output};
    for (int pool = 0; pool < 3; ++pool)
      pools_memory_[pool] = allocated(std::size_t{counts[pool]} * plan_.buffer_bytes);
    pools_ = {pools_memory_[0].get(), pools_memory_[1].get(), pools_memory_[2].get(), plan_.buffer_bytes};
    const JobSize size = job_size(plan_);
    io_buffers_.resize(size.buffers);
    job_buffers_.resize(size.buffers);
    patches_.resize(size.patches);
    parts_.resize(size.parts);
  }

  RunResult run() {
    log_.begin();
    {
      const std::lock_guard lock(mutex_);
      advance();
    }
    std::thread compute([this] { work(compute_, [this] { program_.compute(job_); }); });
    work(io_, [this] { move(); });
    compute.join();
    if (failure_) std::rethrow_exception(failure_);
    log_.tell(options_.sink);
    return log_.result();
  }

 private:
  /// A resource: the card or the CPU.
  struct Resource {
    std::optional<Task> task;
    bool complete = false;  ///< really done, and not delivered yet
    std::uint64_t start_ns = 0, end_ns = 0;
    std::condition_variable wake;
  };

  /// Carries out a resource's tasks, one after the other, until the run is over.
  template <class CarryOut>
  void work(Resource& resource, const CarryOut& carry_out) {
    std::unique_lock lock(mutex_);
    try {
      for (;;) {
        resource.wake.wait(lock, [&] { return over_ || (resource.task && !resource.complete); });
        if (over_) return;
        resource.start_ns = log_.now();
        lock.unlock();
        carry_out();
        lock.lock();
        resource.end_ns = log_.now();
        resource.complete = true;
        advance();
      }
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      if (!failure_) failure_ = std::current_exception();
      finish_run();
    }
  }

  void move() {
    Transfer transfer;
    while (movement_.next(transfer)) {
      auto* const memory = reinterpret_cast<std::uint8_t*>(transfer.memory);
      const std::span<std::uint8_t> bytes(memory, std::size_t{transfer.sectors} * core::sector_bytes);
      if (movement_.writes()) {
        card_.write(transfer.sector, bytes);
      } else {
        card_.read(transfer.sector, bytes);
      }
      ++transfers_;
    }
  }

  /// Delivers what is complete and may be delivered, and gives idle resources their next tasks.
  void advance() {
    if (over_) return;
    if (options_.lockstep == nullptr) {
      deliver(compute_);
      deliver(io_);
      select();
    } else {
      if (!io_.task && !compute_.task) select();
      while (lockstep_can_go_on()) {
        const LockstepClock::Ends ends = options_.lockstep->first_to_end();
        options_.lockstep->go_on();
        if (ends.compute) deliver(compute_);
        if (ends.io) deliver(io_);
        select();
      }
    }
    log_.levels(scheduler_);
    if (scheduler_.done()) {
      finish_run();
    } else if (!io_.task && !compute_.task) {
      throw std::logic_error("the run stalls");
    }
  }

  bool lockstep_can_go_on() const {
    const LockstepClock::Ends ends = options_.lockstep->first_to_end();
    return (ends.io || ends.compute) && (!ends.io || io_.complete) && (!ends.compute || compute_.complete);
  }

  void deliver(Resource& resource) {
    if (!resource.complete) return;
    scheduler_.finish(*resource.task);
    log_.done(*resource.task, resource.start_ns, resource.end_ns, scheduler_.frames_done());
    resource.task.reset();
    resource.complete = false;
  }

  void select() {
    if (!io_.task) {
      if (const std::optional<Task> task = scheduler_.select_io()) {
        movement_.begin(plan_, program_.map, *task,
                        {buffers_of(scheduler_, *task, pools_, io_buffers_), plan_.buffer_bytes});
        give(io_, *task);
      }
    }
    if (!compute_.task) {
      if (const std::optional<Task> task = scheduler_.select_compute()) {
        prepare(job_, plan_, program_.operators[task->layer], scheduler_, *task, pools_,
                {job_buffers_, patches_, parts_});
        give(compute_, *task);
      }
    }
  }

  void give(Resource& resource, const Task& task) {
    resource.task = task;
    if (options_.selected) options_.selected(task);
    if (options_.lockstep != nullptr) options_.lockstep->start(task);
    resource.wake.notify_one();
  }

  void finish_run() {
    over_ = true;
    log_.end(transfers_);
    io_.wake.notify_one();
    compute_.wake.notify_one();
  }

  const Program& program_;
  const core::Plan& plan_;
  const CardFile& card_;
  const RunOptions& options_;
  std::vector<std::uint32_t> storage_;
  Memory landing_;
  Memory pools_memory_[3];
  Pools pools_;
  std::vector<std::int8_t*> io_buffers_;
  std::vector<const std::int8_t*> job_buffers_;
  std::vector<int8::Patch> patches_;
  std::vector<core::Range> parts_;

  std::mutex mutex_;  ///< around everything below; a resource's thread alone uses its movement or job while it works
  core::Scheduler scheduler_;
  Resource io_, compute_;
  Movement movement_;
  TileJob job_;
  std::atomic<std::uint64_t> transfers_ = 0;
  bool over_ = false;
  std::exception_ptr failure_;
  RunLog log_;
};

}  // namespace

std::function<void(const TileJob&)> int8_kernels(const core::Plan& plan, std::span<const LayerOperator> operators,
                                                 std::span<const QuantizedLayer> layers) {
  return [layers_of_plan = plan.layers, operators, layers,
          scratch = std::vector<std::int16_t>(wanted_scratch(plan, operators))](const TileJob& job) mutable {
    const std::size_t row = job.task.layer;
    compute_int8(layers_of_plan[row], operators[row], layers[row], job, scratch);
  };
}

RunResult run(const Program& program, const CardFile& card, const RunOptions& options) {
  return Runner(program, card, options).run();
}

}  // namespace spillway::execution
