#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "hw/mpi/runtime/job.hpp"

namespace spillway::mpi {
namespace {

void complain(const Program& program, const std::string& who, const std::string& message) {
  for (std::size_t begin = 0; begin <= message.size();) {
    const std::size_t end = std::min(message.find('\n', begin), message.size());
    std::fprintf(stderr, "%s: %s%s\n", program.model, who.c_str(), message.substr(begin, end - begin).c_str());
    begin = end + 1;
  }
  std::fflush(stderr);
}

std::string name_of(const Program& program, int rank) {
  const RankDescription& description = program.ranks[static_cast<std::size_t>(rank)];
  return "rank " + std::to_string(rank) + " (" + description.key + " on " + description.device + "): ";
}

/// The largest of all ranks' codes: either every rank goes on, or none does.
int agreed(int code, MPI_Comm communicator) {
  int largest = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&code, &largest, 1, MPI_INT, MPI_MAX, communicator, &request);
  wait_asleep(request);
  return largest;
}

/// Devices that were given programs of different splits find it out here.
int compare_splits(const Program& program, int rank, MPI_Comm communicator) {
  unsigned long long first = program.split;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(&first, 1, MPI_UNSIGNED_LONG_LONG, 0, communicator, &request);
  wait_asleep(request);
  if (first == program.split) return 0;
  complain(program, name_of(program, rank),
           "has a program of another split than rank 0; expected packages of one split");
  return 2;
}

int open(Job& job, const Program& program, int rank) {
  try {
    job.open();
    return 0;
  } catch (const JobError& error) {
    complain(program, name_of(program, rank), error.what());
    return error.code();
  }
}

int run_rank(const Program& program, const Options& options, MPI_Comm communicator, ProgressRecord& record) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  record.rank = rank;
  try {
    Job job(program, rank, options, communicator, record);
    const int code = std::max(compare_splits(program, rank, communicator), open(job, program, rank));
    if (const int worst = agreed(code, communicator); worst != 0) return worst;
    job.work();
    return agreed(0, communicator);
  } catch (const Refusal& refusal) {
    if (*refusal.what() != '\0') complain(program, name_of(program, rank), refusal.what());
    return refusal.code();
  } catch (const JobError& error) {
    complain(program, name_of(program, rank), error.what());
    MPI_Abort(MPI_COMM_WORLD, error.code());
    return error.code();
  } catch (const std::exception& error) {
    complain(program, name_of(program, rank), error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
  }
}

/// MPI runs: the first processes are the ranks.
int run_in_job(const Program& program, const Options& options, bool exactly, ProgressRecord& record) {
  int size = 0, process = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  const int ranks = static_cast<int>(program.ranks.size());
  if (size < ranks || (exactly && size != ranks)) {
    if (process == 0)
      complain(program, "",
               "runs in " + std::to_string(size) + " processes; expected " + std::to_string(ranks) +
                   ", one for each rank (mpirun -n " + std::to_string(ranks) + ")");
    return 2;
  }
  // A communicator of our own would be made by a call that burns the core until the last process has started.
  if (size == ranks) return run_rank(program, options, MPI_COMM_WORLD, record);
  MPI_Comm communicator = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, process < ranks ? 0 : MPI_UNDEFINED, process, &communicator);
  if (communicator == MPI_COMM_NULL) return 0;
  const int code = run_rank(program, options, communicator, record);
  MPI_Comm_free(&communicator);
  return code;
}

int run_alone(const Program& program, int argc, char** argv, ProgressRecord& record) {
  // Open MPI on a crowded machine gives its core away in each call that finds no news, so also in those that the layers
  // make between their blocks. Our waits sleep by themselves.
  ::setenv("OMPI_MCA_mpi_yield_when_idle", "0", 1);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const Options options = read_options(argc, argv);
  const int code = run_in_job(program, options, true, record);
  MPI_Finalize();
  return code;
}

}  // namespace

int run(const Program& program, int argc, char** argv) {
  try {
    const Options options = read_options(argc, argv);
    if (options.help) {
      std::printf("%s on %zu ranks, in an MPI job (mpirun):\n%s", program.model, program.ranks.size(), help_text());
      return 0;
    }
    int runs_already = 0;
    MPI_Initialized(&runs_already);
    static ProgressRecord record;
    if (runs_already != 0) return run_in_job(program, options, false, record);
#ifdef SMPI_H
    return run_alone(program, argc, argv, record);
#else
    return supervise(program, argv, run_alone, argc);
#endif
  } catch (const JobError& error) {
    complain(program, "", error.what());
    return error.code();
  }
}

}  // namespace spillway::mpi
