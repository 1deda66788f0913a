#include "hw/mpi/charged/job.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>

namespace spillway::mpi {
namespace {

std::map<std::int32_t, std::uint64_t> layers_of(const CostTable& costs, int rank) {
  std::map<std::int32_t, std::uint64_t> layers;
  for (const auto& [which, cost_ns] : costs.layer_ns)
    if (which.first == rank) layers.emplace(which.second, cost_ns);
  return layers;
}

}  // namespace

Job::Job(const Program& program, int rank, const Options& options, const CostTable& costs)
    : processor(program.ranks[static_cast<std::size_t>(rank)].threads, layers_of(costs, rank)),
      exchange(processor, options.overlap ? 2 : 1, program.buffers, options.overlap, options.warm_up + options.frames),
      program_(program),
      rank_(rank),
      description_(program.ranks[static_cast<std::size_t>(rank)]),
      options_(options),
      costs_(costs),
      start_(MPI_Wtime()),
      begins_(static_cast<std::size_t>(total_frames()), std::numeric_limits<double>::max()),
      ends_(static_cast<std::size_t>(total_frames())) {
  if (options.threads > 0) throw JobError(2, "--threads: the costs are those of the mapping's threads");
}

Exchange::Peer Job::peer(int rank, std::size_t floats, double byte_ns) const {
  const bool leaves = std::strcmp(program_.ranks[static_cast<std::size_t>(rank)].device, description_.device) != 0;
  return {rank, costs_.message_ns + (leaves ? byte_ns * static_cast<double>(floats * sizeof(float)) : 0)};
}

std::size_t Job::add_receive(int tag, int from, std::size_t floats) {
  return exchange.add_receive(tag, peer(from, floats, costs_.receive_byte_ns), floats);
}

std::size_t Job::add_send(int tag, const std::vector<int>& to, std::size_t floats) {
  std::vector<Exchange::Peer> peers;
  for (const int rank : to)
    peers.push_back(peer(rank, floats, costs_.send_byte_ns));
  return exchange.add_send(tag, std::move(peers), floats);
}

bool Job::next_frame() {
  if (++frame_ == total_frames()) return false;
  processor.begin_frame();
  if (reads_) begins_[static_cast<std::size_t>(frame_)] = seconds();
  return true;
}

void Job::note_result() {
  ends_[static_cast<std::size_t>(frame_)] = seconds();
}

void Job::finish_frame() {
  if (!options_.overlap || frame_ + 1 == total_frames()) exchange.wait_for_sends();
}

kernels::Execution Job::execution() {
  kernels::Execution execution;
  execution.threads = threads();
  // SMPI moves messages all the time: the calls between blocks have nothing to do, but stand where the real ones do.
  if (options_.overlap) execution.progress = [](void*) {};
  return execution;
}

void Job::work() {
  use_processor(&processor);
  Rank rank(*this);
  description_.run(rank);
  end_ = seconds();
}

void Job::report() const {
  const int frames = static_cast<int>(total_frames());
  std::vector<double> begins(begins_.size()), ends(ends_.size());
  double makespan = 0;
  MPI_Reduce(begins_.data(), begins.data(), frames, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
  MPI_Reduce(ends_.data(), ends.data(), frames, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&end_, &makespan, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank_ != 0) return;
  const std::string path = options_.results + "/run.txt";
  std::FILE* const file = std::fopen(path.c_str(), "w");
  if (file == nullptr) throw JobError(1, path + ": cannot be written: " + std::strerror(errno));
  std::fprintf(file, "makespan %.12f\n", makespan);
  for (std::size_t frame = 0; frame < ends.size(); ++frame)
    std::fprintf(file, "frame %.12f %.12f\n", begins[frame], ends[frame]);
  if (std::fclose(file) != 0) throw JobError(1, path + ": cannot be written: " + std::strerror(errno));
}

}  // namespace spillway::mpi
