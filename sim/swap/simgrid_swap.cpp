#include <simgrid/kernel/Timer.hpp>

#include "sim/engine/engine.hpp"
#include "sim/swap/run.hpp"

namespace spillway::swap {
namespace {

namespace s4u = simgrid::s4u;

/// The board's CPU and the card, as hosts of SimGrid.
struct Testbed {
  s4u::Host* cpu = nullptr;
  s4u::Host* card = nullptr;

  static Testbed& instance() {
    static Testbed testbed;
    engine::use_platform(
        "swap", [] { testbed.build(); }, nullptr);
    return testbed;
  }

 private:
  void build() {
    auto* zone = s4u::create_full_zone("board");
    // A unit of work is a nanosecond at full speed; p-state i is slower by i thousandths.
    std::vector<double> speeds;
    for (int thousandths = 0; thousandths < 1000; ++thousandths)
      speeds.push_back(1e6 * (1000 - thousandths));
    cpu = zone->create_host("cpu", speeds)->seal();
    card = zone->create_host("card", 1e9)->seal();
    zone->seal();
  }
};

/// A run whose time is SimGrid's.
class SimGridRun {
 public:
  SimGridRun(const core::Plan& plan, const ServiceTimes& times, Mode mode, trace::Sink* sink)
      : run_(plan, times, sink), sequential_(mode == Mode::sequential), slow_state_(times.contention_thousandths()) {}

  Result operator()() {
    testbed_.cpu->set_pstate(0);
    engine::run([this] { start_tasks(); }, [this](const s4u::Activity& activity) { completed(activity); });
    return run_.finish(engine::now_ns());
  }

 private:
  struct Resource {
    s4u::ExecPtr activity;
    s4u::ExecPtr ended;  ///< SimGrid still uses an activity after it has reported the end
    Run::Active active;
    bool busy = false;
    bool finished = false;
  };

  void begin(Resource& resource, s4u::Host* host, const core::Task& task) {
    run_.begin(resource.active, task, engine::now_ns());
    resource.busy = true;
    resource.activity = s4u::Exec::init();
    resource.activity->set_host(host)->set_flops_amount(static_cast<double>(resource.active.service.duration_ns));
    resource.activity->start();
  }

  void start_tasks() {
    core::Scheduler& core = run_.core();
    if (!io_.busy && !(sequential_ && compute_.busy)) {
      if (const auto task = core.select_io()) {
        begin(io_, testbed_.card, *task);
        set_speed();
      }
    }
    if (!compute_.busy && !(sequential_ && io_.busy)) {
      if (const auto task = core.select_compute()) begin(compute_, testbed_.cpu, *task);
    }
    run_.selections_made(engine::now_ns());
  }

  void set_speed() {
    if (slow_state_ != 0) testbed_.cpu->set_pstate(io_.busy ? slow_state_ : 0);
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
    return resource.active.start_ns + resource.active.service.duration_ns <= engine::now_ns() + rounding_ns;
  }

  void deliver() {
    delivery_pending_ = false;
    for (Resource* resource : {&compute_, &io_}) {
      if (!resource->finished) continue;
      resource->finished = resource->busy = false;
      resource->ended = std::move(resource->activity);
      run_.complete(resource->active, engine::now_ns());
    }
    set_speed();
    start_tasks();
  }

  Testbed& testbed_ = Testbed::instance();
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
