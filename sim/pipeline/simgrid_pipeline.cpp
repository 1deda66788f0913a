#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/engine/engine.hpp"
#include "sim/pipeline/call_progress.hpp"
#include "sim/pipeline/drivers.hpp"
#include "sim/pipeline/execution.hpp"
#include "sim/pipeline/paths.hpp"

namespace spillway::pipeline {
namespace {

namespace s4u = simgrid::s4u;

/// A unit of work is a nanosecond of one core.
constexpr double units_per_s = 1e9;

/// Timers that can run at one time.
constexpr int timers = 1 << 12;

/// The hosts of a machine: of each device its cores, then its GPU; and one whose work is time that passes.
class Testbed {
 public:
  static Testbed& of(const Machine& machine) {
    static Testbed testbed;
    const engine::Messages messages{machine.eager_bytes, machine.rendezvous_latencies};
    engine::use_platform(
        name_of(machine), [&] { testbed.build(machine); }, &messages);
    return testbed;
  }

  s4u::Host* clock() const { return clock_; }

  s4u::Host* host(const Placement& placement) const { return hosts_[2 * placement.device + (placement.gpu ? 1 : 0)]; }

 private:
  /// Machines that differ in anything that the platform shows have different names.
  static std::string name_of(const Machine& machine) {
    std::string name = "pipeline";
    const auto add = [&](const LinkModel& link) { name += fmt::format(" {}:{}", link.bytes_per_s, link.latency_s); };
    add(machine.network);
    for (const DeviceModel& device : machine.devices) {
      name += fmt::format(" {}", device.cores);
      add(device.memory_link);
      add(device.gpu_link);
    }
    return name;
  }

  void build(const Machine& machine) {
    hosts_.clear();
    s4u::NetZone* zone = s4u::create_full_zone("cluster");
    clock_ = zone->create_host("clock", units_per_s);
    clock_->set_core_count(timers)->seal();
    const Links links(machine);
    std::vector<s4u::Link*> made;
    for (std::size_t link = 0; link < links.size(); ++link)
      made.push_back(zone->create_link(fmt::format("link{}", link), links[link].bytes_per_s)
                         ->set_latency(links[link].latency_s)
                         ->seal());
    std::vector<Placement> places;
    for (std::size_t device = 0; device < machine.devices.size(); ++device) {
      for (const bool gpu : {false, true}) {
        hosts_.push_back(zone->create_host(fmt::format("device{}{}", device, gpu ? "gpu" : ""), units_per_s));
        if (!gpu) hosts_.back()->set_core_count(static_cast<int>(machine.devices[device].cores));
        hosts_.back()->seal();
        places.push_back({device, gpu, 1, nullptr});
      }
    }
    for (const Placement& from : places) {
      for (const Placement& to : places) {
        std::vector<s4u::LinkInRoute> route;
        const Path path = path_between(from, to, links);
        for (const std::uint32_t link : path.span())
          route.emplace_back(made[link]);
        zone->add_route(host(from)->get_netpoint(), host(to)->get_netpoint(), nullptr, nullptr, route, false);
      }
    }
    zone->seal();
  }

  std::vector<s4u::Host*> hosts_;
  s4u::Host* clock_ = nullptr;
};

/// `machine` has the latencies of transfers.
template <template <class> class Messages>
class SimGridPipeline {
 public:
  SimGridPipeline(const Program& program, const Machine& machine, const Machine& whole, std::uint64_t frames,
                  Timeline* timeline)
      : program_(program),
        testbed_(Testbed::of(machine)),
        work_(program.ranks.size()),
        ended_(program.ranks.size()),
        transfers_(program.messages.size()),
        execution_(program, whole, frames, *this, timeline) {}

  Run operator()() {
    engine::run([this] { execution_.begin(); }, [this](const s4u::Activity& activity) { completed(activity); });
    return execution_.finish();
  }

  std::uint64_t now_ns() const { return engine::now_ns(); }

  void start_work(Rank rank, std::uint64_t ns) {
    const Placement& placement = program_.ranks[rank].placement;
    ended_[rank] = std::move(work_[rank]);
    work_[rank] = s4u::Exec::init();
    work_[rank]->set_host(testbed_.host(placement))->set_flops_amount(static_cast<double>(ns));
    if (!placement.gpu && placement.threads > 1) work_[rank]->set_thread_count(static_cast<int>(placement.threads));
    tag(*work_[rank], Ends::work, static_cast<std::uint32_t>(rank));
    work_[rank]->start();
  }

  static bool may_join(Rank) { return false; }

  void start_transfer(std::uint32_t message, std::uint64_t bytes, std::uint32_t token) {
    const Message& what = program_.messages[message];
    s4u::CommPtr comm = s4u::Comm::sendto_init(testbed_.host(program_.ranks[what.source].placement),
                                               testbed_.host(program_.ranks[what.destination].placement));
    comm->set_payload_size(bytes);
    tag(*comm, Ends::transfer, token);
    comm->start();
    Kept& transfers = transfers_[message];
    transfers.keep(std::move(comm), 2 * program_.slots);
    if (token >= message_of_.size()) message_of_.resize(token + 1);
    message_of_[token] = message;
  }

  void start_timer(std::uint64_t ns, std::uint32_t token) {
    s4u::ExecPtr timer = s4u::Exec::init();
    timer->set_host(testbed_.clock())->set_flops_amount(static_cast<double>(ns));
    tag(*timer, Ends::timer, token);
    timer->start();
    timers_.keep(std::move(timer), timers);
  }

 private:
  enum class Ends : std::uint8_t { work, transfer, timer };

  static void tag(s4u::Activity& activity, Ends what, std::uint32_t number) {
    const std::uintptr_t mark = std::uintptr_t{number} * 4 + static_cast<std::uintptr_t>(what) + 1;
    activity.set_data(reinterpret_cast<void*>(mark));  // NOLINT(performance-no-int-to-ptr): a number, no place
  }

  void completed(const s4u::Activity& activity) {
    // Declared without const in SimGrid, though it changes nothing.
    const auto tag = reinterpret_cast<std::uintptr_t>(const_cast<s4u::Activity&>(activity).get_data<void>()) - 1;
    const auto number = static_cast<std::uint32_t>(tag / 4);
    switch (static_cast<Ends>(tag % 4)) {
      case Ends::work:
        return execution_.worked(number);
      case Ends::transfer:
        --transfers_[message_of_[number]].under_way;
        return execution_.delivered(number);
      case Ends::timer:
        --timers_.under_way;
        return execution_.timer(number);
    }
  }

  const Program& program_;
  const Testbed& testbed_;
  /// Activities that end about in the order in which they began. SimGrid still uses one after it has reported the end:
  /// the last ones are kept.
  struct Kept {
    std::deque<s4u::ActivityPtr> activities;
    std::size_t under_way = 0;

    void keep(s4u::ActivityPtr activity, std::size_t ended) {
      if (activities.size() >= under_way + ended) activities.pop_front();
      activities.push_back(std::move(activity));
      ++under_way;
    }
  };

  std::vector<s4u::ExecPtr> work_, ended_;  ///< by rank
  std::vector<Kept> transfers_;             ///< by message
  std::vector<std::uint32_t> message_of_;   ///< by a transfer's token
  Kept timers_;
  Execution<SimGridPipeline, Messages> execution_;
};

}  // namespace

Run run_simgrid(const Program& program, const Machine& machine, std::uint64_t frames, Timeline* timeline) {
  if (program.progress == Progress::async)
    return SimGridPipeline<AsyncProgress>(program, machine, machine, frames, timeline)();
  return SimGridPipeline<CallProgress>(program, without_latencies(machine), machine, frames, timeline)();
}

}  // namespace spillway::pipeline
