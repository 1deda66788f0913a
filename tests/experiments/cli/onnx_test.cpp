#include <filesystem>
#include <string>
#include <vector>

#include "program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/paths/paths.hpp"

namespace spillway::cli_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string classifier = paths::source("tests/models/data/fmnist_vggmini_bn.onnx");

TEST(Export, WritesANetworkThatInspectReads) {
  const Folder folder;
  for (const bool external : {false, true}) {
    std::vector<std::string> arguments = {"export", "squeezenet", folder / "squeezenet.onnx"};
    if (external) arguments.push_back("--external-data");
    const Call written = spillway(arguments);
    ASSERT_EQ(written.exit_code, 0) << written.err;
    EXPECT_THAT(written.out, HasSubstr("67 nodes, 349,151,936 MACs, 1,231,552 weights and 3,944 biases from seed 1\n"));
    EXPECT_EQ(std::filesystem::exists(folder / "squeezenet.onnx.data"), external);
    const Call read = spillway({"inspect", folder / "squeezenet.onnx"});
    EXPECT_EQ(read.exit_code, 0) << read.err;
    EXPECT_EQ(read.out, spillway("inspect squeezenet").out);
  }
}

TEST(Export, TheSeedDecidesTheBytes) {
  const Folder folder;
  for (const auto& [file, seed] : {std::pair("a.onnx", "5"), std::pair("b.onnx", "5"), std::pair("c.onnx", "6")})
    ASSERT_EQ(spillway({"export", "tiny-chain", folder / file, "--seed", seed}).exit_code, 0);
  EXPECT_EQ(contents(folder / "a.onnx"), contents(folder / "b.onnx"));
  EXPECT_NE(contents(folder / "a.onnx"), contents(folder / "c.onnx"));
}

TEST(Export, RefusesAllMistakesAtOnce) {
  const Call call = spillway("export tiny-chian nowhere/model.txt --seed x");
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_THAT(call.err, AllOf(HasSubstr("did you mean \"tiny-chain\"?"), HasSubstr("--seed: \"x\" is no whole number"),
                              HasSubstr("FILE: \"nowhere/model.txt\" is no model file")));
}

TEST(OnnxFiles, AreSwappedInTheElementTypeThatTheyStoreWhereTheRuleHeedsIt) {
  const Call halo = spillway({"swap", classifier, "--rule", "halo"});
  EXPECT_EQ(halo.exit_code, 0) << halo.err;
  EXPECT_THAT(halo.out, HasSubstr("rule halo, float32: 10 layers"));
  EXPECT_THAT(halo.err, IsEmpty());
  EXPECT_THAT(spillway({"swap", classifier, "--rule", "halo", "--element", "int8"}).out, HasSubstr("halo, int8"));
  const Call paper = spillway({"swap", classifier});
  EXPECT_THAT(paper.out, HasSubstr("rule paper, int8: 10 layers"));
  EXPECT_THAT(paper.err, HasSubstr("stores float32; rule paper counts int8 as the paper does"));
  EXPECT_EQ(spillway({"swap", classifier, "--element", "float32"}).exit_code, 2);
}

TEST(OnnxFiles, ThatCannotBeReadAreNamed) {
  const Folder folder;
  const Call missing = spillway({"inspect", folder / "missing.onnx"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_EQ(missing.err,
            "spillway inspect: " + folder / "missing.onnx" + ": cannot be read: No such file or directory\n");
  const Call dimension = spillway({"inspect", classifier, "--dim", "height=28", "--dim", "28"});
  EXPECT_EQ(dimension.exit_code, 2);
  EXPECT_THAT(dimension.err, AllOf(HasSubstr("no dimension is called 'height'; expected none given"),
                                   HasSubstr("--dim: \"28\" is no extent of a dimension; expected NAME=EXTENT")));
}

TEST(ListOperators, ShowsWhatBecomesOfOnnxOperators) {
  EXPECT_THAT(spillway("list operators").out, HasSubstr("\nBatchNormalization  batch_normalization"));
}

}  // namespace
}  // namespace spillway::cli_test
