#include <array>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "../comparison.hpp"
#include "../random_plan.hpp"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

// Judges the core that it is linked with: runs it beside the oracle until the first difference.
//   judge caught     succeeds when a difference, a crash or an endless run shows
//   judge survives   succeeds when nothing does (the core without a planted fault)

namespace {

using namespace spillway::oracle;

constexpr std::uint64_t plans = 3000;
/// A core without faults takes a few seconds, with sanitizers half a minute.
constexpr unsigned caught_within_s = 10, survives_within_s = 240;
constexpr int different = 1;

/// The first difference on the random plans, or an empty text.
std::string first_difference() {
  constexpr std::array limits{Limits{1, 1}, Limits{2, 1}, Limits{3, 2}, Limits{8, 3}};
  for (std::uint64_t seed = 0; seed < plans; ++seed) {
    const PlanTables tables = random_plan(seed);
    std::string difference = compare_geometry(tables);
    if (difference.empty()) difference = compare_schedules(tables, seed, limits[seed % limits.size()]).difference;
    if (!difference.empty()) return "seed " + std::to_string(seed) + ": " + difference;
  }
  return {};
}

/// Judges in a process of its own, since a faulty core may crash or run for ever.
std::string verdict(unsigned limit_s) {
  const pid_t child = fork();
  if (child < 0) return {};
  if (child == 0) {
    alarm(limit_s);
    const std::string difference = first_difference();
    std::cout << difference << std::endl;
    _exit(difference.empty() ? EXIT_SUCCESS : different);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) return WEXITSTATUS(status) == EXIT_SUCCESS ? "" : "it differs";
  if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGALRM ? "it runs for ever" : "it crashes";
  return {};
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view expected = count == 2 ? arguments[1] : "";
  if (expected != "caught" && expected != "survives") {
    std::cerr << "usage: judge caught|survives\n";
    return 2;
  }
  const std::string caught = verdict(expected == "survives" ? survives_within_s : caught_within_s);
  std::cout << (caught.empty() ? "survives " + std::to_string(plans) + " plans" : "caught: " + caught) << "\n";
  return caught.empty() == (expected == "survives") ? EXIT_SUCCESS : EXIT_FAILURE;
}
