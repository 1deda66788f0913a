#include "hw/mpi/runtime/job.hpp"

#include <algorithm>
#include <cstring>

#include <unistd.h>

namespace spillway::mpi {
namespace {

/// The folder of the program: its packages' files lie beside it.
std::string program_folder() {
  char path[4096];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path - 1);
  if (length <= 0) return ".";
  const std::string whole(path, static_cast<std::size_t>(length));
  return whole.substr(0, whole.rfind('/'));
}

/// Most memory that the process ever had in use, in bytes; 0 where the system does not say.
long long peak_memory() {
  std::FILE* const file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return 0;
  char line[256];
  long long kibibytes = 0;
  while (std::fgets(line, sizeof line, file) != nullptr)
    if (std::sscanf(line, "VmHWM: %lld kB", &kibibytes) == 1) break;
  std::fclose(file);
  return kibibytes * 1024;
}

}  // namespace

Job::Job(const Program& program, int rank, const Options& options, MPI_Comm communicator, ProgressRecord& record)
    : exchange(communicator, options.overlap ? 2 : 1, program.buffers, options.overlap,
               options.warm_up + options.frames),
      program_(program),
      rank_(rank),
      description_(program.ranks[static_cast<std::size_t>(rank)]),
      options_(options),
      communicator_(communicator),
      record_(record) {}

void Job::open() {
#ifndef SPILLWAY_KERNELS_ON_GPU
  if (description_.gpu)
    throw JobError(2, std::string("computes on a GPU, for which this program has no kernels; configure it with "
                                  "-DSPILLWAY_KERNELS=DIR (a library that has them), or map the layers to cores"));
#endif
  const std::string folder =
      options_.packages.empty() ? program_folder() : options_.packages + "/" + description_.device;
  try {
    weights_ = MappedWeights(folder + "/" + description_.weights, program_.split, static_cast<std::uint32_t>(rank_));
  } catch (const WeightFileError& error) {
    throw JobError(2, error.what());
  }
}

const float* Job::weights(std::size_t offset, std::size_t count) const {
  if (offset + count > weights_.floats()) throw JobError(1, "the weight file is smaller than the program expects");
  return weights_.data() + offset;
}

float* Job::arena(std::size_t floats) {
  arena_ = AlignedMemory(floats * sizeof(float));
  return static_cast<float*>(arena_.data());
}

void Job::scratch(std::size_t bytes) {
  scratch_ = AlignedMemory(bytes);
}

int Job::add_input(const std::string& name, std::size_t floats) {
  for (const Options::Input& input : options_.inputs) {
    if (!input.name.empty() && input.name != name) continue;
    try {
      inputs_.emplace_back(input.file, name, floats);
      return static_cast<int>(inputs_.size()) - 1;
    } catch (const JobError& error) {
      note(error);
      return -1;
    }
  }
  note(JobError(2, "no file is given for the input \"" + name + "\"; expected --input " + name + "=FILE"));
  return -1;
}

int Job::add_output(const std::string& name, std::size_t floats) {
  try {
    outputs_.emplace_back(options_.results, name, floats);
    return static_cast<int>(outputs_.size()) - 1;
  } catch (const JobError& error) {
    note(error);
    return -1;
  }
}

void Job::note(const JobError& error) {
  mistakes_ += (mistakes_.empty() ? "" : "\n") + std::string(error.what());
  code_ = std::max(code_, error.code());
}

void Job::write(int output, const float* numbers) {
  if (frame_ >= options_.warm_up && data_frame() < data_frames_)
    outputs_[static_cast<std::size_t>(output)].append(numbers);
}

bool Job::next_frame() {
  if (frame_ < 0) prepare();
  if (++frame_ == total_frames()) return false;
  record_.layer = -1;
  record_.frame = frame_;
  times_.push_back({seconds(), 0, exchange.receive_wait(), exchange.send_wait()});
  return true;
}

void Job::prepare() {
  int worst = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&code_, &worst, 1, MPI_INT, MPI_MAX, communicator_, &request);
  wait_asleep(request);
  if (worst != 0) throw Refusal(worst, mistakes_);
  times_.reserve(static_cast<std::size_t>(total_frames()));
  // The ranks with results learn from those with inputs how many frames are different, and all begin together.
  long mine = 0;
  for (const InputFile& input : inputs_)
    mine = std::max(mine, input.frames());
  MPI_Iallreduce(&mine, &data_frames_, 1, MPI_LONG, MPI_MAX, communicator_, &request);
  wait_asleep(request);
  start_ = MPI_Wtime();
}

void Job::finish_frame() {
  if (!options_.overlap || frame_ + 1 == total_frames()) exchange.wait_for_sends();
  FrameTimes& times = times_.back();
  times.end = seconds();
  times.receive_wait = exchange.receive_wait() - times.receive_wait;
  times.send_wait = exchange.send_wait() - times.send_wait;
}

void Job::note_layer(int number, const char* name) {
  std::strncpy(record_.name, name, sizeof record_.name - 1);
  record_.layer = number;
}

kernels::Execution Job::execution() {
  kernels::Execution execution;
  execution.threads = threads();
  execution.scratch = scratch_.data();
  // Large messages move only inside MPI calls: with overlap, the layers make some between their blocks.
  if (options_.overlap) {
    execution.progress = [](void* messages) { static_cast<Exchange*>(messages)->progress(); };
    execution.progress_argument = &exchange;
  }
  return execution;
}

void Job::work() {
  Rank rank(*this);
  description_.run(rank);
  for (OutputFile& output : outputs_)
    output.close();
  write_times();
  report();
}

void Job::write_times() const {
  const std::string stem = options_.results + "/rank_" + std::to_string(rank_);
  std::FILE* const file = std::fopen((stem + ".csv").c_str(), "w");
  if (file == nullptr) throw JobError(1, stem + ".csv: cannot be written: " + std::strerror(errno));
  std::fprintf(file, "rank,key,device,frame,measured,begin_s,end_s,receive_wait_s,send_wait_s\n");
  for (std::size_t i = 0; i < times_.size(); ++i)
    std::fprintf(file, "%d,\"%s\",%s,%zu,%d,%.9f,%.9f,%.9f,%.9f\n", rank_, description_.key, description_.device, i,
                 static_cast<long>(i) >= options_.warm_up ? 1 : 0, times_[i].begin, times_[i].end,
                 times_[i].receive_wait, times_[i].send_wait);
  const bool whole = std::fclose(file) == 0;
  std::FILE* const memory = std::fopen((stem + "_memory.csv").c_str(), "w");
  if (!whole || memory == nullptr) throw JobError(1, stem + ".csv: cannot be written: " + std::strerror(errno));
  std::fprintf(memory, "rank,key,device,peak_bytes,weights_bytes,arena_bytes,scratch_bytes\n");
  std::fprintf(memory, "%d,\"%s\",%s,%lld,%zu,%zu,%zu\n", rank_, description_.key, description_.device, peak_memory(),
               weights_.floats() * sizeof(float), arena_.bytes(), scratch_.bytes());
  std::fclose(memory);
}

void Job::report() const {
  const long warm_up = options_.warm_up;
  // The clocks of the ranks start together: the last end counts, of the warm-up and of all.
  double mine[2] = {warm_up > 0 ? times_[static_cast<std::size_t>(warm_up - 1)].end : 0, times_.back().end};
  double ends[2] = {};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ireduce(mine, ends, 2, MPI_DOUBLE, MPI_MAX, 0, communicator_, &request);
  wait_asleep(request);
  if (rank_ != 0) return;
  const double seconds = ends[1] - ends[0];
  std::printf("%s: %ld frames on %zu ranks in %.6f s: %.3f frames/s (--comm %s, %ld frames of warm-up)\n",
              program_.model, options_.frames, program_.ranks.size(), seconds,
              static_cast<double>(options_.frames) / seconds, options_.overlap ? "overlap" : "paper", warm_up);
  std::fflush(stdout);
}

}  // namespace spillway::mpi
