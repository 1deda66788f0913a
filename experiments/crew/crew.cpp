#include "experiments/crew/crew.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <utility>

#include <sys/socket.h>

namespace spillway::crew {

Crew::Crew(int socket, unsigned workers, std::string identity, std::function<void(const std::string&)> note)
    : socket_(socket), identity_(std::move(identity)), note_(std::move(note)), workers_(workers) {
  receiver_ = std::thread([this] { receive_frames(); });
  sender_ = std::thread([this] { send_frames(); });
}

Crew::~Crew() {
  {
    const std::scoped_lock lock(mutex_);
    over_ = true;
  }
  to_send_.notify_all();
  // The launcher sees it as the end of the work.
  ::shutdown(socket_, SHUT_RDWR);
  receiver_.join();
  sender_.join();
}

std::vector<std::string> Crew::ask(std::span<const std::string> requests, const Stop& stop) {
  std::vector<std::shared_ptr<Task>> tasks;
  for (const std::string& request : requests)
    tasks.push_back(std::make_shared<Task>(Task{request, {}}));
  std::unique_lock lock(mutex_);
  waiting_.insert(waiting_.end(), tasks.begin(), tasks.end());
  give();
  const auto all_answered = [&] { return std::ranges::all_of(tasks, &Task::answered); };
  std::string why;
  while (!all_answered()) {
    if (!lost_.empty()) why = lost_;
    if (stop && stop()) why = "stopped";
    if (!why.empty()) {
      std::erase_if(waiting_, [&](const auto& task) { return std::ranges::find(tasks, task) != tasks.end(); });
      throw Unanswered(why);
    }
    constexpr auto between_stops = std::chrono::milliseconds(50);
    answered_.wait_for(lock, between_stops);
  }
  std::vector<std::string> answers;
  for (const auto& task : tasks) {
    if (task->failed) throw std::runtime_error(task->answer);
    answers.push_back(std::move(task->answer));
  }
  return answers;
}

/// First one to each worker that has none.
void Crew::give() {
  for (std::size_t at_hand = 0; at_hand < requests_of_a_worker; ++at_hand) {
    for (std::size_t i = 0; i < workers_.size() && !waiting_.empty(); ++i) {
      Worker& worker = workers_[i];
      if (worker.ended || worker.tasks.size() != at_hand) continue;
      worker.tasks.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
      outgoing_.push_back({static_cast<std::uint32_t>(i), Kind::request, worker.tasks.back()->request});
    }
  }
  to_send_.notify_one();
}

void Crew::take(const Frame& frame) {
  if (frame.worker >= workers_.size()) return give_up("the launcher speaks of a worker that there is not");
  Worker& worker = workers_[frame.worker];
  if (worker.ended) return;
  const std::string name = "worker " + std::to_string(frame.worker);
  switch (frame.kind) {
    case Kind::hello:
      worker.greeted = frame.text == identity_;
      if (!worker.greeted) give_up(name + " has another version of the program or of the files that this run reads");
      return;
    case Kind::answer:
    case Kind::error:
      if (!worker.greeted || worker.tasks.empty()) return give_up(name + " answers what it was not asked");
      worker.tasks.front()->answer = frame.text;
      worker.tasks.front()->answered = true;
      worker.tasks.front()->failed = frame.kind == Kind::error;
      worker.tasks.pop_front();
      return;
    case Kind::ended: {
      lose(worker);
      const std::string text = name + " of " + std::to_string(workers_.size()) + " has ended: " + frame.text;
      if (std::ranges::all_of(workers_, &Worker::ended)) return give_up("all workers have ended; " + text);
      note_(text + "; its work goes to the others");
      return;
    }
    case Kind::request:
      return give_up("the launcher sends a request");
  }
}

void Crew::lose(Worker& worker) {
  worker.ended = true;
  waiting_.insert(waiting_.begin(), std::move_iterator(worker.tasks.begin()), std::move_iterator(worker.tasks.end()));
  worker.tasks.clear();
}

void Crew::give_up(const std::string& why) {
  if (lost_.empty()) lost_ = why;
}

void Crew::receive_frames() {
  for (;;) {
    const std::optional<Frame> frame = receive(socket_);
    {
      const std::scoped_lock lock(mutex_);
      if (frame) {
        take(*frame);
        give();
      } else {
        give_up("the launcher has ended");
      }
    }
    answered_.notify_all();
    if (!frame) return;
  }
}

void Crew::send_frames() {
  for (;;) {
    std::unique_lock lock(mutex_);
    to_send_.wait(lock, [&] { return over_ || !outgoing_.empty(); });
    if (over_) return;
    const Frame frame = std::move(outgoing_.front());
    outgoing_.pop_front();
    lock.unlock();
    // Where the launcher has gone, the receiver meets its end.
    send(socket_, frame);
  }
}

}  // namespace spillway::crew
