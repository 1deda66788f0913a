#include "experiments/explore/workers.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <span>
#include <system_error>
#include <type_traits>
#include <utility>

#include <sys/wait.h>
#include <unistd.h>

namespace spillway::explore {
namespace {

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

bool write_all(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

bool read_all(int file, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = ::read(file, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

template <typename T>
bool write_values(int file, std::span<const T> values) {
  return write_all(file, std::as_bytes(values));
}

template <typename T>
bool read_values(int file, std::span<T> values) {
  static_assert(std::is_trivially_copyable_v<T>);
  return read_all(file, std::as_writable_bytes(values));
}

/// Counts, then the genes of all; until the other end is closed.
void serve(int from, int to, const Workers::Evaluate& evaluate) {
  for (;;) {
    std::array<std::uint64_t, 2> counts{};
    if (!read_values(from, std::span<std::uint64_t>(counts))) return;
    Genes all(counts[0] * counts[1]);
    if (!read_values(from, std::span<int>(all))) return;
    std::vector<Worth> results;
    for (std::size_t i = 0; i < counts[0]; ++i) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(i * counts[1]);
      results.push_back(evaluate(Genes(begin, begin + static_cast<std::ptrdiff_t>(counts[1]))));
    }
    if (!write_values(to, std::span<const Worth>(results))) return;
  }
}

}  // namespace

Workers::Workers(unsigned jobs, Evaluate evaluate) : evaluate_(std::move(evaluate)) {
  if (jobs <= 1) return;
  workers_.resize(jobs);
  for (Worker& worker : workers_)
    start(worker);
}

Workers::~Workers() {
  for (Worker& worker : workers_)
    if (worker.process > 0) bury(worker);
}

void Workers::start(Worker& worker) {
  int to[2], from[2];
  if (::pipe(to) != 0 || ::pipe(from) != 0) fail("pipe");
  std::fflush(nullptr);
  worker.process = ::fork();
  if (worker.process < 0) fail("fork");
  if (worker.process == 0) {
    // The pipes of the others must not be kept open here.
    for (const Worker& other : workers_) {
      if (other.to >= 0) ::close(other.to);
      if (other.from >= 0) ::close(other.from);
    }
    ::close(to[1]);
    ::close(from[0]);
    // Ctrl-C reaches the whole group; the parent decides when to end.
    std::signal(SIGINT, SIG_IGN);
    try {
      serve(to[0], from[1], evaluate_);
    } catch (const std::exception&) {
      ::_exit(1);  // the parent repeats the work and meets the exception itself
    }
    ::_exit(0);
  }
  ::close(to[0]);
  ::close(from[1]);
  worker.to = to[1];
  worker.from = from[0];
}

void Workers::bury(Worker& worker) {
  ::close(worker.to);
  ::close(worker.from);
  worker.to = worker.from = -1;
  ::waitpid(worker.process, nullptr, 0);
  worker.process = 0;
}

bool Workers::send(Worker& worker, const std::vector<Genes>& batch, std::size_t begin, std::size_t end) {
  const std::array<std::uint64_t, 2> counts = {end - begin, batch[begin].size()};
  Genes all;
  for (std::size_t i = begin; i < end; ++i)
    all.insert(all.end(), batch[i].begin(), batch[i].end());
  return write_values(worker.to, std::span<const std::uint64_t>(counts)) &&
         write_values(worker.to, std::span<const int>(all));
}

std::vector<Worth> Workers::evaluate(const std::vector<Genes>& batch) {
  std::vector<Worth> results(batch.size());
  const std::size_t parts = workers_.empty() ? 1 : workers_.size();
  const auto begin_of = [&](std::size_t part) { return batch.size() * part / parts; };
  // A worker that has died must be seen as a failed write, not as a signal.
  struct sigaction ignore {
  }, before{};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &before);
  for (std::size_t part = 0; part < workers_.size(); ++part) {
    Worker& worker = workers_[part];
    if (worker.process == 0 || begin_of(part) == begin_of(part + 1)) continue;
    if (!send(worker, batch, begin_of(part), begin_of(part + 1))) bury(worker);
  }
  ::sigaction(SIGPIPE, &before, nullptr);
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t begin = begin_of(part), end = begin_of(part + 1);
    if (begin == end) continue;
    if (!workers_.empty() && workers_[part].process != 0) {
      if (read_values(workers_[part].from, std::span<Worth>(results).subspan(begin, end - begin))) continue;
      bury(workers_[part]);
    }
    for (std::size_t i = begin; i < end; ++i)
      results[i] = evaluate_(batch[i]);
  }
  return results;
}

}  // namespace spillway::explore
