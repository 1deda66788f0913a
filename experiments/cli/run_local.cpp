#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
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

#include "experiments/cli/request.hpp"
#include "experiments/cli/verbs.hpp"

extern char** environ;

namespace spillway::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Options {
  std::string folder;
  std::string results;
  std::vector<std::string> inputs;
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

/// Numbers for inputs that nobody gave: uniform from -1 to 1, the same everywhere.
fs::path made_input(const fs::path& folder, const std::string& name, std::size_t elements) {
  std::string file = name;
  std::ranges::replace(file, '/', '_');
  const fs::path path = folder / (file + ".input.f32");
  std::vector<float> numbers;
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < elements; ++i) {
    // splitmix64
    std::uint64_t z = state += 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    z ^= z >> 31;
    numbers.push_back(static_cast<float>(z >> 40) / static_cast<float>(1 << 23) - 1.0F);
  }
  std::ofstream stream(path, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(numbers.data()),
               static_cast<std::streamsize>(numbers.size() * sizeof(float)));
  return path;
}

bool is_given(const std::string& name, const std::vector<std::string>& inputs) {
  return std::ranges::any_of(inputs, [&](const std::string& text) {
    return text.find('=') == std::string::npos || text.starts_with(name + "=");
  });
}

/// Builds the program once; every device has the same.
fs::path build(const fs::path& folder, const json& record) {
  const fs::path package =
      fs::absolute(folder / "packages" / record.at("ranks").front().at("device").get<std::string>());
  const fs::path program = package / "inference";
  const std::string source = package.string(), build = (fs::absolute(folder) / "build").string();
  if (execute({"cmake", "-S", source, "-B", build, "--log-level=WARNING"}, Output::to_stderr) != 0 ||
      execute({"cmake", "--build", build, "--parallel", "2", "--", "-s"}, Output::to_stderr) != 0)
    throw std::runtime_error("the program could not be built");
  return program;
}

int start(const Options& options, const json& record) {
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
  for (const std::string& input : options.inputs)
    words.insert(words.end(), {"--input", input});
  for (const auto& [name, elements] : record.at("inputs").items())
    if (!is_given(name, options.inputs))
      words.insert(words.end(),
                   {"--input", name + "=" + made_input(results, name, elements.get<std::size_t>()).string()});
  return execute(std::move(words), Output::as_ours);
}

ExitCode run(const CLI::App& verb, const Options& options) {
  Request request(verb);
  const std::optional<json> record = read_record(options, request);
  request.number("--frames", options.frames, 1, 1'000'000'000);
  request.number("--warm-up", options.warm_up, 0, 1'000'000'000);
  if (!options.threads.empty()) request.number("--threads", options.threads, 1, 1024);
  request.choice("--comm", "way to communicate", options.communication, {"paper", "overlap"});
  request.check();
  name_absent_cores(*record);
  const int code = start(options, *record);
  return code == 0 ? ExitCode::done : code == 2 ? ExitCode::bad_request : ExitCode::failed;
}

}  // namespace

void add_run_local(CLI::App& app, Outcome& outcome) {
  CLI::App& verb = add_verb(app, "run-local", "Builds a split and runs it here, one MPI process a rank");
  const auto options = std::make_shared<Options>();
  verb.add_option("DIR", options->folder, "The folder that `spillway split` made")->type_name("");
  verb.add_option("--input", options->inputs, "Raw float32 numbers of an input; may be repeated [pseudo-random]")
      ->type_name("[NAME=]FILE")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->expected(1);
  verb.add_option("--results", options->results, "Where results and timings are written [DIR/results]")
      ->type_name("DIR");
  verb.add_option("--frames", options->frames, "Frames that are measured")->type_name("N")->capture_default_str();
  verb.add_option("--warm-up", options->warm_up, "Frames before them")->type_name("N")->capture_default_str();
  verb.add_option("--comm", options->communication, "paper: receive, compute, send; overlap: at the same time")
      ->type_name("MODE")
      ->capture_default_str();
  verb.add_option("--threads", options->threads, "Of each rank [as many as its key has cores]")->type_name("N");
  verb.callback([&verb, options, &outcome] { outcome.code = run(verb, *options); });
}

}  // namespace spillway::cli
