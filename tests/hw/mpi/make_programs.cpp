// Splits random networks and writes their programs, weight files, inputs, and the results of one process, for the
// program that runs them all in one MPI job (run_programs.cpp).
//
//   make_programs FOLDER FIRST COUNT small|large
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "random_split.hpp"
#include <fmt/format.h>

#include "hw/kernels/session/session.hpp"
#include "hw/mpi/program_text.hpp"
#include "hw/mpi/weight_files.hpp"

namespace {

namespace fs = std::filesystem;
using namespace spillway;

constexpr std::size_t frames = 3;

void write_floats(const fs::path& path, std::span<const float> numbers, bool append = false) {
  std::ofstream stream(path, std::ios::binary | (append ? std::ios::app : std::ios::trunc));
  stream.write(reinterpret_cast<const char*>(numbers.data()), static_cast<std::streamsize>(numbers.size_bytes()));
}

std::vector<std::string> names_of(const std::vector<models::NodeId>& nodes, const models::Network& network) {
  std::vector<std::string> names;
  for (const models::NodeId node : nodes)
    names.push_back(network.node(node).name);
  return names;
}

/// What one process computes, layer by layer without any fusion: the reference for fused and split networks alike.
void write_expected(const mpi::Deployment& deployment, std::span<const float> input, const fs::path& folder) {
  std::vector<models::NodeId> outputs;
  for (const split::SubModel& rank : deployment.split.ranks)
    outputs.insert(outputs.end(), rank.outputs.begin(), rank.outputs.end());
  const std::vector<std::string> names = names_of(outputs, deployment.network);
  kernels::SessionOptions options;
  options.backend = kernels::Backend::eigen;
  kernels::Session session(kernels::lower(deployment.network, deployment.weights, names), options);
  std::vector<fs::path> files;
  for (const models::NodeId output : outputs)
    files.push_back(folder / (deployment.split.tensors[output] + ".f32"));
  for (const fs::path& file : files)
    fs::remove(file);
  for (std::size_t frame = 0; frame < frames; ++frame) {
    const std::span<float> place = session.input(0);
    std::copy_n(input.begin() + static_cast<std::ptrdiff_t>(frame * place.size()), place.size(), place.begin());
    session.run();
    for (std::size_t i = 0; i < names.size(); ++i)
      write_floats(files[i], session.output(i), true);
  }
}

void write_case(std::size_t number, const fs::path& folder) {
  const mpi::Deployment deployment = mpi::random_deployment(number);
  const fs::path data = folder / fmt::format("case_{}", number);
  fs::create_directories(data / "expected");
  std::vector<mpi::RankPlan> plans;
  for (split::Rank rank = 0; rank < deployment.split.ranks.size(); ++rank)
    plans.push_back(mpi::plan_rank(deployment.network, deployment.split, rank, deployment.weights));
  fs::create_directories(data / "packages");
  const std::uint64_t hash = mpi::write_weight_files(deployment, plans, data);
  for (const platforms::Device& device : deployment.devices) {
    fs::remove(data / "packages" / device.name);
    fs::create_directory_symlink("..", data / "packages" / device.name);
  }
  std::ofstream(folder / fmt::format("program_{}.cpp", number)) << mpi::program_text(deployment, plans, hash);

  std::size_t elements = 0;
  for (const models::Node& node : deployment.network.nodes())
    if (node.op == models::Operator::input) elements = static_cast<std::size_t>(node.output.elements());
  const std::vector<float> input = mpi::random_numbers(frames * elements, number);
  write_floats(data / "input.f32", input);
  write_expected(deployment, input, data / "expected");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  try {
    const fs::path folder = argv[1];
    const std::size_t first = std::strtoul(argv[2], nullptr, 10), count = std::strtoul(argv[3], nullptr, 10);
    const bool wants_large = std::string(argv[4]) == "large";
    std::string declarations, rows;
    for (std::size_t number = first; number < first + count; ++number) {
      if (spillway::mpi::is_large(number) != wants_large) continue;
      write_case(number, folder);
      declarations += fmt::format("int program_{}(int argc, char** argv);\n", number);
      rows += fmt::format("    {{\"{0}/case_{1}\", program_{1}}},\n", fs::absolute(folder).string(), number);
    }
    std::ofstream(folder / fmt::format("programs_{}.cpp", argv[4]))
        << "#include \"tests/hw/mpi/programs.hpp\"\n\n"
        << declarations
        << "\nconst std::vector<SplitProgram>& programs() {\n  static const std::vector<SplitProgram> all = {\n"
        << rows << "  };\n  return all;\n}\n";
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_programs: %s\n", error.what());
    return 1;
  }
}
