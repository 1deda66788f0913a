#include <fstream>
#include <string>
#include <vector>

#include "program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

/// `compare` on traces that are counted by hand, and on traces of the program itself.
namespace spillway::cli_test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string header = "frame,layer,layer_name,tile,kind,index,start_ns,end_ns,bytes\n";

void write(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

const std::string simulated = header +
                              "0,0,conv,0,read_input,0,0,1000,512\n"
                              "0,0,conv,0,read_weights,0,1000,2000,512\n"
                              "0,0,conv,0,compute,0,2000,6000,0\n"
                              "0,0,conv,0,write_output,0,6000,8000,512\n"
                              "0,1,fc,0,read_input,0,8000,9000,512\n"
                              "0,1,fc,0,compute,0,9000,10000,0\n";

// The same tasks: IO a quarter slower, computing twice as long in conv, half as long in fc.
const std::string measured = header +
                             "0,0,conv,0,read_input,0,100,1350,512\n"
                             "0,0,conv,0,read_weights,0,1350,2600,512\n"
                             "0,0,conv,0,compute,0,2600,10600,0\n"
                             "0,0,conv,0,write_output,0,10600,13100,512\n"
                             "0,1,fc,0,read_input,0,13100,14350,512\n"
                             "0,1,fc,0,compute,0,14350,14850,0\n";

class Compare : public ::testing::Test {
 protected:
  Call compare(const std::string& sim, const std::string& hw, const std::vector<std::string>& more = {}) {
    write(folder_ / "sim.csv", sim);
    write(folder_ / "hw.csv", hw);
    std::vector<std::string> words = {"compare", folder_ / "sim.csv", folder_ / "hw.csv", "--json", folder_ / "c.json"};
    words.insert(words.end(), more.begin(), more.end());
    return spillway(words);
  }
  nlohmann::json numbers() const { return nlohmann::json::parse(contents(folder_ / "c.json")); }

  Folder folder_;
};

TEST_F(Compare, CountedByHand) {
  const Call call = compare(simulated, measured);
  EXPECT_EQ(call.exit_code, 0) << call.err;
  EXPECT_THAT(call.out, AllOf(ContainsRegex("IO +the same 4 decisions"), ContainsRegex("compute +the same 2 decisions"),
                              ContainsRegex("makespan +10 us +14.8 us +-32.20 %")));
  const nlohmann::json json = numbers();
  EXPECT_NEAR(json["makespan"]["relative_error"], 10.0 / 14.75 - 1, 1e-12);
  EXPECT_NEAR(json["io"]["relative_error"], 5000.0 / 6250 - 1, 1e-12);
  EXPECT_NEAR(json["compute"]["relative_error"], 5000.0 / 8500 - 1, 1e-12);
  const nlohmann::json& tasks = json["errors"]["compute"];  // -50 % and +100 %
  EXPECT_NEAR(tasks["mean_relative_error"], 0.25, 1e-12);
  EXPECT_NEAR(tasks["mean_absolute_relative_error"], 0.75, 1e-12);
  EXPECT_NEAR(tasks["correlation"], 1, 1e-12);
  EXPECT_TRUE(json["errors"]["write_output"]["correlation"].is_null()) << "of one number";
  // Layers: conv 8,000 against 13,000 ns, fc 2,000 against 1,750.
  EXPECT_NEAR(json["errors"]["layers"]["mean_absolute_relative_error"], (5.0 / 13 + 0.25 / 1.75) / 2, 1e-12);
  EXPECT_EQ(json["layers"][1]["name"], "fc");
  EXPECT_NEAR(json["layers"][1]["compute"]["relative_error"], 1, 1e-12);
}

TEST_F(Compare, BoundsDecideTheExitCode) {
  EXPECT_EQ(compare(simulated, measured, {"--tolerance", "33 %", "--layer-tolerance", "0.27"}).exit_code, 0);
  const Call call = compare(simulated, measured, {"--tolerance", "32 %", "--layer-tolerance", "0.26"});
  EXPECT_EQ(call.exit_code, 1);
  EXPECT_THAT(call.err, AllOf(HasSubstr("the error of the makespan is 32.20 %; the bound is 32.00 %"),
                              HasSubstr("the mean absolute error of layers is 26.37 %; the bound is 26.00 %")));
  EXPECT_EQ(numbers()["misses"].size(), 2u);
}

TEST_F(Compare, TheFirstDecisionThatDiffersIsShownFromBothSides) {
  std::string other = measured;
  const std::string input = "0,0,conv,0,read_input,0,100,1350,512\n",
                    weights = "0,0,conv,0,read_weights,0,1350,2600,512\n";
  other.replace(other.find(input), input.size() + weights.size(),
                "0,0,conv,0,read_weights,0,100,1350,512\n0,0,conv,0,read_input,0,1350,2600,512\n");
  const Call call = compare(simulated, other);
  EXPECT_EQ(call.exit_code, 0);
  EXPECT_THAT(call.out, AllOf(ContainsRegex("IO +the first 0 decisions are the same, then\n"
                                            " +simulated: read_input 0 of layer 0 \\(conv\\), tile 0, frame 0\n"
                                            " +measured:  read_weights 0 of layer 0 \\(conv\\), tile 0, frame 0"),
                              ContainsRegex("compute +the same 2 decisions")));
  EXPECT_EQ(compare(simulated, other, {"--same-order"}).exit_code, 1);
}

TEST_F(Compare, TasksOfOneRunAloneAreNamed) {
  const std::string shorter = measured.substr(0, measured.rfind("0,1,fc,0,compute"));
  const Call call = compare(simulated, shorter);
  EXPECT_THAT(call.out, AllOf(HasSubstr("1 are simulated only, the first: compute 0 of layer 1 (fc)"),
                              HasSubstr("measured:  nothing more")));
  EXPECT_EQ(call.exit_code, 0);
  const Call bound = compare(simulated, shorter, {"--tolerance", "99 %"});
  EXPECT_EQ(bound.exit_code, 1);
  EXPECT_THAT(bound.err, HasSubstr("the runs have different tasks"));
}

TEST_F(Compare, CyclesOfAClock) {
  // 216 MHz: 216 cycles are a microsecond.
  const std::string cycles = header + "0,0,conv,0,compute,0,432,1296,0\n";
  const Call call = compare(header + "0,0,conv,0,compute,0,0,4000,0\n", cycles, {"--hw-clock", "216 MHz"});
  EXPECT_EQ(call.exit_code, 0) << call.err;
  EXPECT_NEAR(numbers()["makespan"]["measured_s"], 4e-6, 1e-18);
  EXPECT_NEAR(numbers()["makespan"]["relative_error"], 0, 1e-12);
}

TEST_F(Compare, OneResourceAlone) {
  compare(simulated, measured, {"--tasks", "io"});
  EXPECT_EQ(numbers()["errors"]["tasks"]["count"], 4);
  EXPECT_EQ(numbers()["errors"]["compute"]["count"], 0);
}

TEST_F(Compare, ARunIsItselfWhateverItsFormat) {
  const std::string csv = folder_ / "run.csv", wire = folder_ / "run.bin";
  ASSERT_EQ(spillway({"swap", "tiny-residual", "--rule", "halo", "--sram", "32 KiB", "--buffer", "2 KiB", "--frames",
                      "2", "--trace-csv", csv, "--trace-wire", wire})
                .exit_code,
            0);
  const Call call = spillway({"compare", csv, wire, "--tolerance", "0", "--layer-tolerance", "0", "--same-order"});
  EXPECT_EQ(call.exit_code, 0) << call.err;
  EXPECT_THAT(call.out,
              AllOf(Not(HasSubstr("then")), ContainsRegex("all tasks .* \\+0.00 % +\\+0.00 % +0.00 % +1.0000")));
}

TEST_F(Compare, ALineThatLostSomethingSaysSo) {
  const std::string csv = folder_ / "run.csv", wire = folder_ / "run.bin";
  ASSERT_EQ(spillway({"swap", "tiny-chain", "--rule", "halo", "--sram", "32 KiB", "--buffer", "4 KiB", "--trace-csv",
                      csv, "--trace-wire", wire})
                .exit_code,
            0);
  std::string bytes = contents(wire);
  bytes[bytes.size() / 2] ^= 0x10;
  write(wire, bytes.substr(0, bytes.size() - 60));  // the last task among them
  const Call call = spillway({"compare", csv, wire});
  EXPECT_THAT(call.out, AllOf(ContainsRegex("[12] damaged frames, [12] messages lost"), HasSubstr("simulated only"),
                              HasSubstr("no end: the trace was cut short")));
}

TEST_F(Compare, DrawsAPicture) {
  const Call call = compare(simulated, measured, {"--plot", folder_ / "a.svg"});
  ASSERT_EQ(call.exit_code, 0) << call.err;
  const std::string picture = contents(folder_ / "a.svg");
  EXPECT_THAT(picture, AllOf(HasSubstr("<svg"), HasSubstr("makespan -32.20 %"), HasSubstr(">conv<"),
                             HasSubstr("IO, measured"), HasSubstr("the same decisions")));
  compare(simulated, measured, {"--plot", folder_ / "a.svg"});
  EXPECT_EQ(contents(folder_ / "a.svg"), picture) << "the same picture of the same numbers";
}

TEST_F(Compare, RefusesAllMistakesAtOnce) {
  write(folder_ / "twice.csv", simulated + "0,1,fc,0,compute,0,11000,12000,0\n");
  write(folder_ / "bad.csv", header + "0,0,conv,0,think,0,5,1,0\nx,0,conv,0,compute,0,0,1,0\n");
  const Call call = spillway({"compare", folder_ / "twice.csv", folder_ / "bad.csv", "--tolerance", "3", "--hw-clock",
                              "216", "--plot", folder_ / "a.png", "--tasks", "some"});
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_THAT(call.out, IsEmpty());
  EXPECT_THAT(call.err,
              AllOf(HasSubstr("SIM: "), HasSubstr("compute 0 of layer 1 (fc), tile 0, frame 0 is there twice"),
                    HasSubstr("bad.csv:2:"), HasSubstr("bad.csv:3:1"), HasSubstr("--tolerance"),
                    HasSubstr("--hw-clock"), HasSubstr("--plot: "), HasSubstr("--tasks: ")));
  EXPECT_THAT(spillway("compare").err, AllOf(HasSubstr("SIM: is missing"), HasSubstr("HW: is missing")));
  EXPECT_THAT(spillway({"compare", folder_ / "none", folder_.path().string()}).err,
              AllOf(ContainsRegex("SIM: cannot read '.*none'"), HasSubstr("HW: cannot read")));
}

}  // namespace
}  // namespace spillway::cli_test
