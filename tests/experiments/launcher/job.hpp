#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "tests/experiments/cli/program.hpp"

namespace spillway::launcher_test {

/// `mpirun -n RANKS [OPTIONS] spillway-mpi ARGUMENTS` on its way.
class Job {
 public:
  Job(int ranks, const std::vector<std::string>& arguments, const std::vector<std::string>& options = {});
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  pid_t mpirun() const { return process_; }
  bool is_over();

  /// Processes of this job, the eldest first: ranks by number, workers that have started.
  std::vector<pid_t> ranks() const;
  std::vector<pid_t> workers() const;

  /// Waits for its end; what it left.
  cli_test::Call wait();

 private:
  cli_test::Folder streams_;
  cli_test::Call call_;
  pid_t process_ = 0;
};

}  // namespace spillway::launcher_test
