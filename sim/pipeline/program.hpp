#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/split/schedule.hpp"
#include "sim/pipeline/machine.hpp"
#include "sim/pipeline/workload.hpp"

namespace spillway::pipeline {

using split::Communication;
using split::Rank;

/// The rank of what belongs to none: an input of the network.
inline constexpr Rank no_rank = static_cast<Rank>(-1);

/// Nanoseconds of each layer on one kind of resource, by NodeId.
struct LayerTimes {
  std::vector<std::uint64_t> alone;
  /// On the resource that makes its input: less than alone where both become one call.
  std::vector<std::uint64_t> behind;
  /// The operand that it stands behind; the node itself where it has none.
  std::vector<models::NodeId> leader;
};

/// Where a rank runs.
struct Placement {
  std::size_t device = 0;
  bool gpu = false;
  std::size_t threads = 1;            ///< cores; of a GPU's rank 1, its host's
  const LayerTimes* times = nullptr;  ///< must outlive the program
};

/// A result on its way from one rank to another, every frame.
struct Message {
  models::NodeId node = 0;
  Rank source = 0, destination = 0;
  std::uint64_t bytes = 0;
  /// Leaves when it is sent and holds nobody up: a standard send (--comm paper) of no more bytes than the eager limit.
  bool eager = false;
};

/// What a rank does for a frame, as split::make_schedule says, in the order of time. Layers that the generated program
/// computes in one call are computed where the last of them stands, as there.
struct Operation {
  enum class Kind : std::uint8_t {
    compute,  ///< occupies the rank's cores or GPU
    call,     ///< the MPI library works: occupies one core
    wait,     ///< until message `first` has arrived
    reserve,  ///< until messages `first` to `last` of `slots` frames ago have been received, but eager ones
    send,     ///< messages `first` to `last`
    write,    ///< a result of the network is there
    finish,   ///< until every message of the rank has been received, but eager ones
  };
  Kind kind = Kind::finish;
  std::uint32_t first = 0, last = 0;
  std::uint64_t duration_ns = 0;  ///< compute, call
  models::NodeId node = 0;        ///< compute: the last of the layers; else the result that is meant
};

struct RankProgram {
  Placement placement;
  std::vector<Operation> operations;
  bool reads = false;  ///< an input of the network: a frame begins where it begins the frame
};

/// What a machine executes.
struct Program {
  std::vector<RankProgram> ranks;
  std::vector<Message> messages;  ///< those of one result behind each other, by destination
  std::size_t slots = 1;          ///< copies of each tensor at each end
  Progress progress = Progress::async;
  bool sleeps = true;      ///< a waiting rank
  std::size_t writes = 0;  ///< results of the network in a frame
};

/// Lowers mappings of one network. Keeps its working storage, so that a search need not allocate for each mapping; not
/// for several threads.
class ProgramMaker {
 public:
  struct Options {
    Communication communication = Communication::overlap;
    bool every_layer = false;  ///< an operation for each layer; otherwise runs of layers become one
    Progress progress = Progress::async;
    bool sleeps = true;  ///< a waiting rank, instead of looking at its messages all the time
  };

  /// Both must outlive the maker.
  ProgramMaker(const Workload& workload, const Machine& machine) : workload_(workload), machine_(machine) {}

  /// The program of a mapping; `rank_of_node` by NodeId, no_rank for the network's inputs. The reference is valid until
  /// the next call.
  const Program& make(std::span<const Rank> rank_of_node, std::span<const Placement> placements,
                      const Options& options);

  /// By NodeId, of the last program: the rank that has the result first. An input belongs to its first reader.
  std::span<const Rank> owners() const { return owner_; }

 private:
  void find_owners(std::span<const Rank> rank_of_node);
  void find_messages(std::span<const Rank> rank_of_node);
  void find_calls();
  models::NodeId call_taking_in(models::NodeId id) const;
  bool can_take_in(models::NodeId call, models::NodeId id) const;
  bool is_made_before(models::NodeId operand, models::NodeId call) const;
  void add_layer(models::NodeId id);
  void add_call(models::NodeId first, models::NodeId last);
  void add_send(models::NodeId id);
  void add_time(Rank rank, Operation::Kind kind, models::NodeId node, std::uint64_t duration_ns);
  std::uint64_t call_ns(const Message& message, bool sends) const;
  std::uint32_t message_to(models::NodeId node, Rank destination) const;

  const Workload& workload_;
  const Machine& machine_;
  Options options_;
  Program program_;
  /// By NodeId.
  struct Call {
    models::NodeId first = 0;  ///< of the layers that the node is computed with
    models::NodeId last = 0;   ///< of first: where the call stands
    // What first has taken in.
    bool normalized = false, added = false, activated = false;
  };

  std::vector<Rank> owner_;
  std::vector<Call> calls_;
  std::vector<std::uint32_t> first_message_;  ///< by NodeId; one entry more
  std::vector<std::uint8_t> received_;        ///< by message: a wait stands in the program
};

}  // namespace spillway::pipeline
