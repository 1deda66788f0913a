#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "hw/stm32/errors.hpp"
#include "hw/stm32/image/build.hpp"
#include "hw/swap/card_map.hpp"
#include "tests/experiments/execution/deployed.hpp"
#include "tests/paths/paths.hpp"

/// What goes wrong with a network on the board: each ends in its code, none in a wrong answer.
namespace spillway::experiments::tests {
namespace {

namespace fs = std::filesystem;
using stm32::Error;
using stm32::tests::BoardRun;
using stm32::tests::Folder;
using stm32::tests::run_on_board;

const Deployed& fashion() {
  static const Deployed deployed("fmnist_vggmini", request_for(32, 4, 6));
  return deployed;
}

/// Runs the image with a card that somebody has been at.
BoardRun run_with(const std::function<void(const fs::path&)>& change, const std::vector<std::string>& options = {}) {
  const Folder folder;
  fs::copy_file(fashion().card(), folder / "card");
  change(folder / "card");
  return run_on_board(fashion().image(), folder / "card", options);
}

void flip_bit(const fs::path& path, std::uint64_t byte) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(static_cast<std::streamoff>(byte));
  const int value = file.get();
  file.seekp(static_cast<std::streamoff>(byte));
  file.put(static_cast<char>(value ^ 0x10));
  ASSERT_TRUE(file.good());
}

std::uint64_t weights_end() {
  return std::uint64_t{fashion().run().image().map().inputs} * 512;
}

TEST(BoardFaults, ADamagedImageIsFound) {
  for (const std::uint64_t byte : {std::uint64_t{20}, std::uint64_t{2 * 512}, weights_end() / 2, weights_end() - 1}) {
    const BoardRun run = run_with([&](const fs::path& card) { flip_bit(card, byte); });
    EXPECT_TRUE(run.failed_with(Error::image_damaged)) << "byte " << byte << ": " << run.description();
  }
}

TEST(BoardFaults, ATruncatedImageIsFound) {
  const Deployed wide("fmnist_wide", request_for(256, 4, 1));
  const Folder folder;
  fs::copy_file(wide.card(), folder / "card");
  fs::resize_file(folder / "card", 1 << 20);
  ASSERT_GT(wide.run().image().map().sectors, 2048u) << "the card must be cut within its image";
  const BoardRun cut = run_on_board(wide.image(), folder / "card");
  EXPECT_TRUE(cut.failed_with(Error::image_truncated)) << cut.description();

  const BoardRun zeros = run_with([&](const fs::path& card) {
    const std::uint64_t size = fs::file_size(card);
    fs::resize_file(card, weights_end() * 3 / 4);
    fs::resize_file(card, size);
  });
  EXPECT_TRUE(zeros.failed_with(Error::image_damaged)) << zeros.description();
}

TEST(BoardFaults, ABlankOrOtherCardIsFound) {
  const BoardRun blank = run_with([](const fs::path& card) { stm32::tests::make_card(card); });
  EXPECT_TRUE(blank.failed_with(Error::no_image)) << blank.description();

  const Deployed other("fmnist_vggmini", request_for(64, 8, 6), false);
  const BoardRun wrong =
      run_with([&](const fs::path& card) { fs::copy_file(other.card(), card, fs::copy_options::overwrite_existing); });
  EXPECT_TRUE(wrong.failed_with(Error::other_plan)) << wrong.description();
}

TEST(BoardFaults, TheCardFailsInTheMiddle) {
  const auto nothing = [](const fs::path&) {};
  EXPECT_TRUE(run_with(nothing, {"card-eject-at=400"}).failed_with(Error::data_timeout));
  EXPECT_TRUE(run_with(nothing, {"card-crc-error-at=500"}).failed_with(Error::data_damaged));
  EXPECT_TRUE(run_with(nothing, {"card-hang-at=450"}).failed_with(Error::data_timeout));
}

/// Power is cut at places all over the run; the next start goes on, and every result is right.
TEST(BoardFaults, AnInterruptedRunIsFinishedByTheNextStart) {
  int went_on = 0;
  for (const std::uint64_t after : {100, 511, 513, 9000, 40001, 70000, 123456, 200000}) {
    const Folder folder;
    fs::copy_file(fashion().card(), folder / "card");
    const BoardRun cut = run_on_board(fashion().image(), folder / "card", {"card-cut-after=" + std::to_string(after)});
    ASSERT_EQ(cut.status, stm32::tests::power_cut) << after << ": " << cut.description();
    EXPECT_FALSE(cut.trace.end.has_value());
    const BoardRun next = run_on_board(fashion().image(), folder / "card");
    ASSERT_EQ(next.status, 0) << after << ": " << next.description();
    EXPECT_TRUE(next.trace.value("first_frame").has_value()) << after << ": the interruption goes unnoticed";
    EXPECT_EQ(next.trace.value("frames_done"), 6u);
    went_on += next.trace.value("first_frame").value_or(0) > 0 ? 1 : 0;
    fashion().expect_right_results(folder / "card");

    const BoardRun third = run_on_board(fashion().image(), folder / "card");
    EXPECT_FALSE(third.trace.value("first_frame").has_value()) << "that run was complete";
  }
  EXPECT_GT(went_on, 1) << "some cuts come after the first frame";
}

/// The plan in flash is not the one that was built.
TEST(BoardFaults, ASwappedPlanTableIsFound) {
  std::ifstream file(fashion().source());
  std::string text{std::istreambuf_iterator<char>(file), {}};
  // The rows of the first two layers, each from its comment to the next one.
  const std::size_t first = text.find("    // "), second = text.find("    // ", first + 1),
                    third = text.find("    // ", second + 1);
  ASSERT_NE(third, std::string::npos);
  text = text.substr(0, first) + text.substr(second, third - second) + text.substr(first, second - first) +
         text.substr(third);
  const Folder folder;
  std::ofstream(folder / "swapped.cpp") << text;
  stm32::build_images(
      {paths::source(""), {"network"}, {"SPILLWAY_NETWORK=" + (folder / "swapped.cpp").string()}, folder / ""});
  fs::copy_file(fashion().card(), folder / "card");
  const BoardRun run = run_on_board(folder / "network.elf", folder / "card");
  EXPECT_TRUE(run.failed_with(Error::plan_damaged)) << run.description();
}

TEST(BoardRuns, OfOneImageAndCardGiveOneTrace) {
  for (const char* name : {"fmnist_vggmini", "fmnist_wide"}) {
    const Deployed deployed(name, request_for(256, 4, 2));
    const Folder folder;
    std::string first;
    for (const char* card : {"one", "two", "three"}) {
      fs::copy_file(deployed.card(), folder / card);
      const BoardRun run = run_on_board(deployed.image(), folder / card);
      ASSERT_EQ(run.status, 0) << run.description();
      if (first.empty()) first = run.bytes;
      EXPECT_EQ(run.bytes, first) << name;
    }
  }
}

/// Other ways of cutting: the same results.
TEST(BoardPlans, OfBothRulesGiveTheSameResults) {
  for (const tiling::Request& request :
       {request_for(32, 2, 3, tiling::Rule::min_traffic), request_for(64, 8, 4, tiling::Rule::min_traffic, 2),
        request_for(48, 4, 5, tiling::Rule::halo, 3), request_for(256, 16, 2)}) {
    const Deployed deployed("fmnist_vggmini", request);
    const Folder folder;
    fs::copy_file(deployed.card(), folder / "card");
    const BoardRun run = run_on_board(deployed.image(), folder / "card");
    ASSERT_EQ(run.status, 0) << run.description();
    EXPECT_EQ(run.complaints, "");
    deployed.expect_right_results(folder / "card");
  }
}

}  // namespace
}  // namespace spillway::experiments::tests
