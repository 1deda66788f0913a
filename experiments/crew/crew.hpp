#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "experiments/crew/frame.hpp"

namespace spillway::crew {

/// A request that nobody will answer: the caller stopped, all workers have ended, one is another program, or the
/// launcher has gone.
class Unanswered : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Workers behind a launcher's socket. Each has a request at hand and one waiting, so that none idles while its answer
/// travels. The requests of a worker that ends go to the others. For any number of threads.
class Crew {
 public:
  using Stop = std::function<bool()>;

  /// `identity` as for serve(). `note` is told of each worker that ends before its time, by any thread.
  Crew(int socket, unsigned workers, std::string identity, std::function<void(const std::string&)> note);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  unsigned workers() const { return static_cast<unsigned>(workers_.size()); }
  /// Requests that they can have at hand together.
  unsigned room() const { return workers() * requests_of_a_worker; }

  /// The answers, in the order of the requests. `stop` is asked several times a second. Throws Unanswered, and
  /// std::runtime_error with what the evaluation of the first failed request threw.
  std::vector<std::string> ask(std::span<const std::string> requests, const Stop& stop);

 private:
  static constexpr std::size_t requests_of_a_worker = 2;

  struct Task {
    std::string request, answer;
    bool answered = false, failed = false;
  };
  struct Worker {
    bool ended = false, greeted = false;
    std::deque<std::shared_ptr<Task>> tasks;
  };

  // With mutex_ held.
  void give();
  void take(const Frame& frame);
  void lose(Worker& worker);
  void give_up(const std::string& why);

  void receive_frames();
  void send_frames();

  const int socket_;
  const std::string identity_;
  const std::function<void(const std::string&)> note_;

  std::mutex mutex_;  ///< guards what follows
  std::condition_variable answered_, to_send_;
  std::vector<Worker> workers_;
  std::deque<std::shared_ptr<Task>> waiting_;
  std::deque<Frame> outgoing_;
  std::string lost_;  ///< why nothing can be answered any more; empty: it can
  bool over_ = false;
  /// A thread for each direction: a launcher that waits to be read never keeps this process from being read, nor the
  /// other way round.
  std::thread receiver_, sender_;
};

}  // namespace spillway::crew
