#include "experiments/explore/space.hpp"

#include <map>
#include <random>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/mpi/assignment.hpp"
#include "models/zoo.hpp"
#include "platforms/cluster.hpp"
#include "platforms/mapping.hpp"

namespace spillway::explore {
namespace {

class SpaceTest : public testing::Test {
 protected:
  Genes random_genes(const Space& space) {
    Genes genes;
    for (std::size_t gene = 0; gene < space.genes(); ++gene)
      genes.push_back(std::uniform_int_distribution<int>(0, space.highest(gene))(random_));
    return genes;
  }

  const models::Network network_ = *models::zoo("squeezenet");
  const pipeline::ClusterModel cluster_{platforms::load_cluster("jetson-xavier-nx8")};
  std::mt19937 random_{3};
};

TEST_F(SpaceTest, EveryGeneStandsForAMappingThatCanBe) {
  const Space space(network_, cluster_, {});
  EXPECT_EQ(space.segments(), 24u);
  EXPECT_EQ(space.genes(), 47u);
  for (int i = 0; i < 500; ++i) {
    const Mapping mapping = space.repaired(random_genes(space));
    std::size_t begin = 0;
    std::map<std::size_t, std::set<int>> cores;
    std::map<std::size_t, std::size_t> gpus;
    for (const Segment& segment : mapping) {
      ASSERT_EQ(segment.begin, begin);
      ASSERT_LT(segment.begin, segment.end);
      begin = segment.end;
      if (segment.kind == Kind::gpu) ++gpus[segment.device];
      ASSERT_LE(gpus[segment.device], 1u);
      for (const int core : space.resource_of(segment).cores)
        ASSERT_TRUE(cores[segment.device].insert(core).second) << space.describe(mapping);
    }
    ASSERT_EQ(begin, space.layers().size());
    // A GPU's host thread has a core that no one-core segment has.
    for (const Segment& segment : mapping) {
      if (segment.kind == Kind::one_core && gpus[segment.device] > 0) {
        ASSERT_LE(cores[segment.device].size(), 5u) << space.describe(mapping);
      }
    }
  }
}

TEST_F(SpaceTest, GenesOfAMappingGiveItBack) {
  const Space space(network_, cluster_, {});
  for (int i = 0; i < 500; ++i) {
    const Mapping mapping = space.repaired(random_genes(space));
    ASSERT_EQ(space.repaired(space.genes_of(mapping)), mapping) << space.describe(mapping);
  }
}

TEST_F(SpaceTest, SplitTakesItsMappings) {
  const Space space(network_, cluster_, {});
  for (int i = 0; i < 50; ++i) {
    const Mapping mapping = space.repaired(random_genes(space));
    const platforms::Mapping read =
        platforms::parse_mapping(space.mapping_json(mapping), "mapping.json", cluster_.cluster().devices);
    const mpi::Assignment assignment = mpi::assign(read, mpi::named_layers(network_), network_);
    for (std::size_t rank = 0; rank < mapping.size(); ++rank)
      for (std::size_t position = mapping[rank].begin; position < mapping[rank].end; ++position)
        ASSERT_EQ(assignment.rank_of_node[space.layers()[position]], rank);
  }
}

TEST_F(SpaceTest, KeepsToTheDevicesResourcesAndCutsAskedFor) {
  const Space space(network_, cluster_, {3, {Kind::gpu}, {5, 20, 40}});
  EXPECT_EQ(space.segments(), 3u);
  std::set<std::size_t> begins;
  for (int i = 0; i < 300; ++i) {
    for (const Segment& segment : space.repaired(random_genes(space))) {
      ASSERT_EQ(segment.kind, Kind::gpu);
      ASSERT_LT(segment.device, 3u);
      begins.insert(segment.begin);
    }
  }
  EXPECT_THAT(begins, testing::ElementsAre(0, 5, 20, 40));
  EXPECT_THROW(Space(network_, cluster_, {9, {}, {}}), std::invalid_argument);
}

}  // namespace
}  // namespace spillway::explore
