#include "models/quantized/range.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace spillway::quantized {
namespace {

TEST(Range, CoversTheShareThatIsAskedFor) {
  RangeObserver observer;
  std::vector<float> numbers;
  for (int i = 1; i <= 10000; ++i)
    numbers.push_back(static_cast<float>(i % 2 == 0 ? i : -i));
  observer.add(numbers);
  EXPECT_EQ(observer.largest(), 10000);
  EXPECT_EQ(observer.covering(1), 10000);
  for (const double share : {0.1, 0.5, 0.9, 0.999}) {
    EXPECT_GE(observer.covering(share), 10000 * share);
    EXPECT_LE(observer.covering(share), 10000 * share * (1 + 1.0 / 128));
  }
}

TEST(Range, CountsApartWhatIsNotFinite) {
  RangeObserver observer;
  observer.add(std::vector<float>{1, NAN, -INFINITY, 2});
  EXPECT_EQ(observer.not_finite(), 2U);
  EXPECT_EQ(observer.count(), 2U);
  EXPECT_EQ(observer.largest(), 2);
}

TEST(Range, OfNothingIsNothing) {
  const RangeObserver observer;
  EXPECT_EQ(observer.covering(1), 0);
}

}  // namespace
}  // namespace spillway::quantized
