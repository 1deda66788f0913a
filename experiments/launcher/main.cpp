#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>
#include <unistd.h>

#include "experiments/launcher/rank.hpp"

namespace {

constexpr std::string_view usage =
    "Runs a sweep or a search of spillway with one worker process for each MPI rank.\n"
    "\n"
    "Usage: mpirun -n N [--hostfile FILE] spillway-mpi sweep EXPERIMENT [OPTIONS]\n"
    "       mpirun -n N [--hostfile FILE] spillway-mpi explore NETWORK [OPTIONS]\n"
    "\n"
    "Arguments are those of `spillway sweep` and `spillway explore`, without --jobs; results are the same, byte for\n"
    "byte. Rank 0 starts the process that writes them. `spillway` and the files that are read must lie in the same\n"
    "places on all hosts, `spillway` beside this program.\n"
    "\n"
    "A worker that dies: its work goes to the others. A rank or host that dies: mpirun ends the job, and the same\n"
    "command with --resume, with or without mpirun, goes on; with `mpirun --enable-recovery` the others go on without\n"
    "a rank that was killed.\n"
    "\n"
    "Exit codes: those of spillway; 0 done, 1 the run failed, 2 the request was wrong.\n";

/// As far as the environment says before MPI is initialised.
bool is_first_rank() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK"}) {
    if (const char* rank = std::getenv(variable)) return std::string_view(rank) == "0";
  }
  return true;
}

int refuse(const std::string& message) {
  if (is_first_rank()) std::fprintf(stderr, "spillway-mpi: %s\n", message.c_str());
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.empty()) return refuse("a verb is missing; expected sweep or explore");
  if (arguments.front() == "--help" || arguments.front() == "-h") {
    if (is_first_rank()) std::fwrite(usage.data(), 1, usage.size(), stdout);
    return 0;
  }
  if (arguments.front() != "sweep" && arguments.front() != "explore")
    return refuse("unknown verb \"" + arguments.front() + "\"; expected sweep or explore");
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string program = self.parent_path() / "spillway";
  if (::access(program.c_str(), X_OK) != 0) return refuse("there is no program " + program);

  MPI_Init(&argc, &argv);
  // mpirun ends a job with SIGTERM for each process. The one that gives the work decides what becomes of it; the ranks
  // end behind it.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  int code = 1;
  try {
    spillway::launcher::Rank rank(program, arguments);
    code = rank.run();
    // MPI_Finalize would wait for those that are gone.
    if (!rank.is_whole()) std::_Exit(code);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "spillway-mpi: %s\n", failure.what());
    MPI_Abort(MPI_COMM_WORLD, code);
  }
  MPI_Finalize();
  return code;
}
