#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "hw/stm32/errors.hpp"
#include "hw/stm32/image/build.hpp"
#include "tests/experiments/execution/deployed.hpp"
#include "tests/paths/paths.hpp"

/// A network on a machine that others have modelled (tests/hw/stm32/lm3s): from the card of `spillway firmware`, with
/// its tables, another core and another driver give the same results.
namespace spillway::experiments::tests {
namespace {

namespace fs = std::filesystem;
using stm32::Error;
using stm32::tests::Folder;

/// Its image for that machine, and runs of it.
class OtherMachine {
 public:
  OtherMachine(const std::string& name, const tiling::Request& request) : deployed_(name, request, false) {
    stm32::build_images({paths::source(""),
                         {"lm3s"},
                         {"SPILLWAY_NETWORK=" + deployed_.source().string(),
                          "SPILLWAY_TILE_BUFFERS=" + std::to_string(deployed_.memory().tile_buffers_bytes)},
                         folder_ / ""});
  }

  const Deployed& deployed() const { return deployed_; }

  /// The status that the program ends with. Without a card the slot is empty.
  int run(const std::optional<fs::path>& card) const {
    std::string command =
        "timeout 60 qemu-system-arm -machine lm3s6965evb -display none -monitor none -serial null -net none "
        "-semihosting-config enable=on,target=native -kernel '" +
        (folder_ / "lm3s.elf").string() + "'";
    if (card) command += " -drive 'file=" + card->string() + ",if=sd,format=raw'";
    const int status = std::system((command + " </dev/null 2>/dev/null").c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  /// All results and maps are right, on a card of so many bytes.
  void expect_right(std::uint64_t card_bytes) const {
    const Folder folder;
    fs::copy_file(deployed_.card(), folder / "card");
    fs::resize_file(folder / "card", card_bytes);
    ASSERT_EQ(run(folder / "card"), 0);
    deployed_.expect_right_results(folder / "card");
    deployed_.expect_right_maps(folder / "card");
  }

 private:
  Deployed deployed_;
  Folder folder_;
};

TEST(NetworkOnOtherMachine, GivesTheSameResults) {
  const OtherMachine machine("fmnist_vggmini", request_for(32, 4, 2));
  machine.expect_right(std::uint64_t{1} << 20);  // addresses in bytes
  machine.expect_right(std::uint64_t{4} << 30);  // in sectors
}

TEST(NetworkOnOtherMachine, GivesTheSameResultsFromOtherTiles) {
  OtherMachine("fmnist_vggmini", request_for(16, 2, 2)).expect_right(std::uint64_t{1} << 20);
  OtherMachine("fmnist_vggmini", request_for(32, 2, 2, tiling::Rule::min_traffic, 2))
      .expect_right(std::uint64_t{1} << 20);
}

TEST(NetworkOnOtherMachine, EndsWithoutTheRightCard) {
  const OtherMachine machine("fmnist_vggmini", request_for(32, 4, 2));
  const Folder folder;
  stm32::tests::make_card(folder / "blank");
  EXPECT_EQ(machine.run(folder / "blank"), static_cast<int>(Error::no_image));
  EXPECT_EQ(machine.run(std::nullopt), static_cast<int>(Error::card_silent));
}

}  // namespace
}  // namespace spillway::experiments::tests
