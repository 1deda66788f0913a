#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "hw/mpi/runtime/exchange.hpp"
#include "hw/mpi/runtime/options.hpp"
#include "hw/mpi/runtime/rank.hpp"
#include "hw/mpi/runtime/supervisor.hpp"
#include "hw/mpi/runtime/weight_file.hpp"

namespace spillway::mpi {

/// When a frame began and ended, in seconds since the first frame of the job, and what of it was waiting.
struct FrameTimes {
  double begin = 0, end = 0, receive_wait = 0, send_wait = 0;
};

/// Memory aligned to 64 bytes.
class AlignedMemory {
 public:
  AlignedMemory() = default;
  explicit AlignedMemory(std::size_t bytes);
  void* data() const { return begin_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::unique_ptr<char[]> memory_;
  void* begin_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A raw file of float32 tensors, mapped read-only to the end of the process.
class InputFile {
 public:
  /// Throws JobError: no such file, or one that does not hold whole frames.
  InputFile(const std::string& path, const std::string& name, std::size_t floats);
  const float* frame(long number) const { return numbers_ + static_cast<std::size_t>(number % frames_) * floats_; }
  long frames() const { return frames_; }

 private:
  const float* numbers_ = nullptr;
  std::size_t floats_ = 0;
  long frames_ = 0;
};

/// A result's file; it appears when the job is done, and nothing is left of one that is not closed.
class OutputFile {
 public:
  OutputFile(const std::string& folder, const std::string& name, std::size_t floats);
  ~OutputFile();
  OutputFile(OutputFile&&) = default;
  OutputFile& operator=(OutputFile&&) = delete;

  void append(const float* numbers);
  /// Gives the file its name. Throws JobError: what was written is not all there.
  void close();

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::size_t floats_;
  std::unique_ptr<std::FILE, Closer> file_;
};

/// One rank at work.
class Job {
 public:
  Job(const Program& program, int rank, const Options& options, MPI_Comm communicator, ProgressRecord& record);

  /// Opens the rank's package. Throws JobError.
  void open();
  /// Runs the rank's function to its end and writes results and timings.
  void work();

  const RankDescription& description() const { return description_; }
  int threads() const { return options_.threads > 0 ? options_.threads : description_.threads; }
  long frame() const { return frame_; }
  long total_frames() const { return options_.warm_up + options_.frames; }
  double seconds() const { return MPI_Wtime() - start_; }

  const float* weights(std::size_t offset, std::size_t count) const;
  float* arena(std::size_t floats);
  void scratch(std::size_t bytes);
  int add_input(const std::string& name, std::size_t floats);
  int add_output(const std::string& name, std::size_t floats);
  const float* read(int input) const { return inputs_[static_cast<std::size_t>(input)].frame(data_frame()); }
  /// Takes a result of a measured frame; once, where the frames of the input are repeated.
  void write(int output, const float* numbers);
  bool next_frame();
  void finish_frame();
  void note_layer(int number, const char* name);
  kernels::Execution execution();

  Exchange exchange;

 private:
  /// Frames of data begin with the measured ones: results of the warm-up are thrown away.
  long data_frame() const { return frame_ < options_.warm_up ? frame_ : frame_ - options_.warm_up; }
  /// Notes why the job cannot begin.
  void note(const JobError& error);
  /// Throws Refusal in all ranks when one of them cannot begin.
  void prepare();
  void write_times() const;
  void report() const;

  const Program& program_;
  const int rank_;
  const RankDescription& description_;
  const Options& options_;
  MPI_Comm communicator_;
  ProgressRecord& record_;
  MappedWeights weights_;
  AlignedMemory arena_, scratch_;
  std::vector<InputFile> inputs_;
  std::vector<OutputFile> outputs_;
  std::vector<FrameTimes> times_;
  std::string mistakes_;  ///< one a line
  int code_ = 0;          ///< the largest of theirs
  long frame_ = -1;
  long data_frames_ = 0;  ///< frames in the longest input: results of repeated ones are not written again
  double start_ = 0;
};

}  // namespace spillway::mpi
