#include "hw/mpi/runtime/supervisor.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

namespace spillway::mpi {
namespace {

volatile std::sig_atomic_t supervised = 0;
volatile std::sig_atomic_t passed_on = 0;

/// The launcher ends the job: so does the rank, and that is no news.
extern "C" void pass_on(int signal) {
  passed_on = signal;
  if (supervised > 0) ::kill(supervised, signal);
}

std::string place_of(const Program& program, const ProgressRecord& record) {
  const int rank = record.rank;
  if (rank < 0 || rank >= static_cast<int>(program.ranks.size())) return "a rank";
  const RankDescription& description = program.ranks[static_cast<std::size_t>(rank)];
  return "rank " + std::to_string(rank) + " (" + description.key + " on " + description.device + ")";
}

std::string progress_of(const ProgressRecord& record) {
  if (record.frame < 0) return "before the first frame";
  if (record.layer < 0) return "at the start of frame " + std::to_string(record.frame);
  return "in layer " + std::to_string(record.layer) + " \"" + record.name + "\" of frame " +
         std::to_string(record.frame);
}

void report(const Program& program, const ProgressRecord& record, const std::string& end) {
  std::fprintf(stderr, "%s: %s %s %s; the job ends\n", program.model, place_of(program, record).c_str(), end.c_str(),
               progress_of(record).c_str());
  std::fflush(stderr);
}

/// The rank as the launcher numbers it: known before MPI runs.
int launched_rank() {
  const char* const text = std::getenv("OMPI_COMM_WORLD_RANK");
  return text == nullptr ? -1 : std::atoi(text);
}

}  // namespace

int supervise(const Program& program, const char* const* argv,
              int (*work)(const Program&, int, char**, ProgressRecord&), int argc) {
  void* const memory =
      ::mmap(nullptr, sizeof(ProgressRecord), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    std::fprintf(stderr, "%s: no memory for the progress record: %s\n", program.model, std::strerror(errno));
    return 1;
  }
  ProgressRecord& record = *new (memory) ProgressRecord{};
  record.rank = launched_rank();
  record.frame = -1;
  record.layer = -1;

  const pid_t supervisor = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    std::fprintf(stderr, "%s: cannot start: %s\n", program.model, std::strerror(errno));
    return 1;
  }
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != supervisor) ::_exit(1);
    std::exit(work(program, argc, const_cast<char**>(argv), record));
  }

  supervised = child;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2})
    std::signal(signal, pass_on);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return 1;
  if (WIFEXITED(status)) {
    const int code = WEXITSTATUS(status);
    if (code != 0 && record.frame >= 0) report(program, record, "ended with exit code " + std::to_string(code));
    return code;
  }
  const int signal = WTERMSIG(status);
  if (signal == passed_on) return 128 + signal;
  report(program, record, "was killed by signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")");
  return 1;
}

}  // namespace spillway::mpi
