// What a message between two processes costs, as a cluster's file asks for it. Prints one line of JSON:
//   latency_s       one way, a message of 8 bytes
//   bandwidth       bytes/s of messages of 16 MiB, one after the other
//   rendezvous_s    one way, a message of 128 KiB less its time at that bandwidth
//   overhead_s      time of a core for a small message, both ends together, halved
//   send_bandwidth, receive_bandwidth
//                   bytes/s by the time that a core loses which computes meanwhile
//
//   mpirun -n 2 ping_pong
#include <algorithm>
#include <cstdio>
#include <vector>

#include <mpi.h>
#include <sys/resource.h>
#include <unistd.h>

namespace {

constexpr int small_bytes = 8, middle_bytes = 128 * 1024, large_bytes = 16 * 1024 * 1024;

double core_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

/// Waits as the generated program does: asleep between two looks.
void wait(MPI_Request request) {
  for (int done = 0, looks = 0; done == 0; ++looks) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done == 0 && looks >= 8) usleep(50);
  }
}

struct Cost {
  double way_s = 0;   ///< one message
  double core_s = 0;  ///< of this process, for one message
};

/// Work that a core does between two looks at its messages.
void compute() {
  constexpr int steps = 100'000;
  volatile double sum = 0;
  for (int i = 0; i < steps; ++i)
    sum = sum + 1.0;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

/// Seconds that a process loses which computes while one large message leaves it (or arrives), and the other process
/// sleeps. A loss is what the computing takes longer than without messages, interrupts included.
double lost_seconds(int rank, bool sends) {
  std::vector<char> buffer(large_bytes);
  constexpr int rounds = 9, alone = 200;
  std::vector<double> losses;
  for (int round = 0; round < rounds; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    const bool sender = (rank == 0) == sends;
    double step_s = 0;
    if (rank == 0) {
      const double begin = MPI_Wtime();
      for (int i = 0; i < alone; ++i)
        compute();
      step_s = (MPI_Wtime() - begin) / alone;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Request request = MPI_REQUEST_NULL;
    if (sender)
      MPI_Issend(buffer.data(), large_bytes, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD, &request);
    else
      MPI_Irecv(buffer.data(), large_bytes, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD, &request);
    if (rank != 0) {
      wait(request);
      continue;
    }
    int done = 0;
    long steps = 0;
    const double begin = MPI_Wtime();
    for (; done == 0; ++steps) {
      compute();
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    losses.push_back(MPI_Wtime() - begin - static_cast<double>(steps) * step_s);
  }
  return losses.empty() ? 0 : median(losses);
}

/// Messages to and fro; the fastest round counts, and the core's time of all.
Cost exchange(int rank, int bytes, int rounds, bool asleep) {
  std::vector<char> buffer(static_cast<std::size_t>(bytes));
  const int other = 1 - rank;
  double fastest = 1e9;
  const double core_begin = core_seconds();
  for (int round = 0; round < rounds; ++round) {
    const double begin = MPI_Wtime();
    for (int turn = 0; turn < 2; ++turn) {
      MPI_Request request = MPI_REQUEST_NULL;
      if (turn == rank)
        MPI_Issend(buffer.data(), bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD, &request);
      else
        MPI_Irecv(buffer.data(), bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD, &request);
      if (asleep)
        wait(request);
      else
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    fastest = std::min(fastest, MPI_Wtime() - begin);
  }
  return {fastest / 2, (core_seconds() - core_begin) / (2 * rounds)};
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, processes = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  if (processes != 2) {
    if (rank == 0) std::fprintf(stderr, "ping_pong: runs in %d processes; expected 2\n", processes);
    MPI_Finalize();
    return 2;
  }
  exchange(rank, middle_bytes, 10, false);  // connections are made at the first message
  const Cost small = exchange(rank, small_bytes, 400, false);
  const Cost middle = exchange(rank, middle_bytes, 100, false);
  const Cost large = exchange(rank, large_bytes, 8, false);
  const Cost asleep_small = exchange(rank, small_bytes, 200, true);
  const double lost_sending = lost_seconds(rank, true), lost_receiving = lost_seconds(rank, false);
  double most = 0;
  MPI_Reduce(&asleep_small.core_s, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    const double bandwidth = large_bytes / large.way_s;
    std::printf(
        "{\"latency_s\": %.9f, \"bandwidth\": %.1f, \"rendezvous_s\": %.9f, \"overhead_s\": %.9f, "
        "\"send_bandwidth\": %.1f, \"receive_bandwidth\": %.1f}\n",
        small.way_s, bandwidth, middle.way_s - middle_bytes / bandwidth, most, large_bytes / lost_sending,
        large_bytes / lost_receiving);
  }
  MPI_Finalize();
  return 0;
}
