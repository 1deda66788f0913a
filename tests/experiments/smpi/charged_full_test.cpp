#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <random>

#include "agreement.hpp"
#include <gtest/gtest.h>

#include "experiments/smpi/temporary_folder.hpp"

namespace spillway::smpi {
namespace {

using pipeline::Communication;

/// 40 mappings of four networks: two to eight ranks, GPUs among them, both modes.
TEST(ChargedProgramFull, TakesAsLongAsTheSimulatorSays) {
  ASSERT_TRUE(is_installed()) << "smpicxx and smpirun come with Debian's libsimgrid-dev";
  constexpr std::array networks = {"densenet121", "resnet101", "vgg19", "googlenet"};
  const pipeline::ClusterModel cluster(platforms::load_cluster("jetson-xavier-nx8"));
  const TemporaryFolder folder;
  const ChargedLibrary library(folder.path());
  std::mt19937 random(7);
  double largest = 0;
  std::printf("smpirun, s  simulator, s  error, %%  --comm   mapping\n");
  for (std::size_t i = 0; i < 40; ++i) {
    const Communication communication = i % 2 == 0 ? Communication::overlap : Communication::paper;
    const Shape shape = i / 8 % 2 == 0 ? Shape::contiguous : Shape::scattered;
    const MappedNetwork network(networks[i / 2 % networks.size()], cluster, 2 + i % 7, shape, random);
    const Agreement found = agreement_on(network, cluster, library, {communication, 4, 20}, folder.path());
    std::printf("%10.6f  %12.6f  %+8.4f  %-7s  %s\n", static_cast<double>(found.charged.makespan_ns) * 1e-9,
                static_cast<double>(found.simulated.makespan_ns) * 1e-9, 100 * found.error(),
                communication == Communication::paper ? "paper" : "overlap", network.text().c_str());
    std::fflush(stdout);
    EXPECT_LE(std::abs(found.error()), 0.01) << network.text();
    largest = std::max(largest, std::abs(found.error()));
  }
  std::printf("the largest error is %.4f %%\n", 100 * largest);
}

}  // namespace
}  // namespace spillway::smpi
