#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace spillway::mpi {

/// What ends a job with a message. `code` is the exit code: 1 the run failed, 2 the request was wrong.
class JobError : public std::runtime_error {
 public:
  JobError(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
  int code() const { return code_; }

 private:
  int code_;
};

/// What all ranks agreed not to begin, for the reasons of some: those have a message.
class Refusal : public JobError {
 public:
  using JobError::JobError;
};

/// The program's command line.
struct Options {
  bool help = false;
  bool overlap = true;
  long frames = 20;  ///< measured ones
  long warm_up = 4;
  int threads = 0;       ///< 0: as the mapping says
  std::string packages;  ///< folder that holds one folder a device; empty: the program's own folder
  std::string results = ".";
  struct Input {
    std::string name;  ///< empty: the only one
    std::string file;
  };
  std::vector<Input> inputs;
};

/// Throws JobError with code 2 and every mistake, one a line.
Options read_options(int argc, char** argv);

/// What `--help` prints.
const char* help_text();

}  // namespace spillway::mpi
