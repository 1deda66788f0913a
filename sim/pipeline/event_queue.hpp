#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace spillway::pipeline {

/// Events in the order of time, those of one instant as they were added. A sorted list: a pipeline has a few dozen
/// events under way, of which a heap would move several for each that goes.
template <class Kind>
class EventQueue {
 public:
  /// Something that happens at an instant.
  struct Event {
    std::uint64_t time_ns = 0;
    std::uint32_t id = 0;
    Kind kind{};
  };

  bool empty() const { return events_.empty(); }

  void add(const Event& event) {
    events_.push_back(event);
    Event* place = &events_.back();
    // What happens earlier, or at the same instant, is taken first.
    for (const Event* const first = events_.data(); place != first && place[-1].time_ns <= event.time_ns; --place)
      *place = place[-1];
    *place = event;
  }

  Event take() {
    const Event event = events_.back();
    events_.pop_back();
    return event;
  }

 private:
  std::vector<Event> events_;  ///< the last to happen first
};

}  // namespace spillway::pipeline
