#include <algorithm>
#include <limits>

#include "sim/pipeline/call_progress.hpp"
#include "sim/pipeline/drivers.hpp"
#include "sim/pipeline/event_queue.hpp"
#include "sim/pipeline/execution.hpp"
#include "sim/pipeline/paths.hpp"

namespace spillway::pipeline {
namespace {

constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

/// As std::ceil, which is a call where the processor is not known.
std::uint64_t rounded_up(double ns) {
  const auto whole = static_cast<std::int64_t>(ns);
  return static_cast<std::uint64_t>(whole + (static_cast<double>(whole) < ns ? 1 : 0));
}

/// Something that takes as long as its share of a capacity makes it take.
struct Activity {
  double left = 0;               ///< nanoseconds of work, or bytes
  double rate = 0;               ///< per nanosecond
  std::uint64_t changed_ns = 0;  ///< when `left` was right
  std::uint64_t end_ns = 0;

  /// Goes on at another rate.
  void change(double new_rate, std::uint64_t now_ns) {
    left = std::max(0.0, left - rate * static_cast<double>(static_cast<std::int64_t>(now_ns - changed_ns)));
    rate = new_rate;
    changed_ns = now_ns;
    end_ns = now_ns + rounded_up(left / rate);
  }
};

/// Whole nanoseconds; events of one instant in the order in which they were made. `machine` has the latencies of
/// transfers.
template <template <class> class Messages>
class VirtualClock {
 public:
  VirtualClock(const Program& program, const Machine& machine, const Machine& whole, std::uint64_t frames,
               Timeline* timeline)
      : program_(program),
        machine_(machine),
        links_(machine),
        uses_(links_.size()),
        work_(program.ranks.size()),
        processors_(2 * machine.devices.size()),
        execution_(program, whole, frames, *this, timeline) {
    for (Rank rank = 0; rank < program.ranks.size(); ++rank)
      processors_[processor_of(program.ranks[rank].placement)].demand += program.ranks[rank].placement.threads;
    for (std::size_t i = 0; i < processors_.size(); ++i)
      processors_[i].cores = i % 2 == 0 ? machine.devices[i / 2].cores : 1;
    for (const Message& message : program.messages) {
      const Path path =
          path_between(program.ranks[message.source].placement, program.ranks[message.destination].placement, links_);
      routes_.push_back({path, latency_ns(path, message.bytes, links_, machine_)});
    }
  }

  Run operator()() {
    execution_.begin();
    while (!events_.empty()) {
      const auto event = events_.take();
      now_ns_ = event.time_ns;
      if (event.kind == EventKind::work) {
        if (work_[event.id].end_ns == event.time_ns && work_[event.id].rate > 0) end_work(event.id);
      } else if (event.kind == EventKind::first_byte) {
        begin_flow(event.id);
      } else if (event.kind == EventKind::timer) {
        last_end_ns_ = now_ns_;
        execution_.timer(event.id);
      } else if (flows_[event.id].message != none && flows_[event.id].activity.end_ns == event.time_ns) {
        end_flow(event.id);
      }
    }
    now_ns_ = last_end_ns_;
    return execution_.finish();
  }

  std::uint64_t now_ns() const { return now_ns_; }

  void start_work(Rank rank, std::uint64_t ns) {
    const Placement& placement = program_.ranks[rank].placement;
    Activity& work = work_[rank];
    work = {static_cast<double>(ns), 1, now_ns_, now_ns_ + ns};
    if (may_join(rank)) {
      events_.add({work.end_ns, static_cast<std::uint32_t>(rank), EventKind::work});
      return;
    }
    Processor& processor = processors_[processor_of(placement)];
    processor.busy += placement.threads;
    processor.ranks.push_back(rank);
    share(processor);
  }

  /// A rank that shares its cores ends at rounded instants.
  bool may_join(Rank rank) const {
    const Processor& processor = processors_[processor_of(program_.ranks[rank].placement)];
    return processor.demand <= processor.cores;
  }

  void start_transfer(std::uint32_t message, std::uint64_t bytes, std::uint32_t token) {
    std::uint32_t id = free_flow_;
    if (id == none) {
      id = static_cast<std::uint32_t>(flows_.size());
      flows_.emplace_back();
    } else {
      free_flow_ = flows_[id].next_free;
    }
    flows_[id].message = message;
    flows_[id].token = token;
    flows_[id].activity = {static_cast<double>(bytes), 0, now_ns_, std::numeric_limits<std::uint64_t>::max()};
    events_.add({now_ns_ + routes_[message].latency_ns, id, EventKind::first_byte});
  }

  void start_timer(std::uint64_t ns, std::uint32_t token) { events_.add({now_ns_ + ns, token, EventKind::timer}); }

 private:
  /// What ends, or begins; its id is a rank, a flow, or a timer's token.
  enum class EventKind : std::uint8_t { work, first_byte, flow, timer };
  struct Flow {
    Activity activity;
    std::uint32_t message = none;
    std::uint32_t token = 0;
    std::uint32_t next_free = none;
  };
  struct LinkUse {
    std::vector<std::uint32_t> flows;
    double share = 0;  ///< bytes a second of each flow
  };
  struct Route {
    Path path;
    std::uint64_t latency_ns = 0;
  };
  /// The cores of a board, or its GPU.
  struct Processor {
    std::size_t cores = 1;
    std::size_t demand = 0;  ///< threads of all its ranks
    std::size_t busy = 0;    ///< threads that work now; kept only where the demand exceeds the cores
    std::vector<Rank> ranks;
  };

  static std::size_t processor_of(const Placement& placement) { return 2 * placement.device + (placement.gpu ? 1 : 0); }

  void share(const Processor& processor) {
    const double rate = std::min(1.0, static_cast<double>(processor.cores) / static_cast<double>(processor.busy));
    for (const Rank rank : processor.ranks) {
      work_[rank].change(rate, now_ns_);
      events_.add({work_[rank].end_ns, static_cast<std::uint32_t>(rank), EventKind::work});
    }
  }

  void end_work(Rank rank) {
    const Placement& placement = program_.ranks[rank].placement;
    work_[rank].rate = 0;
    last_end_ns_ = now_ns_;
    Processor& processor = processors_[processor_of(placement)];
    if (processor.demand > processor.cores) {
      processor.busy -= placement.threads;
      std::erase(processor.ranks, rank);
      if (!processor.ranks.empty()) share(processor);
    }
    execution_.worked(rank);
  }

  void begin_flow(std::uint32_t id) {
    for (const std::uint32_t link : routes_[flows_[id].message].path.span()) {
      uses_[link].flows.push_back(id);
      share(link);
    }
    share_links(flows_[id].message);
  }

  void end_flow(std::uint32_t id) {
    const std::uint32_t message = flows_[id].message;
    for (const std::uint32_t link : routes_[message].path.span()) {
      std::erase(uses_[link].flows, id);
      share(link);
    }
    flows_[id].message = none;
    flows_[id].next_free = free_flow_;
    free_flow_ = id;
    share_links(message);
    last_end_ns_ = now_ns_;
    execution_.delivered(flows_[id].token);
  }

  void share(std::uint32_t link) {
    LinkUse& use = uses_[link];
    const std::size_t flows = use.flows.size();
    use.share = flows < 2 ? links_[link].bytes_per_s : links_[link].bytes_per_s / static_cast<double>(flows);
  }

  /// The rates of all flows that share a link with this message.
  void share_links(std::uint32_t message) {
    for (const std::uint32_t link : routes_[message].path.span()) {
      for (const std::uint32_t id : uses_[link].flows) {
        Flow& flow = flows_[id];
        const double rate = rate_of(flow.message);
        if (rate == flow.activity.rate) continue;
        flow.activity.change(rate, now_ns_);
        events_.add({flow.activity.end_ns, id, EventKind::flow});
      }
    }
  }

  /// An equal share of each link, the least of them.
  double rate_of(std::uint32_t message) const {
    double rate = std::numeric_limits<double>::infinity();
    for (const std::uint32_t link : routes_[message].path.span())
      rate = std::min(rate, uses_[link].share);
    return rate * 1e-9;
  }

  const Program& program_;
  const Machine& machine_;
  Links links_;
  std::vector<LinkUse> uses_;   ///< by link
  std::vector<Route> routes_;   ///< by message
  std::vector<Activity> work_;  ///< by rank
  std::vector<Processor> processors_;
  std::vector<Flow> flows_;
  std::uint32_t free_flow_ = none;
  EventQueue<EventKind> events_;
  std::uint64_t now_ns_ = 0, last_end_ns_ = 0;
  Execution<VirtualClock, Messages> execution_;
};

}  // namespace

Run run_virtual_clock(const Program& program, const Machine& machine, std::uint64_t frames, Timeline* timeline) {
  if (program.progress == Progress::async)
    return VirtualClock<AsyncProgress>(program, machine, machine, frames, timeline)();
  return VirtualClock<CallProgress>(program, without_latencies(machine), machine, frames, timeline)();
}

}  // namespace spillway::pipeline
