#include <cstdlib>
#include <optional>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "hw/stm32/errors.hpp"
#include "tests/hw/stm32/virtual_board.hpp"

/// The driver of the card against a model that others wrote: QEMU's own PL181, on the machine vexpress-a9.
namespace spillway::stm32 {
namespace {

/// Time is the number of instructions: deadlines do not depend on what else this machine does.
int run_on_vexpress(const std::optional<std::string>& card) {
  std::string command =
      "timeout 60 qemu-system-arm -machine vexpress-a9 -display none -monitor none -serial null -net none "
      "-audiodev none,id=none -icount shift=3,sleep=off -semihosting-config enable=on,target=native -kernel '" +
      tests::image("pl181").string() + "'";
  if (card) command += " -drive 'file=" + *card + ",if=sd,format=raw'";
  const int status = std::system((command + " </dev/null 2>/dev/null").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(OtherMachine, TheDriverWritesReadsAndVerifies) {
  for (const std::uint64_t mebibytes : {64, 4096}) {  // addresses in bytes; in sectors
    const tests::Folder folder;
    tests::make_card(folder / "card", mebibytes << 20);
    EXPECT_EQ(run_on_vexpress((folder / "card").string()), 0) << mebibytes << " MiB";
  }
}

TEST(OtherMachine, AnEmptySlotIsSilent) {
  EXPECT_EQ(run_on_vexpress(std::nullopt), static_cast<int>(Error::card_silent));
}

}  // namespace
}  // namespace spillway::stm32
