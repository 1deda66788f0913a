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
      {"autodice-fitted",
       {"gpu-over-cpu-throughput-fitted", "gpu-over-cpu-energy-fitted", "point-a-throughput-gpu-fitted",
        "point-a-energy-gpu-fitted", "point-a-memory-gpu-fitted", "point-a-throughput-cpu-fitted",
        "point-a-energy-cpu-fitted", "point-a-memory-cpu-fitted", "point-a-power-fitted",
        "densenet121-up-to-four-fitted", "resnet101-up-to-four-fitted", "vgg19-up-to-four-fitted",
        "densenet121-slower-at-eight-fitted", "resnet101-slower-at-eight-fitted", "vgg19-slower-at-eight-fitted",
        "resnet101-energy-at-eight-fitted", "resnet101-memory-at-eight-fitted"}},
  };
  for (const auto& [name, ids] : stated) {
    std::set<std::string> known;
    for (const Target& target : load_experiment(name).published)
      known.insert(target.id);
    for (const std::string& id : ids)
      EXPECT_TRUE(known.contains(id)) << name << ": " << id;
  }
}

/// Each statement stands beside itself without the fit; what is fitted or follows from the fit judges nothing.
TEST(AutoDice, StatementsBeforeAndAfterTheFit) {
  const Experiment fitted = load_experiment("autodice-fitted");
  std::set<std::string> implied;
  for (std::size_t i = 0; i < fitted.published.size(); i += 2) {
    const Target &before = fitted.published[i], &after = fitted.published.at(i + 1);
    const std::string statement = before.id.substr(0, before.id.rfind('-'));
    EXPECT_EQ(before.id, statement + "-unfitted");
    EXPECT_EQ(after.id, statement + "-fitted");
    EXPECT_EQ(before.source, after.source) << statement;
    EXPECT_EQ(before.value, after.value) << statement;
    EXPECT_TRUE(before.fitted.empty()) << statement;
    if (!after.fitted.empty()) implied.insert(statement);
  }
  EXPECT_EQ(implied, (std::set<std::string>{"gpu-over-cpu-throughput", "gpu-over-cpu-energy", "point-a-throughput-cpu",
                                            "point-a-energy-cpu"}));
}

}  // namespace
}  // namespace spillway::experiments
