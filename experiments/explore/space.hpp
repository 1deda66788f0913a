#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/network.hpp"
#include "platforms/resource.hpp"
#include "sim/pipeline/machine_of.hpp"

/// Design-space exploration: which mappings of a network onto a cluster are worth having (AutoDiCE, section IV-B).
namespace spillway::explore {

/// What a segment of a network may run on.
enum class Kind : std::uint8_t { gpu, all_cores, one_core };
inline constexpr std::size_t kinds = 3;

/// A run of consecutive layers on one resource.
struct Segment {
  std::size_t begin = 0, end = 0;  ///< positions in Space::layers()
  std::size_t device = 0;
  Kind kind = Kind::all_cores;
  int core = 0;  ///< one_core: which

  friend bool operator==(const Segment&, const Segment&) = default;
};

/// A mapping that can be: every layer has a segment, no two segments share cores or a GPU.
using Mapping = std::vector<Segment>;

/// Cut positions, then a resource for each segment.
using Genes = std::vector<int>;

/// The mappings of one network onto one cluster. A device holds one segment on all its cores or some of one core each,
/// and one on its GPU, whose host thread takes a core: beside one-core segments one that nobody else has, beside a
/// segment on all cores one that both share, which the simulation does not charge.
class Space {
 public:
  struct Options {
    std::size_t devices = 0;        ///< the first ones of the cluster; 0: all
    std::vector<Kind> kinds;        ///< what segments may run on; empty: all
    std::vector<std::size_t> cuts;  ///< positions where the network may be cut; empty: behind every layer
  };

  /// All must outlive the space. Throws std::invalid_argument: more devices than the cluster has, a GPU alone where no
  /// device has one.
  Space(const models::Network& network, const pipeline::ClusterModel& cluster, const Options& options);

  const std::vector<models::NodeId>& layers() const { return layers_; }
  std::size_t devices() const { return devices_; }
  /// Whether segments may run on that.
  bool allows(std::size_t device, Kind kind) const;

  /// Cut genes: one less than segments, each from 0 to the number of places to cut. Resource genes: segments.
  std::size_t segments() const { return segments_; }
  std::size_t genes() const { return 2 * segments_ - 1; }
  /// The largest value of a gene; the least is 0.
  int highest(std::size_t gene) const;

  /// The mapping that genes stand for. Segments without layers fall away; a segment on the GPU or all cores that the
  /// one before it has becomes a part of that, one on a core of the same device gets another core; one whose resource
  /// is taken gets the next free one, or joins the one before it.
  Mapping repaired(std::span<const int> genes) const;

  /// Genes of a mapping, so that repaired() gives it back.
  Genes genes_of(const Mapping& mapping) const;

  /// The mapping in a line, the same for equal mappings: `nx01_gpu 0-41, nx02_arm:0 42-60`.
  std::string describe(const Mapping& mapping) const;

  /// The resource of a segment, as keys of a mapping name it.
  platforms::Resource resource_of(const Segment& segment) const;

  /// `mapping.json` as split takes it.
  std::string mapping_json(const Mapping& mapping) const;

  const models::Network& network() const { return network_; }
  const pipeline::ClusterModel& cluster() const { return cluster_; }

 private:
  std::size_t place_of(std::size_t gene) const;

  const models::Network& network_;
  const pipeline::ClusterModel& cluster_;
  std::vector<models::NodeId> layers_;
  std::size_t devices_ = 0;
  std::vector<Kind> kinds_;
  std::vector<std::size_t> cuts_;  ///< ascending positions; the first is 0, the last the number of layers
  std::size_t segments_ = 0;
};

}  // namespace spillway::explore
