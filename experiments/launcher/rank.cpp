#include "experiments/launcher/rank.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <optional>
#include <utility>

#include <poll.h>

namespace spillway::launcher {
namespace {

using crew::Frame;
using crew::Kind;
using std::chrono::microseconds;

/// Tags are kinds of frames, and these.
constexpr int tag_alive = 100, tag_finish = 101;

constexpr microseconds shortest_sleep(20), longest_sleep(500);
constexpr std::chrono::seconds between_signs(1), longest_silence(30);

int tag_of(Kind kind) {
  return static_cast<int>(kind);
}

std::string described(int code) {
  return code > 128 ? "signal " + std::to_string(code - 128) : "exit code " + std::to_string(code);
}

bool is_readable(int socket) {
  pollfd look{socket, POLLIN, 0};
  return ::poll(&look, 1, 0) > 0;
}

}  // namespace

Rank::Rank(std::string program, std::vector<std::string> arguments)
    : program_(std::move(program)), arguments_(std::move(arguments)) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  heard_.assign(static_cast<std::size_t>(ranks_), Clock::now());
  lost_.assign(static_cast<std::size_t>(ranks_), false);
  spoken_ = Clock::now();
  if (rank_ == 0) master_ = std::make_unique<Child>(program_, arguments_, std::to_string(ranks_));
}

int Rank::run() {
  microseconds sleep = shortest_sleep;
  while (!over_) {
    std::array<pollfd, 2> looks{};
    nfds_t sockets = 0;
    if (master_) looks[sockets++] = {master_->socket(), POLLIN, 0};
    if (worker_) looks[sockets++] = {worker_->socket(), POLLIN, 0};
    const timespec longest{0, std::chrono::nanoseconds(sleep).count()};
    ::ppoll(looks.data(), sockets, &longest, nullptr);
    const bool worked = serve_master() | serve_worker() | serve_ranks() | complete_sendings();
    sleep = worked ? shortest_sleep : std::min(2 * sleep, longest_sleep);
    look_after_ranks();
  }
  worker_.reset();
  while (whole_ && !sendings_.empty())
    complete_sendings();
  return code_;
}

/// From the process that gives the work to the rank of the worker it is for.
bool Rank::serve_master() {
  if (!master_ || !is_readable(master_->socket())) return false;
  if (std::optional<Frame> frame = crew::receive(master_->socket())) {
    const auto to = static_cast<int>(frame->worker);
    if (to < ranks_) post(to, tag_of(frame->kind), std::move(frame->text));
  } else {
    code_ = master_->wait();
    end_ranks();
  }
  return true;
}

bool Rank::serve_worker() {
  if (!worker_ || !is_readable(worker_->socket())) return false;
  if (std::optional<Frame> frame = crew::receive(worker_->socket())) {
    post(0, tag_of(frame->kind), std::move(frame->text));
  } else {
    end_worker(described(worker_->wait()));
  }
  return true;
}

bool Rank::serve_ranks() {
  for (bool any = false;; any = true) {
    int there = 0;
    MPI_Status status;
    if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status) != MPI_SUCCESS || there == 0)
      return any;
    int bytes = 0;
    MPI_Get_count(&status, MPI_CHAR, &bytes);
    std::string text(static_cast<std::size_t>(bytes), '\0');
    if (MPI_Recv(text.data(), bytes, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status) ==
        MPI_SUCCESS)
      handle(status.MPI_SOURCE, status.MPI_TAG, std::move(text));
  }
}

void Rank::handle(int from, int tag, std::string text) {
  heard_[static_cast<std::size_t>(from)] = Clock::now();
  if (tag == tag_alive) return;
  if (tag == tag_finish) {
    over_ = true;
  } else if (tag == tag_of(Kind::request)) {
    if (worker_ended_) return;
    try {
      if (!worker_) worker_ = std::make_unique<Child>(program_, arguments_, crew::role_of_worker);
      // Where the worker has gone, its socket says so when it is read.
      crew::send(worker_->socket(), {static_cast<std::uint32_t>(rank_), Kind::request, std::move(text)});
    } catch (const std::exception& error) {
      end_worker(error.what());
    }
  } else if (master_ && !lost_[static_cast<std::size_t>(from)]) {
    crew::send(master_->socket(), {static_cast<std::uint32_t>(from), static_cast<Kind>(tag), std::move(text)});
  }
}

void Rank::post(int to, int tag, std::string text) {
  if (to == rank_) return handle(rank_, tag, std::move(text));
  if (lost_[static_cast<std::size_t>(to)]) return;
  Sending& sending = sendings_.emplace_back();
  sending.text = std::move(text);
  if (MPI_Isend(sending.text.data(), static_cast<int>(sending.text.size()), MPI_CHAR, to, tag, MPI_COMM_WORLD,
                &sending.request) == MPI_SUCCESS)
    return;
  sendings_.pop_back();
  lose(to, "its rank cannot be reached");
}

bool Rank::complete_sendings() {
  return std::erase_if(sendings_, [](Sending& sending) {
           int done = 0;
           return MPI_Test(&sending.request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done != 0;
         }) > 0;
}

void Rank::end_worker(const std::string& how) {
  worker_.reset();
  worker_ended_ = true;
  post(0, tag_of(Kind::ended), how);
}

void Rank::lose(int rank, const std::string& why) {
  if (lost_[static_cast<std::size_t>(rank)]) return;
  whole_ = false;
  if (master_) crew::send(master_->socket(), {static_cast<std::uint32_t>(rank), Kind::ended, why});
  if (rank == 0) {
    over_ = true;
    code_ = 1;
  }
  lost_[static_cast<std::size_t>(rank)] = true;
}

/// A rank that is gone does not say so, where mpirun goes on without it: rank 0 and the others wait for each other's
/// signs.
void Rank::look_after_ranks() {
  const Clock::time_point now = Clock::now();
  const bool speaks = now - spoken_ >= between_signs;
  if (speaks) spoken_ = now;
  for (int other = 0; other < (rank_ == 0 ? ranks_ : 1); ++other) {
    if (other == rank_) continue;
    if (speaks) post(other, tag_alive, "");
    if (now - heard_[static_cast<std::size_t>(other)] > longest_silence)
      lose(other, "nothing was heard of its rank for 30 s");
  }
}

void Rank::end_ranks() {
  over_ = true;
  for (int other = 1; other < ranks_; ++other)
    post(other, tag_finish, "");
}

}  // namespace spillway::launcher
