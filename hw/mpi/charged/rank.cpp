#include "hw/mpi/runtime/rank.hpp"

#include <cstdio>
#include <exception>
#include <vector>

#include <sys/mman.h>

#include "hw/mpi/charged/job.hpp"

namespace spillway::mpi {
namespace {

/// Addresses of numbers that do not exist: who touches one finds out. They go with the process.
float* addresses(std::size_t floats) {
  if (floats == 0) return nullptr;
  void* const begin =
      ::mmap(nullptr, floats * sizeof(float), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED) throw JobError(1, "the process has no addresses left");
  return static_cast<float*>(begin);
}

void run_rank(const Program& program, int argc, char** argv) {
  const Options options = read_options(argc, argv);
  int size = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (size != static_cast<int>(program.ranks.size()))
    throw JobError(2, "runs in " + std::to_string(size) + " processes; expected " +
                          std::to_string(program.ranks.size()) + ", one for each rank");
  const CostTable costs = read_cost_table(options.packages + "/costs.txt");
  Job job(program, rank, options, costs);
  job.work();
  job.report();
}

}  // namespace

int run(const Program& program, int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int code = 0;
  try {
    run_rank(program, argc, argv);
  } catch (const JobError& error) {
    std::fprintf(stderr, "%s: %s\n", program.model, error.what());
    code = error.code();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program.model, error.what());
    code = 1;
  }
  if (code != 0) MPI_Abort(MPI_COMM_WORLD, code);
  MPI_Finalize();
  return code;
}

void Inbox::expect() {
  job_->exchange.expect(number_, job_->frame());
}

const float* Inbox::wait() {
  return job_->exchange.wait(number_, job_->frame());
}

float* Outbox::reserve() {
  return job_->exchange.reserve(number_, job_->frame());
}

void Outbox::send() {
  job_->exchange.start(number_, job_->frame());
}

void Outbox::send(const float*) {
  job_->exchange.start(number_, job_->frame());
}

int Rank::threads() const {
  return job_->threads();
}

const float* Rank::weights(std::size_t, std::size_t count) const {
  return addresses(count);
}

float* Rank::arena(std::size_t floats) {
  return addresses(floats);
}

void Rank::scratch(std::initializer_list<std::size_t>) {}

int Rank::input(const char*, std::size_t) {
  job_->note_input();
  return 0;
}

int Rank::output(const char*, std::size_t) {
  return 0;
}

Inbox Rank::receive(const char*, int tag, int from, std::size_t elements) {
  Inbox inbox;
  inbox.job_ = job_;
  inbox.number_ = job_->add_receive(tag, from, elements);
  return inbox;
}

Outbox Rank::send(const char*, int tag, std::initializer_list<int> to, std::size_t elements) {
  Outbox outbox;
  outbox.job_ = job_;
  outbox.number_ = job_->add_send(tag, to, elements);
  return outbox;
}

bool Rank::next_frame() {
  return job_->next_frame();
}

const float* Rank::read(int) {
  return nullptr;
}

void Rank::write(int, const float*) {
  job_->note_result();
}

void Rank::layer(int, const char*) {}

kernels::Execution Rank::execution() const {
  return job_->execution();
}

void Rank::finish_frame() {
  job_->finish_frame();
}

}  // namespace spillway::mpi
