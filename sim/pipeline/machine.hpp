#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// Simulators of boards that work as an MPI pipeline (AutoDiCE, section IV).
namespace spillway::pipeline {

/// A connection: a message takes latency + bytes / (its share of the bandwidth).
struct LinkModel {
  double bytes_per_s = 0;
  double latency_s = 0;
};

/// One board, in numbers.
struct DeviceModel {
  std::string name;
  std::size_t cores = 1;
  bool has_gpu = false;
  double memory_bytes = 0;
  double process_bytes = 0;      ///< of a rank before weights and tensors
  double gpu_process_bytes = 0;  ///< more of a rank that uses the GPU
  double idle_w = 0;
  double core_w = 0;      ///< more for each core that computes
  double spin_w = 0;      ///< more for each core that waits busily
  double gpu_w = 0;       ///< more while the GPU computes
  double network_w = 0;   ///< more while the network interface moves data at full speed, each direction
  LinkModel memory_link;  ///< between the ranks of this board
  LinkModel gpu_link;     ///< between the GPU and the board's memory
};

/// When messages move between ranks.
enum class Progress : std::uint8_t {
  async,  ///< all the time, as in SimGrid's SMPI
  calls,  ///< when their ranks call the MPI library, as in Open MPI over TCP
};

/// Boards behind one switch.
struct Machine {
  std::string name;
  std::vector<DeviceModel> devices;
  LinkModel network;              ///< of each board to the switch, each direction; the latency is that of the whole way
  double burst_bytes = 0;         ///< that a board's way to the switch passes at once after a rest (Progress::calls)
  std::uint64_t eager_bytes = 0;  ///< larger messages are agreed upon first (rendezvous)
  double rendezvous_latencies = 1;  ///< latencies that a larger message takes
  double message_s = 0;             ///< time of a core for each message, at each end
  double send_byte_s = 0;           ///< time of a core for each byte that goes to another board
  double receive_byte_s = 0;        ///< time of a core for each byte that comes from another board
};

}  // namespace spillway::pipeline
