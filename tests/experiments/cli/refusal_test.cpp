#include <fstream>
#include <ostream>

#include "program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/paths/paths.hpp"

namespace spillway::cli_test {
namespace {

using ::testing::IsEmpty;

/// A request that is wrong, and everything that it leaves on stderr.
struct Refusal {
  std::string name, arguments, message;

  friend std::ostream& operator<<(std::ostream& out, const Refusal& refusal) { return out << refusal.arguments; }
};

class Refused : public ::testing::TestWithParam<Refusal> {};

TEST_P(Refused, WithExitCode2AndOnStderrOnly) {
  const Call call = spillway(GetParam().arguments);
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_THAT(call.out, IsEmpty());
  EXPECT_EQ(call.err, GetParam().message);
}

const std::string boards = "stm32f746g-disco, stm32h743, swapnn-paper";
const std::string cards = "a1-class, f746-disco-measured, swapnn-paper, swapnn-paper-full-buffer, teensy41-measured";

INSTANTIATE_TEST_SUITE_P(
    Program, Refused,
    ::testing::Values(
        Refusal{"UnknownVerb", "swp vgg16",
                "spillway: unknown verb \"swp\"; did you mean \"swap\"? expected one of list, inspect, export, "
                "quantize, firmware, infer, swap, sweep, reproduce, split, run, run-local, pipeline, explore, hil, "
                "compare, "
                "calibrate, measure\n"},
        Refusal{"UnknownVerbWithoutRelative", "frobnicate",
                "spillway: unknown verb \"frobnicate\"; expected one of list, inspect, export, quantize, firmware, "
                "infer, swap, "
                "sweep, reproduce, split, run, run-local, pipeline, explore, hil, compare, calibrate, measure\n"},
        Refusal{"UnknownOption", "--versoin",
                "spillway: unknown option \"--versoin\"; did you mean \"--version\"? expected a verb, --help or "
                "--version\n"}),
    [](const auto& suite) { return suite.param.name; });

INSTANTIATE_TEST_SUITE_P(
    List, Refused,
    ::testing::Values(
        Refusal{"Nothing", "list",
                "spillway list: WHAT: is missing; expected one of models, boards, cards, clusters, experiments, "
                "operators\n"},
        Refusal{"UnknownKind", "list modles",
                "spillway list: WHAT: unknown kind \"modles\"; did you mean \"models\"? expected one of models, "
                "boards, cards, clusters, experiments, operators\n"},
        Refusal{"TooMuch", "list models boards",
                "spillway list: unexpected argument \"boards\"; `spillway list --help` shows what is expected\n"}),
    [](const auto& suite) { return suite.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Swap, Refused,
    ::testing::Values(
        Refusal{"EverythingAtOnce", "swap vgg99 --board nope --sram 512",
                "spillway swap: NETWORK: unknown network \"vgg99\"; did you mean \"vgg19\"? `spillway list models` "
                "shows all\n"
                "spillway swap: --board: there is no board \"nope\"; known: " +
                    boards +
                    "; or give a path to a .yaml file\n"
                    "spillway swap: --sram: \"512\": a size needs a unit: 512 B, 512 kB, 512 KiB, 512 MiB, ...\n"},
        Refusal{"NoNetwork", "swap",
                "spillway swap: NETWORK: the name of a network is missing; `spillway list models` shows all\n"},
        Refusal{"UnknownNetwork", "swap vgg61",
                "spillway swap: NETWORK: unknown network \"vgg61\"; did you mean \"vgg16\"? `spillway list models` "
                "shows all\n"},
        Refusal{"UnknownBoard", "swap vgg16 --board stm32f764g-disco",
                "spillway swap: --board: there is no board \"stm32f764g-disco\"; did you mean \"stm32f746g-disco\"? "
                "known: " +
                    boards + "; or give a path to a .yaml file\n"},
        Refusal{
            "UnknownCard", "swap vgg16 --card a1",
            "spillway swap: --card: there is no card \"a1\"; known: " + cards + "; or give a path to a .yaml file\n"},
        Refusal{"NoUnit", "swap vgg16 --sram 512",
                "spillway swap: --sram: \"512\": a size needs a unit: 512 B, 512 kB, 512 KiB, 512 MiB, ...\n"},
        Refusal{"UnknownUnit", "swap vgg16 --buffer 16KIB",
                "spillway swap: --buffer: unknown unit \"KIB\"; did you mean \"KiB\"? a size has one of B, kB, KiB, "
                "MB, MiB, GB, GiB, TB, TiB\n"},
        Refusal{"SizeZero", "swap vgg16 --buffer 0B",
                "spillway swap: --buffer: \"0B\" is nothing; expected a size above 0\n"},
        Refusal{"MoreThanTheBoardHas", "swap vgg16 --sram 2MiB",
                "spillway swap: --sram: 2 MiB is more than board stm32f746g-disco has: expected at most 320 KiB\n"},
        Refusal{"UnknownOption", "swap vgg16 --bord x",
                "spillway swap: unknown option \"--bord\"; did you mean \"--board\"? `spillway swap --help` shows "
                "all\n"},
        Refusal{"UnknownOptionBesideOtherMistakes", "swap vgg16 --bord=x --frames 0",
                "spillway swap: unknown option \"--bord\"; did you mean \"--board\"? `spillway swap --help` shows "
                "all\n"
                "spillway swap: --frames: \"0\" is no whole number from 1 to 100000\n"},
        Refusal{"NoValue", "swap vgg16 --board", "spillway swap: --board: the value is missing\n"},
        Refusal{"Twice", "swap vgg16 --board swapnn-paper --board stm32h743",
                "spillway swap: --board: given more than once; expected once\n"},
        Refusal{"UnknownWords",
                "swap vgg16 --mode paralel --rule papr --queue x --pools y --driver simgird --element "
                "int16",
                "spillway swap: --rule: unknown rule \"papr\"; did you mean \"paper\"? expected one of paper, "
                "paper-counts, halo, min-traffic\n"
                "spillway swap: --element: unknown number format \"int16\"; expected one of int8, float32\n"
                "spillway swap: --mode: unknown mode \"paralel\"; did you mean \"parallel\"? expected one of parallel, "
                "sequential\n"
                "spillway swap: --queue: unknown queue \"x\"; expected one of skip, strict\n"
                "spillway swap: --pools: unknown division into pools \"y\"; expected one of separate, shared\n"
                "spillway swap: --driver: unknown driver \"simgird\"; did you mean \"simgrid\"? expected one of "
                "virtual-clock, simgrid\n"},
        Refusal{"Numbers", "swap vgg16 --frames 2 --window 3 --contention 1.5",
                "spillway swap: --window: \"3\" is no whole number from 1 to 2\n"
                "spillway swap: --contention: \"1.5\" is too much; expected a share from 0 to below 1\n"},
        Refusal{"ElementWithoutHalo", "swap vgg16 --element float32",
                "spillway swap: --element: rule paper counts int8 as the paper does; float32 needs --rule halo or "
                "min-traffic\n"},
        Refusal{"FewerThanFourBuffers", "swap vgg16 --sram 48KiB",
                "spillway swap: SRAM of 48 KiB with buffers of 16 KiB gives 3 buffers, at least 4 are needed: buffer "
                "at most 12 KiB or SRAM at least 64 KiB\n"},
        Refusal{"LayerThatFitsNoSplit", "swap vgg16 --sram 320KiB --buffer 2KiB",
                "spillway swap: layer `conv3_2`: the input of one output pixel takes 2304 bytes, a buffer has 2 KiB; "
                "the smallest buffer that works with SRAM of 320 KiB is 4608 bytes\n"},
        Refusal{"BufferNoWholeSectors", "swap vgg16 --rule halo --buffer 1000B",
                "spillway swap: a buffer of 1000 bytes: rule halo moves whole sectors, expected a multiple of 512 "
                "bytes\n"},
        Refusal{"UnwritableTrace", "swap vgg16 --trace /nonexistent/t.json",
                "spillway swap: --trace: cannot write \"/nonexistent/t.json\": there is no folder /nonexistent\n"},
        Refusal{"TraceIsAFolder", "swap vgg16 --trace /",
                "spillway swap: --trace: \"/\" is a folder; expected the path of a file\n"},
        Refusal{"UnwritableCsv", "swap vgg16 --csv /dev/null/o.csv",
                "spillway swap: --csv: cannot write \"/dev/null/o.csv\": there is no folder /dev/null\n"},
        Refusal{"UnwritableOutput", "swap vgg16 --output /dev/null/out",
                "spillway swap: /dev/null/out: cannot be made: Not a directory\n"}),
    [](const auto& suite) { return suite.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Inspect, Refused,
    ::testing::Values(Refusal{"UnknownNetwork", "inspect resnet81",
                              "spillway inspect: NETWORK: unknown network \"resnet81\"; did you mean \"resnet18\"? "
                              "`spillway list models` shows all\n"},
                      Refusal{"CsvIsAFolder", "inspect vgg16 --csv /",
                              "spillway inspect: --csv: \"/\" is a folder; expected the path of a file\n"},
                      Refusal{"LayerThatFitsNoSplit", "inspect alexnet --buffer 1KiB",
                              "spillway inspect: layer `conv2`: the input of one output pixel takes 2400 bytes, a "
                              "buffer has 1 KiB; the smallest buffer that works with SRAM of 512 KiB is 4 KiB\n"}),
    [](const auto& suite) { return suite.param.name; });

TEST(RefusedFile, EveryMistakeOfABoardFileIsReportedWithItsPlace) {
  const Folder folder;
  std::string board = contents(paths::source("platforms/boards/stm32f746g-disco.yaml"));
  board.replace(board.find("320 KiB"), 7, "320");
  board.replace(board.find("clock:"), 6, "clok:");
  const std::string file = folder / "mine.yaml";
  std::ofstream(file) << board;
  const Call call = spillway({"swap", "vgg16", "--board", file, "--frames", "none"});
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_THAT(call.out, IsEmpty());
  const std::vector<std::string> found = lines(call.err);
  EXPECT_THAT(found,
              ::testing::Contains(::testing::HasSubstr(file + ":3:15: sram.value: \"320\": a size needs a unit")));
  EXPECT_THAT(found, ::testing::Contains(::testing::AllOf(::testing::HasSubstr(file + ":5:1: "),
                                                          ::testing::HasSubstr("did you mean \"clock\"?"))));
  EXPECT_THAT(found, ::testing::Contains(::testing::HasSubstr("--frames: \"none\" is no whole number")));
}

}  // namespace
}  // namespace spillway::cli_test
