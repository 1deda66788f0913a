#include <algorithm>
#include <numeric>

#include "experiments/explore/search.hpp"

namespace spillway::explore {
namespace {

/// Cuts a list of times into runs, so that the largest sum is as small as any such cut allows: positions behind the
/// runs. May need fewer runs than `parts`.
std::vector<std::size_t> balanced(const std::vector<double>& seconds, std::size_t parts) {
  const auto runs_for = [&](double most) {
    std::vector<std::size_t> ends;
    double sum = 0;
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      if (sum + seconds[i] > most && sum > 0) {
        ends.push_back(i);
        sum = 0;
      }
      sum += seconds[i];
    }
    ends.push_back(seconds.size());
    return ends;
  };
  double low = *std::ranges::max_element(seconds), high = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  constexpr int halvings = 60;
  for (int i = 0; i < halvings; ++i) {
    const double middle = (low + high) / 2;
    (runs_for(middle).size() <= parts ? high : low) = middle;
  }
  return runs_for(high);
}

}  // namespace

std::vector<Mapping> seed_mappings(const Space& space, Evaluator& evaluator) {
  std::vector<Mapping> seeds;
  for (const Kind kind : {Kind::gpu, Kind::all_cores, Kind::one_core}) {
    if (!space.allows(0, kind)) continue;
    const std::vector<double> seconds = evaluator.layer_seconds(0, kind);
    for (std::size_t devices = 1; devices <= space.devices() && devices <= seconds.size(); ++devices) {
      if (!space.allows(devices - 1, kind)) break;
      Mapping mapping;
      std::size_t begin = 0;
      for (const std::size_t end : balanced(seconds, devices)) {
        mapping.push_back({begin, end, mapping.size(), kind, 0});
        begin = end;
      }
      // Where cuts are restricted, genes express the nearest mapping.
      mapping = space.repaired(space.genes_of(mapping));
      if (std::ranges::find(seeds, mapping) == seeds.end()) seeds.push_back(std::move(mapping));
    }
  }
  return seeds;
}

}  // namespace spillway::explore
