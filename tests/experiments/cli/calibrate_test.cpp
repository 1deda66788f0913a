#include <filesystem>

#include "program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/paths/paths.hpp"

namespace spillway::cli_test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Calibrate, PrintsErrorsByClass) {
  const Call call = spillway("calibrate");
  EXPECT_EQ(call.exit_code, 0);
  EXPECT_THAT(call.err, IsEmpty());
  EXPECT_THAT(call.out, AllOf(HasSubstr("fitted  held-out networks  held-out boards"),
                              ContainsRegex("CPU, all threads +[0-9.]+ % +[0-9.]+ % \\([0-9.]+ %\\) +[0-9.]+ %"),
                              ContainsRegex("jetson-tx2-nx +CPU +6 .* !-[0-9]+ %"), ContainsRegex("GPU .* -\n")));
}

// The README shows this table.
TEST(Calibrate, ReadmeShowsTheErrors) {
  const std::string readme = contents(paths::source("platforms/README.md"));
  std::size_t rows = 0;
  for (const std::string& line : lines(spillway("calibrate").out)) {
    if (!line.starts_with("CPU, ") && !line.starts_with("GPU ")) continue;
    EXPECT_THAT(readme, HasSubstr("    " + line + "\n"));
    ++rows;
  }
  EXPECT_EQ(rows, 4u);
}

TEST(Calibrate, WritesWhatIsCommitted) {
  const Folder folder;
  const Call call = spillway({"calibrate", "--write", folder.path().string()});
  ASSERT_EQ(call.exit_code, 0) << call.err;
  EXPECT_EQ(contents(folder / "efficiencies.yaml"), contents(paths::source("platforms/efficiencies.yaml")));
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(paths::source("platforms/computers"))) {
    EXPECT_EQ(contents(folder.path() / "computers" / entry.path().filename()), contents(entry.path()));
    ++files;
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path() / "computers"), {}),
            static_cast<std::ptrdiff_t>(files));
}

TEST(Calibrate, ShowsWhatIsFittedToPublishedRatios) {
  EXPECT_THAT(spillway("calibrate").out,
              AllOf(ContainsRegex("jetson-xavier-nx +densenet121 +1\\.735 +0\\.5552 +204\\.1 us +0\\.8 W"),
                    ContainsRegex("jetson-xavier-nx-fitted +densenet121 +1\\.591 +0\\.7175 +228\\.3 us +2\\.75 W")));
}

TEST(Calibrate, JudgesWithoutFitting) {
  const Call call = spillway("calibrate --judge --measurements ncnn-2021");
  EXPECT_EQ(call.exit_code, 0);
  EXPECT_THAT(call.out, AllOf(HasSubstr("not fitted"), ContainsRegex("jetson-agx-xavier +GPU")));
}

TEST(Calibrate, RefusesAllMistakesAtOnce) {
  const Call call = spillway("calibrate --measurements nccn --judge --fit-boards rk3588 --write /nowhere/there");
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_THAT(call.out, IsEmpty());
  EXPECT_THAT(call.err, AllOf(HasSubstr("--measurements: there is no measurements \"nccn\"; did you mean \"ncnn\"?"),
                              HasSubstr("--judge: nothing is fitted; expected neither"),
                              HasSubstr("--write: cannot write \"/nowhere/there/efficiencies.yaml\"")));
  EXPECT_THAT(spillway("calibrate --fit-boards jetson-nano,jetson-tx2 --fit-networks vgg61").err,
              AllOf(HasSubstr("--fit-boards: ncnn has no time of \"jetson-tx2\"; did you mean \"jetson-tx2-nx\"?"),
                    HasSubstr("--fit-networks: ncnn has no time of \"vgg61\"; did you mean \"vgg16\"?")));
}

TEST(Measure, WritesABoardThatCalibrateReadsAgain) {
  const Folder folder;
  const Call measured = spillway({"measure", "--networks", "tiny-chain,tiny-depthwise,tiny-residual", "--frames", "3",
                                  "--output", folder / "here.yaml", "--layers", folder / "layers.csv"});
  ASSERT_EQ(measured.exit_code, 0) << measured.err;
  EXPECT_THAT(measured.out, AllOf(HasSubstr("The machine that `spillway measure` ran on: "),
                                  ContainsRegex("tiny-chain +1 +"), HasSubstr("mean absolute error ")));
  EXPECT_THAT(contents(folder / "here.yaml"), HasSubstr("background load"));
  const Call again = spillway({"calibrate", "--layers", folder / "layers.csv", "--board", folder / "here.yaml"});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(
      again.out.substr(again.out.find("share of")),
      measured.out.substr(measured.out.find("share of"), measured.out.find("output ") - measured.out.find("share of")));
}

TEST(Measure, RefusesAllMistakesAtOnce) {
  const Call call = spillway("measure --networks vgg61 --frames 0 --backend egen --output /nowhere/x");
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_THAT(call.err, AllOf(HasSubstr("did you mean \"vgg16\"?"), HasSubstr("--frames: \"0\" is no whole number"),
                              HasSubstr("did you mean \"eigen\"?"), HasSubstr("--output: cannot write")));
}

TEST(Boards, AComputerIsNamedAsOne) {
  const Call call = spillway("swap vgg16 --board raspberry-pi-4");
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_THAT(call.err, HasSubstr("--board: \"raspberry-pi-4\" is a computer, which runs an operating system and takes "
                                  "part in an MPI job (verbs pipeline, explore, calibrate); expected a "));
}

}  // namespace
}  // namespace spillway::cli_test
