#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hw/stm32/errors.hpp"
#include "hw/stm32/image/build.hpp"
#include "tests/hw/stm32/virtual_board.hpp"
#include "tests/paths/paths.hpp"

/// Mistakes that are planted into the firmware's source: each makes the run end with the firmware's own code.
namespace spillway::stm32 {
namespace {

namespace fs = std::filesystem;
using tests::BoardRun;

struct Mutant {
  std::string name, file, from, to;
  Error expected;
  std::vector<std::string> options = {};
};

const std::vector<Mutant> mutants = {
    {"TooFewWaitStates", "hw/stm32/clock.cpp", "acr = wait_states(core_hz) |", "acr = 5 |", Error::wait_states},
    {"NoOverDrive", "hw/stm32/clock.cpp",
     "  pwr().cr1 = pwr().cr1 | over_drive;\n"
     "  if (!comes(pwr().csr1, over_drive)) return {Error::over_drive};\n"
     "  pwr().cr1 = pwr().cr1 | over_drive_switching;\n"
     "  if (!comes(pwr().csr1, over_drive_switching)) return {Error::over_drive};\n",
     "", Error::over_drive},
    {"HalfTheOverDrive", "hw/stm32/clock.cpp",
     "  pwr().cr1 = pwr().cr1 | over_drive_switching;\n"
     "  if (!comes(pwr().csr1, over_drive_switching)) return {Error::over_drive};\n",
     "", Error::over_drive},
    {"CoreStaysSlow", "hw/stm32/clock.cpp", "apb2_by_2 | source_pll;\n  if (!comes(rcc().cfgr, source_pll << 2))",
     "apb2_by_2;\n  if (!comes(rcc().cfgr, 0))", Error::clock_switch},
    {"WrongTimerClock", "hw/stm32/time.cpp", "tim2().psc = 0;", "tim2().psc = 1;", Error::clock_ratio},
    {"WrongDmaChannel", "hw/stm32/dma_port.cpp", "channel = 4;", "channel = 5;", Error::data_overrun},
    {"WrongDmaDirection", "hw/stm32/dma_port.cpp", "direction == Direction::to_card ? to_peripheral : 0",
     "direction == Direction::to_card ? 0 : to_peripheral", Error::data_overrun},
    {"StaleDmaFlags", "hw/stm32/dma_port.cpp", "  dma2().ifcr[stream_number / 4] = flags << flag_shift;\n", "",
     Error::dma_refused},
    {"DoesNotWaitForDma", "hw/stm32/card.cpp", " && port_.moved()) stop_transfer();", ") stop_transfer();",
     Error::verification},
    {"WrongFunctionOfTheCommandPin", "hw/stm32/pins.cpp", "connect('D', 2, function_sdmmc1",
     "connect('D', 2, function_usart1", Error::card_silent},
    {"ADataPinIsForgotten", "hw/stm32/pins.cpp", "data <= 11", "data <= 10", Error::card_silent},
    {"DoesNotWaitForProgramming", "hw/stm32/card.cpp", "    else\n      ask();", "    else\n      finish({});",
     Error::card_silent},
    {"CardIsNotToldOfFourLines", "hw/stm32/card.cpp", "application_command(set_bus_width, 2)",
     "application_command(set_bus_width, 0)", Error::data_damaged},
    {"NoDataTimeout",
     "hw/stm32/card.cpp",
     "registers_.dtimer = timeout_clocks_;",
     "registers_.dtimer = 0xFFFFFFFF;",
     Error::deadline,
     {"card-hang-at=2"}},
    {"EndlessRecursion", "hw/stm32/images/self_test.cpp", "Failure test_transfers(std::uint32_t first_sector) {",
     "volatile int depth = 0;\n"
     "int dig() {\n  volatile int hole[32] = {depth};\n  depth = depth + 1;\n  return dig() + hole[depth % 32];\n}\n"
     "Failure test_transfers(std::uint32_t first_sector) {\n  depth = dig();\n",
     Error::stack_overflow},
};

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What the firmware is made of, with one mistake.
void plant(const Mutant& mutant, const fs::path& tree) {
  for (const char* part : {"CMakeLists.txt", "cmake", "hw/stm32", "hw/swap", "hw/kernels/int8", "sim/core", "sim/trace",
                           "tests/hw/stm32/pl181"}) {
    fs::create_directories((tree / part).parent_path());
    fs::copy(paths::source(part), tree / part, fs::copy_options::recursive);
  }
  std::string text = text_of(tree / mutant.file);
  const std::size_t at = text.find(mutant.from);
  ASSERT_NE(at, std::string::npos) << mutant.file << " has no \"" << mutant.from << '"';
  ASSERT_EQ(text.find(mutant.from, at + 1), std::string::npos) << "\"" << mutant.from << "\" is there twice";
  text.replace(at, mutant.from.size(), mutant.to);
  std::ofstream(tree / mutant.file, std::ios::binary) << text;
}

class MutantTest : public testing::TestWithParam<Mutant> {};

TEST_P(MutantTest, EndsWithTheFirmwaresOwnCode) {
  const tests::Folder folder;
  ASSERT_NO_FATAL_FAILURE(plant(GetParam(), folder / "tree"));
  build_images({folder / "tree", {"self_test"}, {}, folder / ""});
  tests::make_card(folder / "card");
  const BoardRun run = tests::run_on_board(folder / "self_test.elf", folder / "card", GetParam().options);
  EXPECT_TRUE(run.failed_with(GetParam().expected)) << run.description();
}

INSTANTIATE_TEST_SUITE_P(, MutantTest, testing::ValuesIn(mutants),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace spillway::stm32
