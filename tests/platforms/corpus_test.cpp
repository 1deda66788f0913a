#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>

#include "parsing_properties.hpp"
#include <gtest/gtest.h>

#include "tests/paths/paths.hpp"

namespace spillway::platforms {
namespace {

const std::filesystem::path corpus = paths::source("tests/platforms/corpus");

void replay(const std::string& folder, const std::function<void(std::string_view)>& check) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(corpus / folder)) {
    std::ifstream stream(entry.path(), std::ios::binary);
    const std::string input{std::istreambuf_iterator<char>(stream), {}};
    EXPECT_NO_THROW(check(input)) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 0u) << folder;
}

TEST(Corpus, Units) {
  replay("units", check_units);
}
TEST(Corpus, Boards) {
  replay("board", check_board);
}
TEST(Corpus, Cards) {
  replay("card", check_card);
}
TEST(Corpus, Clusters) {
  replay("cluster", check_cluster);
}
TEST(Corpus, Computers) {
  replay("computer", check_computer);
}
TEST(Corpus, Efficiencies) {
  replay("efficiencies", check_efficiencies);
}
TEST(Corpus, Devices) {
  replay("devices", check_devices);
}
TEST(Corpus, Mappings) {
  replay("mapping", check_mapping);
}
TEST(Corpus, Endurance) {
  replay("endurance", check_endurance);
}
TEST(Corpus, YamlReader) {
  replay("yaml_reader", check_yaml_reader);
}

}  // namespace
}  // namespace spillway::platforms
