// What takes long: large networks, and every model that ONNX itself is tested with.
#include <filesystem>
#include <string>

#include "onnx_round_trip.hpp"
#include <gtest/gtest.h>

#include "models/onnx_reader.hpp"
#include "models/zoo.hpp"

namespace spillway::models {
namespace {

TEST(OnnxFull, EveryNetworkOfTheZooWrittenAndReadBackIsTheSame) {
  for (const std::string_view name : zoo_names()) {
    expect_round_trip(name, false);
    expect_round_trip(name, true);
  }
}

TEST(OnnxFull, EveryNetworkOfTheZooInTheOlderDialectHasTheSameCounts) {
  for (const std::string_view name : zoo_names())
    if (name != "mobilenet-dense-depthwise") expect_older_dialect(name);
}

TEST(OnnxFull, SeededWeightsKeepValuesOfTheOrderOfOne) {
  for (const char* name : {"alexnet", "densenet121", "googlenet", "mobilenet", "resnet18", "resnet101", "vgg19"})
    expect_calibrated(name);
}

TEST(OnnxFull, EveryModelOfOnnxsOwnTestsIsReadOrRefused) {
  const std::filesystem::path data = "/usr/share/libonnx-testdata/data";
  ASSERT_TRUE(std::filesystem::is_directory(data))
      << "the package libonnx-testdata is missing (scripts/install-packages)";
  std::size_t read = 0, refused = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data)) {
    if (entry.path().filename() != "model.onnx") continue;
    try {
      read_onnx_model(entry.path(), {.dimensions = {}, .weights = true});
      ++read;
    } catch (const OnnxError& error) {
      EXPECT_FALSE(error.problems().empty());
      ++refused;
    }
  }
  EXPECT_GE(read, 31U);
  EXPECT_EQ(read + refused, 1072U);
}

}  // namespace
}  // namespace spillway::models
