#include "hw/linux/program/program_file.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "card_on_disk.hpp"
#include "temporary_folder.hpp"
#include <gtest/gtest.h>

#include "models/zoo.hpp"

namespace spillway::execution {
namespace {

StoredProgram random_program(const char* name, tiling::Random& random) {
  const models::Network network = *models::zoo(name);
  tiling::Request request;
  request.sram_bytes = 32 << 10;
  request.buffer_bytes = 2 << 10;
  request.rule = tiling::Rule::min_traffic;
  request.frames = 2;
  const tiling::SwapPlan made = tiling::make_plan(network, request);
  const QuantizedNetwork quantized_network = quantized(network, made, random);
  const core::Plan plan = made.view();
  return stored_program(plan, made.layer_names, quantized_network.operators, quantized_network.layers,
                        {hash_of(plan), 7, 1000});
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string refusal(const std::filesystem::path& path) {
  try {
    read_program(path);
    return "";
  } catch (const ProgramError& error) {
    return error.what();
  }
}

TEST(ProgramFile, GivesBackWhatWasWritten) {
  const mpi::TemporaryFolder folder;
  tiling::Random random(1);
  for (const char* const name : {"tiny-residual", "tiny-depthwise", "tiny-inception"}) {
    const StoredProgram program = random_program(name, random);
    write_program(folder.path() / "a", program);
    const StoredProgram again = read_program(folder.path() / "a");
    EXPECT_EQ(again.card, program.card);
    EXPECT_EQ(again.layer_names, program.layer_names);
    EXPECT_EQ(hash_of(again.plan()), hash_of(program.plan()));
    ASSERT_EQ(again.numbers.size(), program.numbers.size());
    for (std::size_t row = 0; row < again.numbers.size(); ++row) {
      EXPECT_EQ(again.numbers[row].channels, program.numbers[row].channels);
      EXPECT_EQ(again.numbers[row].rescales, program.numbers[row].rescales);
      EXPECT_EQ(again.numbers[row].clamp, program.numbers[row].clamp);
      EXPECT_EQ(again.operators[row].kernel, program.operators[row].kernel);
      EXPECT_EQ(again.operators[row].window, program.operators[row].window);
    }
    write_program(folder.path() / "b", again);
    EXPECT_EQ(contents(folder.path() / "a"), contents(folder.path() / "b"));
  }
}

TEST(ProgramFile, RefusesWhatIsDamaged) {
  const mpi::TemporaryFolder folder;
  tiling::Random random(2);
  write_program(folder.path() / "a", random_program("tiny-chain", random));
  const std::string whole = contents(folder.path() / "a");
  for (int i = 0; i < 200; ++i) {
    std::string damaged = whole;
    const auto at = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(whole.size()) - 1));
    if (random.chance(50)) {
      damaged.resize(at);
    } else {
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << random.between(0, 7)));
    }
    std::ofstream(folder.path() / "b", std::ios::binary) << damaged;
    EXPECT_NE(refusal(folder.path() / "b"), "") << at;
  }
  EXPECT_EQ(refusal(folder.path() / "none"), "program " + (folder.path() / "none").string() + ": cannot be opened");
}

}  // namespace
}  // namespace spillway::execution
