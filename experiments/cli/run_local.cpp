#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "experiments/cli/infer_inputs.hpp"
#include "experiments/cli/request.hpp"
#include "experiments/cli/verbs.hpp"
#include "hw/kernels/session/program.hpp"

extern char** environ;

namespace spillway::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Options {
  std::string folder;
  std::string results;
  InferInputs inputs;
  std::string frames = "20", warm_up = "4", communication = "overlap", threads;
};

enum class Output { as_ours, to_stderr };

/// Runs a command; the exit code, or 128 + the signal that ended it.
int execute(std::vector<std::string> words, Output output) {
  std::vector<char*> arguments;
  for (std::string& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  if (output == Output::to_stderr) ::posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, arguments.front(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::system_error(error, std::generic_category(), words.front() + " cannot be started");
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), words.front());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::optional<json> read_record(const Options& options, Request& request) {
  if (options.folder.empty()) {
    request.problem("DIR", "is missing; expected the folder that `spillway split` made");
    return std::nullopt;
  }
  std::ifstream stream(fs::path(options.folder) / "split.json");
  if (!stream) {
    request.problem(
        "DIR", fmt::format("\"{}\" holds no split; expected the folder that `spillway split` made", options.folder));
    return std::nullopt;
  }
  try {
    return json::parse(stream);
  } catch (const json::exception&) {
    request.problem("DIR", fmt::format("\"{}/split.json\" is damaged; split again", options.folder));
    return std::nullopt;
  }
}

/// Cores of the split that this machine does not have: mpirun would end without a word.
void name_absent_cores(const json& record) {
  const int here = static_cast<int>(std::thread::hardware_concurrency());
  for (const json& rank : record.at("ranks"))
    for (const int core : rank.at("cores"))
      if (core >= here)
        fmt::print(stderr, "spillway run-local: {}: core {} does not exist here ({} cores); ranks are not bound\n",
                   rank.at("key").get<std::string>(), core, here);
}

/// Ranks on GPUs, unless the folder's build was given kernels for them (hw/mpi/README.md): known before anything is
/// built.
void refuse_gpus(const fs::path& folder, const json& record, Request& request) {
  std::ifstream cache(folder / "build/CMakeCache.txt");
  for (std::string line; std::getline(cache, line);)
    if (line.starts_with("SPILLWAY_KERNELS:") && !line.ends_with('=')) return;
  std::string ranks;
  for (const json& rank : record.at("ranks"))
    if (rank.at("gpu").get<bool>()) ranks += (ranks.empty() ? "" : ", ") + rank.at("key").get<std::string>();
  if (ranks.empty()) return;
  request.problem("DIR",
                  fmt::format("{} compute on GPUs, for which no kernels are built in; expected a mapping on cores "
                              "(`spillway explore --resources all-cores`), or `cmake -DSPILLWAY_KERNELS=LIBRARY` "
                              "of {}/build",
                              ranks, folder.string()));
}

/// The inputs of the split network, as a program that has nothing else.
kernels::Program inputs_of(const json& record) {
  kernels::Program program;
  for (const json& input : record.at("inputs"))
    program.inputs.push_back(program.add_value({input.at("name").get<std::string>(),
                                                input.at("extents").get<std::vector<std::int64_t>>(),
                                                false,
                                                {},
                                                kernels::no_value}));
  return program;
}

/// What the ranks read: raw numbers, `NAME=FILE`.
std::vector<std::string> write_inputs(const fs::path& folder, const kernels::Program& program, const Frames& frames) {
  std::vector<std::string> arguments;
  fs::create_directories(folder);
  for (std::size_t i = 0; i < frames.inputs.size(); ++i) {
    const fs::path path = folder / fmt::format("{}.f32", i);
    std::ofstream stream(path, std::ios::binary | std::ios::trunc);
    stream.write(reinterpret_cast<const char*>(frames.inputs[i].data()),
                 static_cast<std::streamsize>(frames.inputs[i].size() * sizeof(float)));
    stream.close();
    if (!stream) throw std::system_error(errno == 0 ? EIO : errno, std::generic_category(), path.string());
    arguments.push_back(program.values[program.inputs[i]].name + "=" + path.string());
  }
  return arguments;
}

/// Builds the program once; every device has the same.
fs::path build(const fs::path& folder, const json& record) {
  const fs::path package =
      fs::absolute(folder / "packages" / record.at("ranks").front().at("device").get<std::string>());
  fs::path program = package / "inference";
  const std::string source = package.string(), build = (fs::absolute(folder) / "build").string();
  if (execute({"cmake", "-S", source, "-B", build, "--log-level=WARNING"}, Output::to_stderr) != 0 ||
      execute({"cmake", "--build", build, "--parallel", "2", "--", "-s"}, Output::to_stderr) != 0)
    throw std::runtime_error("the program could not be built");
  return program;
}

int start(const Options& options, const json& record, const Frames& frames) {
  const fs::path folder = options.folder;
  const fs::path program = build(folder, record);
  const fs::path results = options.results.empty() ? folder / "results" : fs::path(options.results);
  fs::create_directories(results);
  if (::geteuid() == 0) {
    // Who starts this as root, in a container say, means it.
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  }
  ::setenv("OMP_WAIT_POLICY", "passive", 0);
  std::vector<std::string> words = {"mpirun",
                                    "--oversubscribe",
                                    "--bind-to",
                                    "none",
                                    "-n",
                                    std::to_string(record.at("ranks").size()),
                                    program.string(),
                                    "--packages",
                                    fs::absolute(folder / "packages").string(),
                                    "--results",
                                    results.string(),
                                    "--frames",
                                    options.frames,
                                    "--warm-up",
                                    options.warm_up,
                                    "--comm",
                                    options.communication};
  if (!options.threads.empty()) words.insert(words.end(), {"--threads", options.threads});
  for (const std::string& input : write_inputs(results / "inputs", inputs_of(record), frames))
    words.insert(words.end(), {"--input", input});
  return execute(std::move(words), Output::as_ours);
}

ExitCode run(const CLI::App& verb, const Options& options) {
  Request request(verb);
  const std::optional<json> record = read_record(options, request);
  request.number("--frames", options.frames, 1, 1'000'000'000);
  request.number("--warm-up", options.warm_up, 0, 1'000'000'000);
  if (!options.threads.empty()) request.number("--threads", options.threads, 1, 1024);
  request.choice("--comm", "way to communicate", options.communication, {"paper", "overlap"});
  const std::uint64_t seed =
      request.number("--seed", options.inputs.seed, 0, std::numeric_limits<std::uint64_t>::max());
  std::optional<kernels::Program> program;
  if (record) {
    program = inputs_of(*record);
    refuse_gpus(options.folder, *record, request);
  }
  const Frames frames = read(options.inputs, seed, program ? &*program : nullptr, request);
  request.check();
  name_absent_cores(*record);
  const int code = start(options, *record, frames);
  return code == 0 ? ExitCode::done : code == 2 ? ExitCode::bad_request : ExitCode::failed;
}

}  // namespace

void add_run_local(CLI::App& app, Outcome& outcome) {
  CLI::App& verb = add_verb(app, "run-local", "Builds a split and runs it here, one MPI process a rank");
  const auto options = std::make_shared<Options>();
  verb.add_option("DIR", options->folder, "The folder that `spillway split` made")->type_name("");
  options->inputs.add_to(verb);
  verb.add_option("--results", options->results, "Where results and timings are written [DIR/results]")
      ->type_name("DIR");
  verb.add_option("--frames", options->frames, "Frames that are measured")->type_name("N")->capture_default_str();
  verb.add_option("--warm-up", options->warm_up, "Frames before them")->type_name("N")->capture_default_str();
  verb.add_option("--comm", options->communication, "paper: receive, compute, send; overlap: at the same time")
      ->type_name("MODE")
      ->capture_default_str();
  verb.add_option("--threads", options->threads, "Of each rank [as many as its key has cores]")->type_name("N");
  verb.footer(
      "An image is decoded here: devices read raw numbers. Noise is that of `spillway infer`, whose back-end eigen "
      "gives\n"
      "the same bits. Ranks are not bound to cores.");
  verb.callback([&verb, options, &outcome] { outcome.code = run(verb, *options); });
}

}  // namespace spillway::cli
