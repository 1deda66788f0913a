#include "platforms/measurements.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platforms/computer.hpp"
#include "platforms/problems.hpp"

namespace spillway::platforms {
namespace {

using ::testing::Contains;
using ::testing::SizeIs;

std::string error_in(const std::string& rows) {
  try {
    parse_measurements("description: d\nsource: s\nrows:\n" + rows, "f.yaml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Measurements, PublishedTimesOfNcnn) {
  EXPECT_THAT(measurement_names(), ::testing::ElementsAre("ncnn", "ncnn-2021"));
  const Measurements measurements = load_measurements("ncnn");
  EXPECT_THAT(measurements.rows, SizeIs(17 * 7));
  const auto is_outlier = [](const Measurement& row) { return row.outlier; };
  EXPECT_EQ(std::ranges::count_if(measurements.rows, is_outlier), 1);
  const Measurement outlier = *std::ranges::find_if(measurements.rows, is_outlier);
  EXPECT_EQ(outlier.board, "jetson-tx2-nx");
  EXPECT_EQ(outlier.network, "resnet50");
  EXPECT_EQ(outlier.threads, 6);
  EXPECT_DOUBLE_EQ(outlier.seconds, 0.3166);
}

TEST(Measurements, AllMistakesAtOnce) {
  EXPECT_EQ(error_in("  - {board: jetson-nano, class: cpu, threads: 5, times: {vgg16: 1 s}}\n"
                     "  - {board: rk3588, class: gpu, times: {vgg16: 1}}\n"
                     "  - {board: rk3599, class: cpu, threads: 1, times: {vgg16: 1 s}, outliers: [vgg61]}\n"),
            "f.yaml:4:47: rows[0].threads: 5 threads on the 4 cores of jetson-nano; expected at most one a core\n"
            "f.yaml:5:28: rows[1].class: rk3588 has no GPU; expected cpu\n"
            "f.yaml:5:48: rows[1].times.vgg16: \"1\": a time needs a unit: 1 us, 1 ms, 1 s, 1 h, ...\n"
            "f.yaml:6:13: rows[2].board: unknown \"rk3599\"; did you mean \"rk3588\"? expected one of " +
                fmt::format("{}", fmt::join(computer_names(), ", ")) +
                "\n"
                "f.yaml:6:76: rows[2].outliers: no time of \"vgg61\"; did you mean \"vgg16\"?");
}

TEST(Measurements, RowGivenTwice) {
  EXPECT_EQ(error_in("  - {board: rk3588, class: cpu, threads: 1, times: {vgg16: 1 s}}\n"
                     "  - {board: rk3588, class: cpu, threads: 1, times: {alexnet: 1 s}}\n"),
            "f.yaml:5:13: rows[1].board: this row is given twice; expected once");
  EXPECT_EQ(error_in("  - {board: jetson-nano, class: gpu, threads: 1, times: {vgg16: 1 s}}\n"),
            "f.yaml:4:47: rows[0].threads: a GPU has none; expected no such key");
}

}  // namespace
}  // namespace spillway::platforms
