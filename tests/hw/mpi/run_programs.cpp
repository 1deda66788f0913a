// Runs many generated programs in one MPI job, each with both ways to communicate and with one and two threads, and
// compares their results with those of one process, byte for byte.
//
//   run_programs RESULTS
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#define OMPI_SKIP_MPICXX 1
#include "programs.hpp"
#include <mpi.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

/// A barrier that leaves the cores to others.
void meet() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    usleep(500);
  }
}

std::string bytes_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Number of results that differ from what is expected.
int compare(const fs::path& expected, const fs::path& results, const std::string& how) {
  int wrong = 0, found = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(expected)) {
    ++found;
    const std::string wanted = bytes_of(entry.path());
    if (!wanted.empty() && wanted == bytes_of(results / entry.path().filename())) continue;
    std::printf("DIFFERS %s %s\n", entry.path().c_str(), how.c_str());
    ++wrong;
  }
  return found == 0 ? 1 : wrong;
}

int run(const SplitProgram& program, const fs::path& results, const std::string& communication,
        const std::string& threads) {
  const std::string folder = program.folder;
  std::vector<std::string> words = {"program",   "--packages", folder + "/packages", "--input", folder + "/input.f32",
                                    "--results", results,      "--frames",           "5",       "--warm-up",
                                    "1",         "--comm",     communication};
  if (!threads.empty()) words.insert(words.end(), {"--threads", threads});
  std::vector<char*> arguments;
  for (std::string& word : words)
    arguments.push_back(word.data());
  return program.run(static_cast<int>(arguments.size()), arguments.data());
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const fs::path results = argv[1];
  int wrong = 0, runs = 0;
  for (const SplitProgram& program : programs())
    for (const char* communication : {"paper", "overlap"})
      for (const char* threads : {"", "1"}) {
        if (rank == 0) {
          fs::remove_all(results);
          fs::create_directories(results);
        }
        meet();
        if (run(program, results, communication, threads) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
        meet();
        if (rank != 0) continue;
        ++runs;
        wrong += compare(fs::path(program.folder) / "expected", results,
                         std::string(communication) + " " + (*threads != '\0' ? threads : "mapped") + " threads");
      }
  if (rank == 0) std::printf("%zu programs, %d runs, %d results differ\n", programs().size(), runs, wrong);
  MPI_Finalize();
  return rank == 0 && wrong > 0 ? 1 : 0;
}
