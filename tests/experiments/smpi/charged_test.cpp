#include <cmath>
#include <cstdint>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>

#include "agreement.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/smpi/charged_costs.hpp"
#include "experiments/smpi/temporary_folder.hpp"
#include "hw/mpi/runtime/options.hpp"

namespace spillway::smpi {
namespace {

using pipeline::Communication;
using ::testing::HasSubstr;

/// The library is compiled once.
class ChargedProgram : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(is_installed()) << "smpicxx and smpirun come with Debian's libsimgrid-dev"; }

  const pipeline::ClusterModel cluster{platforms::load_cluster("jetson-xavier-nx8")};
  const TemporaryFolder folder;
};

TEST_F(ChargedProgram, TakesAsLongAsTheSimulatorSays) {
  const ChargedLibrary library(folder.path());
  std::mt19937 random(3);
  const MappedNetwork network("tiny-residual", cluster, 3, Shape::scattered, random);
  for (const Communication communication : {Communication::overlap, Communication::paper}) {
    const Agreement found = agreement_on(network, cluster, library, {communication, 2, 6}, folder.path());
    EXPECT_LE(std::abs(found.error()), 0.01) << network.text();
    ASSERT_EQ(found.charged.frame_done_ns.size(), 8u);
    EXPECT_EQ(found.charged.frame_begin_ns.front(), 0u);
    EXPECT_LE(found.charged.frame_done_ns.back(), found.charged.makespan_ns);
  }
}

TEST_F(ChargedProgram, EndsWithTheReasonWhereALayerHasNoCost) {
  const ChargedLibrary library(folder.path());
  std::mt19937 random(4);
  const MappedNetwork network("tiny-chain", cluster, 2, Shape::contiguous, random);
  network.write_program(folder.path() / "main.cpp");
  library.compile(folder.path() / "main.cpp", folder.path() / "program");
  mpi::CostTable costs = charged_costs(network.deployment(), network.simulated({}), cluster.machine());
  costs.layer_ns.erase(costs.layer_ns.begin());
  try {
    run_charged(folder.path() / "program", costs, network.placements(), cluster.machine(), {}, folder.path());
    FAIL() << "ran without a layer's cost";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("layer 1 has no cost; expected the costs of this split"));
  }
}

TEST(ChargedCosts, AreReadAsTheyAreWritten) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "costs.txt").string();
  const mpi::CostTable costs{10'000, 0.1, 0.2, {{{0, 3}, 12}, {{1, 7}, 123'456'789'012}}};
  std::ofstream(path) << to_text(costs);
  const mpi::CostTable found = mpi::read_cost_table(path);
  EXPECT_EQ(found.message_ns, costs.message_ns);
  EXPECT_EQ(found.send_byte_ns, costs.send_byte_ns);
  EXPECT_EQ(found.receive_byte_ns, costs.receive_byte_ns);
  EXPECT_EQ(found.layer_ns, costs.layer_ns);
}

TEST(ChargedCosts, NameTheLineThatIsNone) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "costs.txt").string();
  for (const char* line : {"layer 0 x 5", "layer 0 1", "send_byte 1 2", "lair 0 1 2", ""}) {
    std::ofstream(path) << "message 1\n" << line << '\n';
    try {
      mpi::read_cost_table(path);
      FAIL() << line;
    } catch (const mpi::JobError& error) {
      EXPECT_EQ(error.what(),
                path + ":2: \"" + line +
                    "\" is no cost; expected message, send_byte, receive_byte or layer with their numbers");
    }
  }
  EXPECT_THROW(mpi::read_cost_table(path + "x"), mpi::JobError);
}

TEST(ChargedCosts, AreThoseOfTheLayersTogether) {
  const pipeline::ClusterModel cluster(platforms::load_cluster("jetson-xavier-nx8"));
  std::mt19937 random(5);
  for (const char* name : {"densenet121", "googlenet", "resnet18", "mobilenet", "squeezenet"}) {
    for (const Shape shape : {Shape::contiguous, Shape::scattered}) {
      const MappedNetwork network(name, cluster, 4, shape, random);
      const pipeline::Program program = network.simulated(Communication::overlap);
      const mpi::CostTable costs = charged_costs(network.deployment(), program, cluster.machine());
      for (split::Rank rank = 0; rank < program.ranks.size(); ++rank) {
        std::uint64_t computed_ns = 0, charged_ns = 0;
        for (const pipeline::Operation& operation : program.ranks[rank].operations)
          if (operation.kind == pipeline::Operation::Kind::compute) computed_ns += operation.duration_ns;
        for (const auto& [which, cost_ns] : costs.layer_ns)
          if (which.first == static_cast<int>(rank)) charged_ns += cost_ns;
        EXPECT_EQ(charged_ns, computed_ns) << network.text() << ", rank " << rank;
      }
    }
  }
}

}  // namespace
}  // namespace spillway::smpi
