#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <random>

#include "charged_runs.hpp"
#include <gtest/gtest.h>

namespace spillway::smpi {
namespace {

TEST(ChargedProgramFull, TakesAsLongAsTheSimulatorSays) {
  if (!is_installed()) GTEST_SKIP() << "smpicxx and smpirun are not installed";
  constexpr std::array networks = {"densenet121", "resnet101", "vgg19", "googlenet"};
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "charged_full_test";
  std::filesystem::create_directories(folder);
  ChargedRuns runs(folder);
  std::mt19937 random(7);
  std::printf("smpirun, s  simulator, s  error, %%  mapping\n");
  for (std::size_t i = 0; i < 32; ++i) {
    ChargedOptions options;
    options.communication = i % 2 == 0 ? pipeline::Communication::overlap : pipeline::Communication::paper;
    const Shape shape = i / 8 % 2 == 0 ? Shape::contiguous : Shape::scattered;
    const ChargedRun run = runs(networks[i / 2 % 4], 2 + i % 7, shape, options, random);
    std::printf("%10.6f  %12.6f  %+8.4f  %s\n", static_cast<double>(run.charged.makespan_ns) * 1e-9,
                static_cast<double>(run.simulated.makespan_ns) * 1e-9, 100 * run.error(), run.mapping.c_str());
    std::fflush(stdout);
    EXPECT_LE(std::abs(run.error()), 0.01) << run.mapping;
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace spillway::smpi
