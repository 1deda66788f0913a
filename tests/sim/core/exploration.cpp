#include "exploration.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ledger.hpp"
#include "oracle.hpp"

#include "sim/core/scheduler.hpp"

namespace spillway::oracle {
namespace {

using core::Task;

static_assert(std::is_trivially_copyable_v<core::Scheduler>, "a state is saved and restored byte by byte");

struct Key {
  std::uint64_t first = 0, second = 0;
  friend bool operator==(const Key&, const Key&) = default;
};

struct KeyHash {
  std::size_t operator()(const Key& key) const { return key.first; }
};

/// Two multiplicative hashes of different constants, fed side by side.
class Hasher {
 public:
  void add(const void* data, std::size_t bytes) {
    const auto* at = static_cast<const unsigned char*>(data);
    while (bytes >= sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, sizeof word);
      add(word);
      at += sizeof word;
      bytes -= sizeof word;
    }
    std::uint64_t rest = 0;
    std::memcpy(&rest, at, bytes);
    add(rest);
  }

  Key key() const { return key_; }

 private:
  static std::uint64_t mix(std::uint64_t state, std::uint64_t word, std::uint64_t factor) {
    state = (state ^ word) * factor;
    return state ^ (state >> 29);
  }
  void add(std::uint64_t word) {
    key_.first = mix(key_.first, word, 0x9FB21C651E98DF25U);
    key_.second = mix(key_.second, word, 0xD6E8FEB86659FD93U);
  }

  Key key_{0x243F6A8885A308D3U, 0x13198A2E03707344U};
};

/// One step of a driver.
struct Step {
  enum class Kind : std::uint8_t { select_io, select_compute, finish } kind = Kind::select_io;
  std::uint16_t node = 0;  ///< of the task that was selected or finished
};

struct Snapshot {
  std::vector<unsigned char> scheduler;
  std::vector<std::uint32_t> storage;
  std::vector<State> states;             ///< of each task
  std::vector<std::size_t> outstanding;  ///< nodes of the SELECTED tasks, ascending
  Ledger ledger;
  std::vector<Step> history;
};

class Explorer {
 public:
  /// Stops early after `most_stalled` stalled states or `most_states` states.
  Explorer(const PlanTables& tables, const Limits& limits, std::uint64_t most_stalled, std::uint64_t most_states)
      : plan_(tables.view()),
        limits_(limits),
        most_stalled_(most_stalled),
        most_states_(most_states),
        graph_(build_graph(plan_)),
        predecessors_(graph_.nodes.size()),
        storage_(core::Scheduler::storage_words(core::size_of(plan_))) {
    for (std::size_t node = 0; node < graph_.nodes.size(); ++node) {
      for (const std::size_t successor : graph_.nodes[node].successors)
        predecessors_[successor].push_back(node);
    }
  }

  Exploration run() {
    if (scheduler_.start(plan_, storage_) != core::Status::ok) {
      result_.fault = "the core refuses the plan";
      return result_;
    }
    Snapshot first{.scheduler = {},
                   .storage = {},
                   .states = std::vector<State>(graph_.nodes.size(), State::init),
                   .outstanding = {},
                   .ledger = Ledger(plan_),
                   .history = {}};
    save(first);
    visit(std::move(first));
    while (!stack_.empty() && result_.fault.empty() && result_.stalled < most_stalled_ &&
           visited_.size() < most_states_) {
      const Snapshot snapshot = std::move(stack_.back());
      stack_.pop_back();
      expand(snapshot);
    }
    result_.states = visited_.size();
    return result_;
  }

 private:
  void save(Snapshot& snapshot) const {
    snapshot.scheduler.resize(sizeof scheduler_);
    std::memcpy(snapshot.scheduler.data(), &scheduler_, sizeof scheduler_);
    snapshot.storage = storage_;
  }

  void restore(const Snapshot& snapshot) {
    std::memcpy(&scheduler_, snapshot.scheduler.data(), sizeof scheduler_);
    std::ranges::copy(snapshot.storage, storage_.begin());
  }

  bool unchanged(const Snapshot& snapshot) const {
    return std::memcmp(&scheduler_, snapshot.scheduler.data(), sizeof scheduler_) == 0 && storage_ == snapshot.storage;
  }

  void visit(Snapshot snapshot) {
    Hasher hasher;
    hasher.add(snapshot.scheduler.data(), snapshot.scheduler.size());
    hasher.add(snapshot.storage.data(), snapshot.storage.size() * sizeof(std::uint32_t));
    hasher.add(snapshot.states.data(), snapshot.states.size() * sizeof(State));
    if (visited_.insert(hasher.key()).second) stack_.push_back(std::move(snapshot));
  }

  std::string told(const Snapshot& snapshot) const {
    std::string text;
    for (const Step& step : snapshot.history) {
      text += step.kind == Step::Kind::finish ? "  finish " : "  select ";
      text += to_string(graph_.nodes[step.node].task) + "\n";
    }
    return text;
  }

  void fail(const Snapshot& snapshot, const std::string& what) {
    if (result_.fault.empty()) result_.fault = what + "\n" + told(snapshot);
  }

  std::size_t count(const Snapshot& snapshot, bool io) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        snapshot.outstanding, [&](std::size_t node) { return is_io(graph_.nodes[node].task.kind) == io; }));
  }

  void expand(const Snapshot& snapshot) {
    bool moved = !snapshot.outstanding.empty();
    if (count(snapshot, true) < limits_.io) moved |= select(snapshot, Step::Kind::select_io);
    if (count(snapshot, false) < limits_.compute) moved |= select(snapshot, Step::Kind::select_compute);
    for (const std::size_t node : snapshot.outstanding)
      finish(snapshot, node);

    restore(snapshot);
    if (scheduler_.done()) check_done(snapshot);
    const bool stalled = !moved && !scheduler_.done();
    if (scheduler_.stalled() != stalled) fail(snapshot, stalled ? "stalled() is false" : "stalled() is true");
    if (!stalled) return;
    ++result_.stalled;
    if (result_.first_stalled.empty()) result_.first_stalled = told(snapshot);
  }

  /// Follows a selection; false when nothing could start.
  bool select(const Snapshot& from, Step::Kind kind) {
    restore(from);
    const std::optional<Task> task =
        kind == Step::Kind::select_io ? scheduler_.select_io() : scheduler_.select_compute();
    if (!task) {
      if (!unchanged(from)) fail(from, "a selection that found nothing changed the core");
      return false;
    }
    const std::optional<std::size_t> node = graph_.find(*task);
    if (!node || is_io(task->kind) != (kind == Step::Kind::select_io)) {
      fail(from, "selection of an impossible task: " + to_string(*task));
      return true;
    }
    Snapshot to = from;
    to.history.push_back({kind, static_cast<std::uint16_t>(*node)});
    if (from.states[*node] != State::init) fail(to, "selected twice");
    for (const std::size_t predecessor : predecessors_[*node]) {
      if (from.states[predecessor] != State::finished) fail(to, "selected before its predecessors finished");
    }
    const std::string fault = to.ledger.selected(graph_, scheduler_, *task);
    if (!fault.empty()) fail(to, fault);
    to.states[*node] = State::selected;
    to.outstanding.insert(std::ranges::lower_bound(to.outstanding, *node), *node);
    follow(std::move(to));
    return true;
  }

  void finish(const Snapshot& from, std::size_t node) {
    restore(from);
    Snapshot to = from;
    const Task& task = graph_.nodes[node].task;
    to.history.push_back({Step::Kind::finish, static_cast<std::uint16_t>(node)});
    if (scheduler_.finish(task) != core::Status::ok) fail(to, "a SELECTED task cannot be finished");
    to.ledger.finished(graph_, task);
    to.states[node] = State::finished;
    std::erase(to.outstanding, node);
    save(to);
    if (scheduler_.finish(task) != core::Status::not_selected) fail(to, "a task can be finished twice");
    if (!unchanged(to)) fail(to, "a refused completion changed the core");
    follow(std::move(to));
  }

  void follow(Snapshot to) {
    ++result_.transitions;
    save(to);
    for (const core::Pool pool : {core::Pool::input, core::Pool::weights, core::Pool::output}) {
      if (scheduler_.free_buffers(pool) != to.ledger.free_buffers(pool)) fail(to, "a buffer is lost or doubled");
    }
    visit(std::move(to));
  }

  void check_done(const Snapshot& snapshot) {
    ++result_.done;
    if (!snapshot.ledger.all_free()) fail(snapshot, "done with a buffer taken");
    const bool all = std::ranges::all_of(snapshot.states, [](State state) { return state == State::finished; });
    if (!all) fail(snapshot, "done with a task left");
  }

  core::Plan plan_;
  Limits limits_;
  std::uint64_t most_stalled_, most_states_;
  Graph graph_;
  std::vector<std::vector<std::size_t>> predecessors_;
  core::Scheduler scheduler_;
  std::vector<std::uint32_t> storage_;
  std::vector<Snapshot> stack_;
  std::unordered_set<Key, KeyHash> visited_;
  Exploration result_;
};

}  // namespace

Exploration explore(const PlanTables& tables, const Limits& limits) {
  constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();
  return Explorer(tables, limits, unlimited, unlimited).run();
}

Exploration find_stall(const PlanTables& tables, const Limits& limits, std::uint64_t most_states) {
  return Explorer(tables, limits, 1, most_states).run();
}

}  // namespace spillway::oracle
