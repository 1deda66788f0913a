#include <filesystem>
#include <fstream>
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

const std::string data = paths::source("tests/models/data/");
const std::string classifier = data + "fmnist_vggmini.onnx";
const std::string images = data + "fmnist_x200.f32";
const std::string labels = data + "fmnist_y200.i32";

TEST(Quantize, ReportsAccuracyAgainstFloat32AndWritesTheNetwork) {
  const Folder folder;
  const Call call = spillway({"quantize", classifier, "--calibration", images, "--frames", "100", "--labels", labels,
                              "--output", folder / "int8.onnx"});
  ASSERT_EQ(call.exit_code, 0) << call.err;
  EXPECT_EQ(call.err, "");
  EXPECT_THAT(call.out,
              AllOf(StartsWith("fmnist_vggmini: 10 layers, 72,208 int8 weights\n"), HasSubstr("100 frames; a range"),
                    HasSubstr("top-1       int8 187 of 200 (93.50 %), float32 187 of 200 (93.50 %)"),
                    HasSubstr("agreement   200 of 200"), ContainsRegex("/c/c.4/Gemm +dense .* -127 to 127 .* 36")));
  EXPECT_EQ(contents(folder / "int8.onnx"), contents(data + "fmnist_vggmini_int8.onnx"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(Quantize, IsRepeatable) {
  const std::vector<std::string> arguments = {"quantize", "tiny-residual", "--calibration", "noise"};
  EXPECT_EQ(spillway(arguments).out, spillway(arguments).out);
}

TEST(Quantize, FoldsNormalizationsAndCutsRanges) {
  const Call call = spillway({"quantize", data + "fmnist_vggmini_bn.onnx", "--calibration", images, "--frames", "50",
                              "--range", "99.99 %", "--labels", labels});
  ASSERT_EQ(call.exit_code, 0) << call.err;
  EXPECT_THAT(call.out, AllOf(HasSubstr("a range covers 99.99 %"), HasSubstr("float32 187 of 200"),
                              ContainsRegex("int8 18[678] of 200")));
}

TEST(Quantize, ComparesOnOtherFrames) {
  const Folder folder;
  const std::string all = contents(images);
  std::ofstream(folder / "three.f32", std::ios::binary) << all.substr(0, std::size_t{3} * 784 * 4);
  const Call call = spillway({"quantize", classifier, "--calibration", images, "--test", folder / "three.f32"});
  ASSERT_EQ(call.exit_code, 0) << call.err;
  EXPECT_THAT(call.out, AllOf(HasSubstr("three.f32, 3 frames"), HasSubstr("agreement   3 of 3")));
}

TEST(Quantize, AnswersEveryMistakeOfARequest) {
  const Folder folder;
  const Call call = spillway({"quantize", "vgg99", "--range", "0 %", "--frames", "none", "--output", "a.txt"});
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_EQ(call.out, "");
  EXPECT_THAT(call.err,
              AllOf(HasSubstr("--range: \"0 %\": expected a percentage above 0 %"), HasSubstr("--frames: \"none\""),
                    HasSubstr("--output: \"a.txt\" is no model file"), HasSubstr("--calibration: missing"),
                    HasSubstr("unknown network \"vgg99\"; did you mean \"vgg19\"?")));
}

TEST(Quantize, RefusesByNameWhatInt8CannotDo) {
  const Folder folder;
  const Call call = spillway({"quantize", "alexnet", "--calibration", "noise", "--output", folder / "alexnet.onnx"});
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_THAT(call.err, AllOf(HasSubstr("NETWORK: alexnet: node 'lrn1': local response normalization"),
                              HasSubstr("node 'lrn2'")));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Quantize, NamesDataThatDoesNotFit) {
  const Folder folder;
  std::ofstream(folder / "short.f32") << "abc";
  std::ofstream(folder / "short.i32") << "abc";
  const auto refused = [](const std::vector<std::string>& arguments) {
    const Call call = spillway(arguments);
    EXPECT_EQ(call.exit_code, 2) << call.command;
    return call.err;
  };
  EXPECT_THAT(refused({"quantize", classifier, "--calibration", folder / "short.f32"}),
              HasSubstr("--calibration: " + (folder / "short.f32") +
                        ": 3 bytes are no frames of 1x1x28x28; expected a multiple of 3136 bytes of float32"));
  EXPECT_THAT(refused({"quantize", classifier, "--calibration", folder / "none.f32"}),
              HasSubstr("No such file or directory"));
  EXPECT_THAT(refused({"quantize", classifier, "--calibration", images, "--test", folder / "short.f32"}),
              HasSubstr("--test: "));
  EXPECT_THAT(refused({"quantize", classifier, "--calibration", images, "--labels", folder / "short.i32"}),
              HasSubstr("--labels: " + (folder / "short.i32") +
                        ": 3 bytes; expected 800, an int32 for each of 200 test frames"));
  std::string wrong = contents(labels);
  wrong[4] = 10;
  std::ofstream(folder / "wrong.i32", std::ios::binary) << wrong;
  EXPECT_THAT(refused({"quantize", classifier, "--calibration", images, "--labels", folder / "wrong.i32"}),
              HasSubstr("label 10 of frame 1; expected 0 to 9"));
  EXPECT_THAT(refused({"quantize", classifier, "--calibration", images, "--frames", "201"}), HasSubstr("--frames"));
}

TEST(Quantize, FailsWhereTheFileCannotBeWritten) {
  const Call call = spillway({"quantize", "tiny-chain", "--calibration", "noise", "--output", "/nowhere/a.onnx"});
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_THAT(call.err, HasSubstr("--output: "));
}

}  // namespace
}  // namespace spillway::cli_test
