#include <map>
#include <set>

#include <gtest/gtest.h>

#include "experiments/experiment.hpp"

namespace spillway::experiments {
namespace {

/// What AutoDiCE states, by the experiment and the id of its row: nothing of it may get lost.
TEST(AutoDice, EveryPublishedStatementHasItsRow) {
  const std::map<std::string, std::vector<std::string>> stated = {
      {"autodice-table2",
       {"point-a-throughput-cpu", "point-a-throughput-gpu", "point-a-energy-cpu", "point-a-energy-gpu",
        "point-a-memory-cpu", "point-a-memory-gpu", "point-b-memory-cpu", "point-a-efficiency", "point-a-power",
        "gpu-over-cpu-throughput", "gpu-over-cpu-energy", "gpu-over-cpu-power", "gpu-over-cpu-memory",
        "best-single-device"}},
      {"autodice-fig5",
       {"densenet121-up-to-four", "resnet101-up-to-four", "vgg19-up-to-four", "densenet121-slower-at-eight",
        "resnet101-slower-at-eight", "vgg19-slower-at-eight", "densenet121-slower-at-eight-own-search",
        "resnet101-slower-at-eight-own-search", "vgg19-slower-at-eight-own-search", "resnet101-energy-at-eight",
        "resnet101-memory-at-eight", "energy-falls-with-devices", "memory-falls-with-devices"}},
      {"autodice-devices",
       {"densenet121-slower-at-eight", "resnet101-slower-at-eight", "vgg19-slower-at-eight", "exact-slower-at-eight"}},
  };
  for (const auto& [name, ids] : stated) {
    std::set<std::string> known;
    for (const Target& target : load_experiment(name).published)
      known.insert(target.id);
    for (const std::string& id : ids)
      EXPECT_TRUE(known.contains(id)) << name << ": " << id;
  }
}

}  // namespace
}  // namespace spillway::experiments
