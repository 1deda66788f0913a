#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/paths/paths.hpp"

namespace spillway::cli_test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string classifier = paths::source("tests/models/data/fmnist_vggmini.onnx");
const std::string images = paths::source("tests/models/data/fmnist_x200.f32");

TEST(Infer, ClassifiesTheFramesOfAFile) {
  const Folder folder;
  const Call call = spillway({"infer", classifier, "--input", images, "--output", folder / "logits.f32", "--top", "1"});
  ASSERT_EQ(call.exit_code, 0) << call.err;
  EXPECT_THAT(call.out, AllOf(StartsWith("fmnist_vggmini: "), HasSubstr("frame 0     /c/c.4/Gemm  9: 13.99"),
                              HasSubstr("frame 2     /c/c.4/Gemm  1: 14.34"), HasSubstr("median of 200")));
  EXPECT_EQ(contents(folder / "logits.f32").size(), 200U * 10 * 4);
}

TEST(Infer, GivesTheSameBitsForAnyThreadsWithEigen) {
  const Folder folder;
  std::vector<std::string> outputs;
  for (const char* threads : {"1", "2", "5"}) {
    const Call call = spillway({"infer", "tiny-residual", "--backend", "eigen", "--threads", threads, "--seed", "3",
                                "--output", folder / threads});
    ASSERT_EQ(call.exit_code, 0) << call.err;
    outputs.push_back(contents(folder / threads));
  }
  EXPECT_EQ(outputs[0].size(), 40U);
  EXPECT_EQ(outputs[1], outputs[0]);
  EXPECT_EQ(outputs[2], outputs[0]);
}

TEST(Infer, ProfilesEachLayer) {
  const Call call = spillway("infer tiny-depthwise --profile --frames 3 --warm-up 1 --backend eigen");
  ASSERT_EQ(call.exit_code, 0) << call.err;
  EXPECT_THAT(call.out,
              AllOf(HasSubstr("median of 3"), HasSubstr("1 frames before"), ContainsRegex("depthwise +eigen")));
}

TEST(Infer, RunsAFileThatIsNoNetworkButThatTheKernelsHave) {
  // Two frames at once: the simulators take one.
  const Folder folder;
  const Call call =
      spillway({"infer", paths::source("tests/hw/kernels/data/batch_of_two.onnx"), "--output", folder / "out.f32"});
  ASSERT_EQ(call.exit_code, 0) << call.err;
  EXPECT_EQ(contents(folder / "out.f32").size(), 2U * 3 * 4);
}

TEST(Infer, RefusesAllMistakesAtOnce) {
  const Call call =
      spillway("infer tiny-chian --threads 0 --backend egen --mean x --std 0 --top q --output /nowhere/x");
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_THAT(call.err,
              AllOf(HasSubstr("did you mean \"tiny-chain\"?"), HasSubstr("--threads: \"0\" is no whole number"),
                    HasSubstr("did you mean \"eigen\"?"), HasSubstr("--mean: \"x\": expected numbers"),
                    HasSubstr("--std: \"0\": 0 divides nothing"), HasSubstr("--top: \"q\""), HasSubstr("--output: ")));
}

TEST(Infer, RefusesNumbersThatAreNoneAndFolders) {
  const Folder folder;
  std::vector<float> numbers(3 * 16 * 16, 0.5F);
  numbers[7] = std::numeric_limits<float>::quiet_NaN();
  std::ofstream(folder / "nan.f32", std::ios::binary)
      .write(reinterpret_cast<const char*>(numbers.data()),
             static_cast<std::streamsize>(numbers.size() * sizeof(float)));
  const Call call = spillway({"infer", "tiny-chain", "--input", folder / "nan.f32"});
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_THAT(call.err, HasSubstr("nan.f32: number 8 is nan; expected finite float32 numbers"));
  EXPECT_THAT(spillway({"infer", "tiny-chain", "--input", folder.path()}).err, HasSubstr("is a folder"));
}

TEST(Infer, RefusesAnInputThatDoesNotFit) {
  EXPECT_THAT(spillway({"infer", "tiny-chain", "--input", images}).err,
              HasSubstr("627200 bytes are no frames of 1x3x16x16; expected a multiple of 3072 bytes of float32"));
  EXPECT_THAT(spillway("infer tiny-chain --input nowhere.f32").err, HasSubstr("--input: nowhere.f32: No such file"));
  EXPECT_THAT(spillway("infer tiny-chain --input nowhere.png").err, HasSubstr("nowhere.png: no PNG or JPEG image"));
  EXPECT_THAT(spillway({"infer", "tiny-chain", "--input", images, "--input", images}).err,
              HasSubstr("2 files for a network of 1 inputs"));
}

}  // namespace
}  // namespace spillway::cli_test
