#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/network.hpp"

/// A network cut into sub-models, one for each MPI process (AutoDiCE, section III-C). Any mapping of whole layers will
/// do, also one whose sub-models need each other's results.
namespace spillway::split {

/// Number of an MPI process.
using Rank = std::size_t;

/// What a network is split by.
struct Request {
  std::vector<std::string> keys;                  ///< one for each rank
  std::vector<std::optional<Rank>> rank_of_node;  ///< by NodeId; the network's inputs have none
  std::vector<std::string> tensors;               ///< names of the nodes' results; empty: the names of the nodes
  std::vector<models::NodeId> outputs;            ///< the network's results; empty: what no other node reads
};

/// A result that other ranks need: AutoDiCE's communication buffer.
struct Buffer {
  std::string name;           ///< of the tensor
  models::NodeId node = 0;    ///< whose result it is
  std::int64_t elements = 0;  ///< float32
  Rank source = 0;
  std::vector<Rank> destinations;  ///< ascending
};

/// What one rank computes. Buffers are positions in Split::buffers; everything is in the order of the network.
struct SubModel {
  std::string key;
  std::vector<models::NodeId> layers;
  std::vector<models::NodeId> inputs;   ///< the network's inputs that this rank reads
  std::vector<models::NodeId> outputs;  ///< the network's results that this rank has
  std::vector<std::size_t> receives;
  std::vector<std::size_t> sends;
};

struct Split {
  std::vector<SubModel> ranks;
  std::vector<Buffer> buffers;       ///< in the order of the nodes
  std::vector<std::string> tensors;  ///< by NodeId
  std::vector<Rank> owner;           ///< by NodeId: the rank that has the result first
};

/// A request that contradicts itself or the network: a bug of the caller.
class SplitError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Cuts the network in one pass over its nodes. An input of the network belongs to the rank of its first reader, which
/// passes it on to the others. Throws SplitError.
Split split(const models::Network& network, Request request);

/// The network of one rank, in which what it receives are inputs. Its nodes keep their names; an input is called as the
/// node whose result it is.
models::Network sub_network(const models::Network& network, const Split& split, Rank rank);

/// Ranks for a network that is cut into `parts` runs of consecutive layers, so that the largest part has as few
/// multiply-accumulates as any such cut allows. Each part has at least one layer. Throws SplitError for no parts, or
/// more parts than layers.
std::vector<std::optional<Rank>> balanced_cut(const models::Network& network, std::size_t parts);

}  // namespace spillway::split
