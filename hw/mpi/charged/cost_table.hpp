#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

/// What the charged library's calls cost, as a file.
namespace spillway::mpi {

/// Simulated times of one split on its devices. The file has a line for each entry:
///
///     message NANOSECONDS             of a core for each message, at each end
///     send_byte NANOSECONDS           more for each byte of a message to another device
///     receive_byte NANOSECONDS        more for each byte of a message from another device
///     layer RANK LAYER NANOSECONDS    of a call of this layer on the rank's resource
struct CostTable {
  double message_ns = 0;
  double send_byte_ns = 0;
  double receive_byte_ns = 0;
  std::map<std::pair<int, std::int32_t>, std::uint64_t> layer_ns;  ///< by rank and layer id
};

/// The file's content.
std::string to_text(const CostTable& table);

/// Throws JobError with code 2: no such file, or a line that is none of the above.
CostTable read_cost_table(const std::string& path);

}  // namespace spillway::mpi
