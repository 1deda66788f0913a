#include "experiments/explore/space.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace spillway::explore {
namespace {

using models::NodeId;
using models::Operator;

/// What is taken while a mapping is made.
class Occupation {
 public:
  explicit Occupation(const Space& space) : space_(space), used_(space.devices()) {}

  /// Takes a resource if it is free.
  std::optional<Segment> take(std::size_t device, Kind kind) {
    if (!space_.allows(device, kind)) return std::nullopt;
    Used& used = used_[device];
    const int cores = space_.cluster().computer(device).cores;
    switch (kind) {
      case Kind::gpu:
        // The host thread needs a core that no one-core segment has.
        if (used.gpu || used.one_core == cores) return std::nullopt;
        used.gpu = true;
        return Segment{0, 0, device, kind, 0};
      case Kind::all_cores:
        if (used.all_cores || used.one_core > 0) return std::nullopt;
        used.all_cores = true;
        return Segment{0, 0, device, kind, 0};
      case Kind::one_core:
        if (used.all_cores || used.one_core + (used.gpu ? 1 : 0) >= cores) return std::nullopt;
        return Segment{0, 0, device, kind, used.one_core++};
    }
    return std::nullopt;
  }

 private:
  struct Used {
    bool gpu = false, all_cores = false;
    int one_core = 0;
  };

  const Space& space_;
  std::vector<Used> used_;
};

}  // namespace

Space::Space(const models::Network& network, const pipeline::ClusterModel& cluster, const Options& options)
    : network_(network), cluster_(cluster), devices_(options.devices), kinds_(options.kinds), cuts_(options.cuts) {
  for (NodeId id = 0; id < network.nodes().size(); ++id)
    if (network.node(id).op != Operator::input) layers_.push_back(id);
  const std::size_t all = cluster.machine().devices.size();
  if (devices_ == 0) devices_ = all;
  if (devices_ > all) throw std::invalid_argument(fmt::format("{} devices of a cluster that has {}", devices_, all));
  if (kinds_.empty()) kinds_ = {Kind::gpu, Kind::all_cores, Kind::one_core};
  if (cuts_.empty())
    for (std::size_t position = 1; position < layers_.size(); ++position)
      cuts_.push_back(position);
  cuts_.insert(cuts_.begin(), 0);
  cuts_.push_back(layers_.size());

  std::size_t resources = 0;
  for (std::size_t device = 0; device < devices_; ++device)
    for (const Kind kind : kinds_)
      resources += allows(device, kind) ? 1 : 0;
  if (resources == 0) throw std::invalid_argument("no device has what segments may run on");
  segments_ = std::min(resources, cuts_.size() - 1);
}

bool Space::allows(std::size_t device, Kind kind) const {
  return std::ranges::find(kinds_, kind) != kinds_.end() && (kind != Kind::gpu || cluster_.computer(device).gpu);
}

int Space::highest(std::size_t gene) const {
  return static_cast<int>(gene < segments_ - 1 ? cuts_.size() - 1 : devices_ * kinds - 1);
}

std::size_t Space::place_of(std::size_t gene) const {
  return cuts_[std::min(gene, cuts_.size() - 1)];
}

Mapping Space::repaired(std::span<const int> genes) const {
  std::vector<std::size_t> cuts;
  for (std::size_t i = 0; i + 1 < segments_; ++i)
    cuts.push_back(place_of(static_cast<std::size_t>(genes[i])));
  std::ranges::sort(cuts);
  cuts.push_back(layers_.size());

  Mapping mapping;
  Occupation occupation(*this);
  std::size_t begin = 0, last_gene = 0;
  for (std::size_t i = 0; i < segments_; ++i) {
    const std::size_t end = cuts[i];
    if (end == begin) continue;
    const auto gene = static_cast<std::size_t>(genes[segments_ - 1 + i]);
    const bool joins = !mapping.empty() && gene == last_gene && static_cast<Kind>(gene % kinds) != Kind::one_core;
    std::optional<Segment> segment;
    for (std::size_t step = 0; !joins && !segment && step < devices_ * kinds; ++step) {
      const std::size_t resource = (gene + step) % (devices_ * kinds);
      segment = occupation.take(resource / kinds, static_cast<Kind>(resource % kinds));
    }
    if (segment) {
      segment->begin = begin;
      mapping.push_back(*segment);
    }
    mapping.back().end = end;
    last_gene = gene;
    begin = end;
  }
  return mapping;
}

Genes Space::genes_of(const Mapping& mapping) const {
  Genes genes(this->genes());
  for (std::size_t i = 0; i < segments_; ++i) {
    const Segment& segment = mapping[std::min(i, mapping.size() - 1)];
    const auto place = std::ranges::lower_bound(cuts_, segment.end);
    if (i + 1 < segments_) genes[i] = static_cast<int>(place - cuts_.begin());
    genes[segments_ - 1 + i] = static_cast<int>(segment.device * kinds + static_cast<std::size_t>(segment.kind));
  }
  return genes;
}

platforms::Resource Space::resource_of(const Segment& segment) const {
  const std::vector<int>& cores = cluster_.cluster().devices[segment.device].cores;
  platforms::Resource resource{segment.device, segment.kind == Kind::gpu, {}};
  if (segment.kind == Kind::all_cores) resource.cores = cores;
  if (segment.kind == Kind::one_core) resource.cores = {cores[static_cast<std::size_t>(segment.core)]};
  return resource;
}

std::string Space::describe(const Mapping& mapping) const {
  std::string text;
  for (const Segment& segment : mapping)
    text += fmt::format("{}{} {}-{}", text.empty() ? "" : ", ",
                        platforms::key_of(resource_of(segment), cluster_.cluster().devices), segment.begin,
                        segment.end - 1);
  return text;
}

std::string Space::mapping_json(const Mapping& mapping) const {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const Segment& segment : mapping) {
    nlohmann::ordered_json& names = json[platforms::key_of(resource_of(segment), cluster_.cluster().devices)];
    for (std::size_t position = segment.begin; position < segment.end; ++position)
      names.push_back(network_.node(layers_[position]).name);
  }
  return json.dump(2) + "\n";
}

}  // namespace spillway::explore
