#include <cmath>
#include <stdexcept>

#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>

#include "sim/swap/run.hpp"

// SimGrid keeps its clock over the runs of one process. A run that begins late loses digits, so each run begins at 0.
extern double simgrid_clock asm("_ZN7simgrid6kernel10EngineImpl4now_E");

namespace spillway::swap {
namespace {

namespace s4u = simgrid::s4u;

/// Everything of SimGrid that lives as long as the process: the engine, the board's CPU and the card.
class Testbed {
 public:
  static Testbed& instance() {
    static Testbed testbed;
    return testbed;
  }

  /// Must only be called while no activity and no timer is alive.
  static void reset_clock() { simgrid_clock = 0; }

  s4u::Host* cpu = nullptr;
  s4u::Host* card = nullptr;
  s4u::Engine& engine() { return *s4u::Engine::get_instance(); }

 private:
  Testbed() {
    int argc = 1;
    char name[] = "spillway";
    char* argv[] = {name, nullptr};
    static s4u::Engine engine(&argc, argv);
    auto* zone = s4u::create_full_zone("board");
    // A unit of work is a nanosecond at full speed; p-state i is slower by i thousandths.
    std::vector<double> speeds;
    for (int thousandths = 0; thousandths < 1000; ++thousandths)
      speeds.push_back(1e6 * (1000 - thousandths));
    cpu = zone->create_host("cpu", speeds)->seal();
    card = zone->create_host("card", 1e9)->seal();
    zone->seal();
    check_clock();
  }

  /// The clock is reached by its symbol: a SimGrid that keeps it elsewhere must not go unnoticed.
  void check_clock() {
    for (int run = 0; run < 2; ++run) {
      reset_clock();
      s4u::ExecPtr work = s4u::Exec::init();
      work->set_host(card)->set_flops_amount(5e8);
      work->start();
      engine().run();
      if (std::abs(s4u::Engine::get_clock() - 0.5) > 1e-12) {
        throw std::runtime_error("this version of SimGrid does not let its clock be reset between runs");
      }
    }
  }
};

/// A run whose time is SimGrid's.
class SimGridRun {
 public:
  SimGridRun(const core::Plan& plan, const ServiceTimes& times, Mode mode, trace::Sink* sink)
      : run_(plan, times, sink), sequential_(mode == Mode::sequential), slow_state_(times.contention_thousandths()) {}

  Result operator()() {
    Testbed& testbed = Testbed::instance();
    static const bool subscribed = [] {
      s4u::Activity::on_completion_cb([](const s4u::Activity& activity) {
        if (current_ != nullptr) current_->completed(activity);
      });
      return true;
    }();
    static_cast<void>(subscribed);
    testbed.cpu->set_pstate(0);
    Testbed::reset_clock();
    current_ = this;
    start_tasks();
    testbed.engine().run();
    current_ = nullptr;
    return run_.finish(now_ns());
  }

 private:
  struct Resource {
    s4u::ExecPtr activity;
    s4u::ExecPtr ended;  ///< SimGrid still uses an activity after it has reported the end
    Run::Active active;
    bool busy = false;
    bool finished = false;
  };

  static std::uint64_t now_ns() { return static_cast<std::uint64_t>(std::llround(s4u::Engine::get_clock() * 1e9)); }

  void begin(Resource& resource, s4u::Host* host, const core::Task& task) {
    run_.begin(resource.active, task, now_ns());
    resource.busy = true;
    resource.activity = s4u::Exec::init();
    resource.activity->set_host(host)->set_flops_amount(static_cast<double>(resource.active.service.duration_ns));
    resource.activity->start();
  }

  void start_tasks() {
    core::Scheduler& core = run_.core();
    if (!io_.busy && !(sequential_ && compute_.busy)) {
      if (const auto task = core.select_io()) {
        begin(io_, Testbed::instance().card, *task);
        set_speed();
      }
    }
    if (!compute_.busy && !(sequential_ && io_.busy)) {
      if (const auto task = core.select_compute()) begin(compute_, Testbed::instance().cpu, *task);
    }
    run_.selections_made(now_ns());
  }

  void set_speed() {
    if (slow_state_ != 0) Testbed::instance().cpu->set_pstate(io_.busy ? slow_state_ : 0);
  }

  void completed(const s4u::Activity& activity) {
    const bool io = &activity == io_.activity.get();
    (io ? io_ : compute_).finished = true;
    if (delivery_pending_) return;
    if (!may_end_now(io ? compute_ : io_)) return deliver();
    // What finishes at the same instant is reported one by one; a timer of this instant comes after all of them.
    delivery_pending_ = true;
    simgrid::kernel::timer::Timer::set(s4u::Engine::get_clock(), [this] { deliver(); });
  }

  /// Whether a task may end at this instant. Ends are known, to SimGrid's rounding, but that of a slowed computation.
  bool may_end_now(const Resource& resource) const {
    if (!resource.busy) return false;
    if (slow_state_ != 0 && &resource == &compute_) return true;
    constexpr std::uint64_t rounding_ns = 5;  // service times are multiples of 10 ns
    return resource.active.start_ns + resource.active.service.duration_ns <= now_ns() + rounding_ns;
  }

  void deliver() {
    delivery_pending_ = false;
    for (Resource* resource : {&compute_, &io_}) {
      if (!resource->finished) continue;
      resource->finished = resource->busy = false;
      resource->ended = std::move(resource->activity);
      run_.complete(resource->active, now_ns());
    }
    set_speed();
    start_tasks();
  }

  static inline SimGridRun* current_ = nullptr;

  Run run_;
  bool sequential_;
  unsigned long slow_state_;
  Resource io_, compute_;
  bool delivery_pending_ = false;
};

}  // namespace

Result run_simgrid(const core::Plan& plan, const ServiceTimes& times, Mode mode, trace::Sink* sink) {
  return SimGridRun(plan, times, mode, sink)();
}

}  // namespace spillway::swap
