#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace spillway::experiments {

/// Things that several threads need and that are made once, by the thread that comes first; the others wait for it.
template <typename T>
class Once {
 public:
  /// What `make` throws comes through, and the next call makes it anew.
  template <typename Make>
  const T& get(const std::string& key, Make make) {
    Slot& slot = slot_of(key);
    std::call_once(slot.made, [&] { slot.thing = std::make_unique<T>(make()); });
    return *slot.thing;
  }

 private:
  struct Slot {
    std::once_flag made;
    std::unique_ptr<T> thing;
  };

  Slot& slot_of(const std::string& key) {
    const std::scoped_lock lock(mutex_);
    return slots_[key];
  }

  std::mutex mutex_;
  std::map<std::string, Slot> slots_;
};

}  // namespace spillway::experiments
