#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/engine/engine.hpp"
#include "sim/pipeline/drivers.hpp"
#include "sim/pipeline/execution.hpp"
#include "sim/pipeline/paths.hpp"

namespace spillway::pipeline {
namespace {

namespace s4u = simgrid::s4u;

/// A unit of work is a nanosecond of one core.
constexpr double units_per_s = 1e9;

/// The hosts of a machine: of each device its cores, then its GPU.
class Testbed {
 public:
  static Testbed& of(const Machine& machine) {
    static Testbed testbed;
    const engine::Messages messages{machine.eager_bytes, machine.rendezvous_latencies};
    engine::use_platform(
        name_of(machine), [&] { testbed.build(machine); }, &messages);
    return testbed;
  }

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
};

class SimGridPipeline {
 public:
  SimGridPipeline(const Program& program, const Machine& machine, std::uint64_t frames, Timeline* timeline)
      : program_(program),
        testbed_(Testbed::of(machine)),
        work_(program.ranks.size()),
        ended_(program.ranks.size()),
        transfers_(program.messages.size()),
        execution_(program, frames, *this, timeline) {}

  Run operator()() {
    engine::run([this] { execution_.begin(); }, [this](const s4u::Activity& activity) { completed(activity); });
    return execution_.finish();
  }

  std::uint64_t now_ns() const { return engine::now_ns(); }

  void start_work(Rank rank, const Operation& operation) {
    const Placement& placement = program_.ranks[rank].placement;
    ended_[rank] = std::move(work_[rank]);
    work_[rank] = s4u::Exec::init();
    work_[rank]->set_host(testbed_.host(placement))->set_flops_amount(static_cast<double>(operation.duration_ns));
    if (!placement.gpu && placement.threads > 1) work_[rank]->set_thread_count(static_cast<int>(placement.threads));
    tag(*work_[rank], 2 * rank);
    work_[rank]->start();
  }

  void start_transfer(std::uint32_t message) {
    const Message& what = program_.messages[message];
    s4u::CommPtr comm = s4u::Comm::sendto_init(testbed_.host(program_.ranks[what.source].placement),
                                               testbed_.host(program_.ranks[what.destination].placement));
    comm->set_payload_size(what.bytes);
    tag(*comm, 2 * std::size_t{message} + 1);
    comm->start();
    // SimGrid still uses an activity after it has reported the end: the last ones are kept.
    Transfers& transfers = transfers_[message];
    if (transfers.kept.size() >= transfers.under_way + 2 * program_.slots) transfers.kept.pop_front();
    transfers.kept.push_back(std::move(comm));
    ++transfers.under_way;
  }

 private:
  static void tag(s4u::Activity& activity, std::size_t number) {
    activity.set_data(reinterpret_cast<void*>(static_cast<std::uintptr_t>(number + 1)));
  }

  void completed(const s4u::Activity& activity) {
    // Declared without const in SimGrid, though it changes nothing.
    const auto number = reinterpret_cast<std::uintptr_t>(const_cast<s4u::Activity&>(activity).get_data<void>()) - 1;
    if (number % 2 == 0) {
      execution_.computed(number / 2);
    } else {
      --transfers_[number / 2].under_way;
      execution_.delivered(static_cast<std::uint32_t>(number / 2));
    }
  }

  const Program& program_;
  const Testbed& testbed_;
  /// Of one message; they end in the order in which they began.
  struct Transfers {
    std::deque<s4u::CommPtr> kept;
    std::size_t under_way = 0;
  };

  std::vector<s4u::ExecPtr> work_, ended_;  ///< by rank
  std::vector<Transfers> transfers_;        ///< by message
  Execution<SimGridPipeline> execution_;
};

}  // namespace

Run run_simgrid(const Program& program, const Machine& machine, std::uint64_t frames, Timeline* timeline) {
  return SimGridPipeline(program, machine, frames, timeline)();
}

}  // namespace spillway::pipeline
