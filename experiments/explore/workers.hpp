#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <sys/types.h>

#include "experiments/explore/evaluator.hpp"

namespace spillway::explore {

/// Processes that evaluate genes. They are forked when this object is made, so that each has a simulator of its own;
/// the results do not depend on their number.
class Workers {
 public:
  using Evaluate = std::function<Worth(const Genes&)>;

  /// One job evaluates in this process. `evaluate` is called in the workers, and here if one of them dies; what it
  /// builds up in a worker stays there. Throws std::system_error when no process can be made.
  Workers(unsigned jobs, Evaluate evaluate);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// In the order of `batch`. What an evaluation throws ends a worker, and is thrown here when its part is repeated.
  std::vector<Worth> evaluate(const std::vector<Genes>& batch);

 private:
  struct Worker {
    pid_t process = 0;
    int to = -1, from = -1;  ///< its pipes; -1: it has died
  };

  void start(Worker& worker);
  bool send(Worker& worker, const std::vector<Genes>& batch, std::size_t begin, std::size_t end);
  static void bury(Worker& worker);

  Evaluate evaluate_;
  std::vector<Worker> workers_;
};

}  // namespace spillway::explore
