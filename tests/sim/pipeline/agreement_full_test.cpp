#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "agreement.hpp"
#include <gtest/gtest.h>

namespace spillway::pipeline {
namespace {

TEST(PipelineDriversFull, AgreeOnAThousandMappings) {
  std::vector<Agreement> found = agreements(1000, 2);
  std::ranges::sort(found, std::ranges::greater{}, [](const Agreement& each) { return std::abs(each.error()); });
  std::printf(
      "virtual clock against SimGrid, %zu mappings: makespan within %.2f %% at the median, %.2f %% at the 99th "
      "percentile, rank correlation %.5f; the worst:\n",
      found.size(), 100 * error_quantile(found, 0.5), 100 * error_quantile(found, 0.99), rank_correlation(found));
  for (std::size_t i = 0; i < 5; ++i)
    std::printf("  %+.2f %%  %s\n", 100 * found[i].error(), found[i].mapping.c_str());
  EXPECT_LE(error_quantile(found, 0.5), 0.02);
  EXPECT_LE(error_quantile(found, 0.99), 0.05);
  EXPECT_GE(rank_correlation(found), 0.99);
}

}  // namespace
}  // namespace spillway::pipeline
