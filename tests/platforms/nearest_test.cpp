#include "platforms/nearest.hpp"

#include <gtest/gtest.h>

namespace spillway::platforms {
namespace {

const std::vector<std::string> networks = {"alexnet", "mobilenet", "resnet18", "resnet50", "vgg16", "vgg19"};

TEST(Nearest, OneSlip) {
  EXPECT_EQ(nearest("mobilnet", networks), "mobilenet");
  EXPECT_EQ(nearest("vgg61", networks), "vgg16");
  EXPECT_EQ(nearest("VGG16", networks), "vgg16");
  EXPECT_EQ(nearest("resnet5", networks), "resnet50");
}

TEST(Nearest, TiesGoToTheFirst) {
  EXPECT_EQ(nearest("vgg1", networks), "vgg16");
}

TEST(Nearest, NonsenseGetsNone) {
  EXPECT_EQ(nearest("transformer", networks), std::nullopt);
  EXPECT_EQ(nearest("", networks), std::nullopt);
  EXPECT_EQ(nearest("q", {"B", "kB"}), std::nullopt);
  EXPECT_EQ(nearest("anything", {}), std::nullopt);
  EXPECT_EQ(nearest(std::string(100'000, 'v'), networks), std::nullopt);
}

TEST(Nearest, CaseCostsLessThanALetter) {
  EXPECT_EQ(nearest("mw", {"kW", "mW", "MW"}), "mW");
}

TEST(Nearest, BeginningOfALongName) {
  EXPECT_EQ(nearest("stm32f", {"swapnn-paper", "stm32f746g-disco"}), "stm32f746g-disco");
  EXPECT_EQ(nearest("st", {"stm32f746g-disco"}), std::nullopt);
  EXPECT_EQ(nearest("stm32f746g", {"stm32h743", "stm32f746g-disco"}), "stm32f746g-disco") << "though three edits away";
  EXPECT_EQ(nearest("net", {"net-of-nets", "nets"}), "nets") << "the nearest of several";
  EXPECT_EQ(nearest("alexnet", {"alexnet-ungrouped", "AlexNet"}), "AlexNet") << "but for its case the whole name";
}

TEST(Nearest, TextForErrors) {
  EXPECT_EQ(did_you_mean("vgg15", networks), "; did you mean \"vgg16\"?");
  EXPECT_EQ(did_you_mean("bert", networks), "");
}

}  // namespace
}  // namespace spillway::platforms
