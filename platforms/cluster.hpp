#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/devices.hpp"
#include "platforms/figure.hpp"

namespace spillway::platforms {

/// Some boards of one kind within a cluster.
struct ClusterMembers {
  std::string board;  ///< name of a board
  std::size_t count = 0;
};

/// What an MPI message costs beside the way through the switch.
struct MessageCosts {
  Figure eager_limit;           ///< bytes; sender and receiver agree upon a larger message first (rendezvous)
  Figure rendezvous_latencies;  ///< ratio: latencies that a larger message takes
  Figure overhead;              ///< s of a core for each message, at each end
  Figure send_bandwidth;        ///< bytes/s at which a core passes a message to the network
  Figure receive_bandwidth;     ///< bytes/s at which a core takes a message from the network
  Figure local_latency;         ///< s between two processes of one board
  Figure local_bandwidth;       ///< bytes/s between two processes of one board
};

/// Boards and devices behind one switch; each has one full-duplex link to it.
struct Cluster {
  std::string name;  ///< file name without .yaml
  std::string description;
  std::vector<ClusterMembers> members;
  std::vector<Device> devices;           ///< those that run an operating system and take part in an MPI job
  Figure link_bandwidth;                 ///< bytes/s of payload, each direction
  Figure link_latency;                   ///< s from board to board, through the switch
  Figure link_burst;                     ///< bytes that a link passes at once after a rest (token bucket); may be 0
  std::optional<MessageCosts> messages;  ///< what a simulation of MPI needs
};

/// Reads a cluster by the name of a file in platforms/clusters, or by a path.
/// Throws InputError with every problem of the file: a board that does not exist, a device that is given twice, neither
/// boards nor devices. A device that names a board has its architecture, cores and GPU from there.
Cluster load_cluster(std::string_view name_or_path);

/// The same from text; `file` stands for the file in errors and gives the cluster its name.
Cluster parse_cluster(std::string_view yaml, const std::string& file);

/// The names that load_cluster knows, sorted.
std::vector<std::string> cluster_names();

}  // namespace spillway::platforms
