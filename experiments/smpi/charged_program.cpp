#include "experiments/smpi/charged_program.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "experiments/smpi/command.hpp"
#include "hw/mpi/package.hpp"
#include "sim/pipeline/platform_xml.hpp"

namespace spillway::smpi {
namespace {

namespace fs = std::filesystem;

/// The charged library, and what it has of the real one, as one source: SimGrid's headers are read once.
std::string library_source(const fs::path& tree) {
  std::vector<std::string> sources = {"hw/kernels/blocks.cpp", "hw/kernels/lowering.cpp", "hw/mpi/runtime/options.cpp",
                                      "sim/engine/occupy_cores.cpp", "experiments/smpi/occupy_cores.cpp"};
  for (const fs::directory_entry& entry : fs::directory_iterator(tree / "hw/mpi/charged"))
    if (entry.path().extension() == ".cpp") sources.push_back("hw/mpi/charged/" + entry.path().filename().string());
  std::ranges::sort(sources);
  std::string text;
  for (const std::string& source : sources)
    text += fmt::format("#include \"{}\"\n", source);
  return text;
}

void write_text(const fs::path& path, std::string_view text) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream << text;
  stream.close();
  if (!stream) throw std::system_error(errno == 0 ? EIO : errno, std::generic_category(), path.string());
}

std::uint64_t to_ns(double seconds) {
  return static_cast<std::uint64_t>(std::llround(seconds * 1e9));
}

/// What the library's Job::report writes; smpirun's own exit code does not say whether a rank has failed.
pipeline::Run read_run(const fs::path& path, std::uint64_t frames, const fs::path& log) {
  std::ifstream stream(path);
  pipeline::Run run;
  std::string word;
  double makespan = 0, begin = 0, end = 0;
  stream >> word >> makespan;
  run.makespan_ns = to_ns(makespan);
  while (stream >> word >> begin >> end) {
    run.frame_begin_ns.push_back(to_ns(begin));
    run.frame_done_ns.push_back(to_ns(end));
  }
  if (run.frame_done_ns.size() != frames) throw std::runtime_error("smpirun ended without a result:\n" + end_of(log));
  return run;
}

}  // namespace

bool is_installed() {
  return find_program("smpicxx") && find_program("smpirun");
}

ChargedLibrary::ChargedLibrary(const fs::path& folder) : tree_(mpi::shipped_sources().tree), folder_(folder) {
  const fs::path source = folder / "library.cpp";
  write_text(source, library_source(tree_));
  run_command({"smpicxx", "-std=c++17", "-O1", "-I" + tree_.string(), "-c", source.string(), "-o", object().string()},
              folder / "compiler.log");
}

void ChargedLibrary::compile(const fs::path& source, const fs::path& program) const {
  // It only calls the library: optimising it would take the compiler's time and save none of the program's.
  run_command({"smpicxx", "-std=c++17", "-O0", "-I" + tree_.string(), source.string(), object().string(), "-o",
               program.string()},
              folder_ / "compiler.log");
}

pipeline::Run run_charged(const fs::path& program, const mpi::CostTable& costs,
                          std::span<const pipeline::Placement> placements, const pipeline::Machine& machine,
                          const ChargedOptions& options, const fs::path& folder) {
  write_text(folder / "costs.txt", to_text(costs));
  write_text(folder / "platform.xml", pipeline::platform_xml(machine));
  write_text(folder / "hostfile", pipeline::hostfile(placements, machine));
  const fs::path result = folder / "run.txt";
  fs::remove(result);
  std::vector<std::string> words = {"smpirun",
                                    "-np",
                                    std::to_string(placements.size()),
                                    "-platform",
                                    (folder / "platform.xml").string(),
                                    "-hostfile",
                                    (folder / "hostfile").string(),
                                    "--log=root.thres:warning"};
  for (const std::string& setting : pipeline::smpi_settings(machine))
    words.push_back("--cfg=" + setting);
  const bool paper = options.communication == pipeline::Communication::paper;
  words.insert(words.end(), {program.string(), "--packages", folder.string(), "--results", folder.string(), "--frames",
                             std::to_string(options.frames), "--warm-up", std::to_string(options.warm_up), "--comm",
                             paper ? "paper" : "overlap"});
  const fs::path log = folder / "smpirun.log";
  run_command(std::move(words), log);
  return read_run(result, options.warm_up + options.frames, log);
}

}  // namespace spillway::smpi
