#include "platforms/catalogue.hpp"

#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platforms/board.hpp"
#include "platforms/card.hpp"
#include "platforms/problems.hpp"

namespace spillway::platforms {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename Request>
std::string error_of(Request request) {
  try {
    request();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// A data directory with two boards for the time of a test.
class OtherData : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = std::filesystem::path(::testing::TempDir()) /
             (std::string("spillway_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder / "platforms/boards");
    for (const std::string name : {"b.yaml", "a.yaml", "notes.txt"})
      std::ofstream(folder / "platforms/boards" / name) << "x: 1\n";
    setenv("SPILLWAY_DATA", folder.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("SPILLWAY_DATA");
    std::filesystem::remove_all(folder);
  }

  std::filesystem::path folder;
};

TEST_F(OtherData, EnvironmentChoosesTheDirectory) {
  EXPECT_EQ(data_directory(), folder);
  EXPECT_THAT(board_names(), ElementsAre("a", "b"));
}

TEST_F(OtherData, MissingFolderIsAnError) {
  EXPECT_EQ(error_of([] { card_names(); }), (folder / "platforms/cards").string() +
                                                ": the card files cannot be listed: No such file or directory; "
                                                "SPILLWAY_DATA chooses the data directory");
}

TEST(Catalogue, UnknownName) {
  EXPECT_EQ(
      error_of([] { load_board("swapnn-papr"); }),
      "board: there is no board \"swapnn-papr\"; did you mean \"swapnn-paper\"? known: stm32f746g-disco, stm32h743, "
      "swapnn-paper; or give a path to a .yaml file");
  EXPECT_THAT(error_of([] { load_card("floppy"); }), HasSubstr("card: there is no card \"floppy\"; known: a1-class, "));
}

TEST(Catalogue, PathsAreTakenAsTheyAre) {
  EXPECT_EQ(error_of([] { load_board("here.yaml"); }), "here.yaml: cannot be read: No such file or directory");
  EXPECT_EQ(error_of([] { load_board("/"); }), "/: is a directory; expected a YAML file");
  const std::filesystem::path file = data_directory() / "platforms/boards/stm32h743.yaml";
  EXPECT_EQ(load_board(file.string()).name, "stm32h743");
}

}  // namespace
}  // namespace spillway::platforms
