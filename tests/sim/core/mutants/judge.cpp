#include <array>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "../comparison.hpp"
#include "../exploration.hpp"
#include "../random_plan.hpp"
#include "../small_plans.hpp"
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// Judges the core that it is linked with: runs it beside the oracle until the first difference.
//   judge caught     succeeds when a difference, a crash or an endless run shows
//   judge survives   succeeds when nothing does (the core without a planted fault)
//   judge stalls     succeeds when the exploration of a small plan with pins finds a deadlock

namespace {

using namespace spillway::oracle;

constexpr std::uint64_t plans = 3000;
/// Seconds of CPU. A core without faults takes a few, with sanitizers a minute.
constexpr rlim_t caught_within_s = 10, survives_within_s = 280;
constexpr int different = 1;

/// The first difference on the random plans, or an empty text.
std::string first_difference() {
  constexpr std::array limits{Limits{1, 1}, Limits{2, 1}, Limits{3, 2}, Limits{8, 3}};
  for (std::uint64_t seed = 0; seed < plans; ++seed) {
    for (PlanTables (*plan)(std::uint64_t) : {random_plan, random_plan_with_pins}) {
      const PlanTables tables = plan(seed);
      std::string difference = compare_geometry(tables);
      if (difference.empty()) difference = compare_schedules(tables, seed, limits[seed % limits.size()]).difference;
      if (!difference.empty()) return "seed " + std::to_string(seed) + ": " + difference;
    }
  }
  return {};
}

/// Judges in a process of its own, since a faulty core may crash or run for ever.
std::string verdict(rlim_t limit_s) {
  const pid_t child = fork();
  if (child < 0) return {};
  if (child == 0) {
    const rlimit limit{limit_s, limit_s};
    setrlimit(RLIMIT_CPU, &limit);
    const std::string difference = first_difference();
    std::cout << difference << std::endl;
    _exit(difference.empty() ? EXIT_SUCCESS : different);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) return WEXITSTATUS(status) == EXIT_SUCCESS ? "" : "it differs";
  if (WIFSIGNALED(status))
    return WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL ? "it runs for ever" : "it crashes";
  return {};
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view expected = count == 2 ? arguments[1] : "";
  if (expected == "stalls") {
    const Exploration found = find_stall(plan_that_needs_tickets().tables, {.io = 3, .compute = 1}, 1'000'000);
    std::cout << (found.stalled != 0 ? "stalls:\n" + found.first_stalled : "does not stall\n");
    return found.stalled != 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  if (expected != "caught" && expected != "survives") {
    std::cerr << "usage: judge caught|survives|stalls\n";
    return 2;
  }
  const std::string caught = verdict(expected == "survives" ? survives_within_s : caught_within_s);
  std::cout << (caught.empty() ? "survives " + std::to_string(plans) + " plans" : "caught: " + caught) << "\n";
  return caught.empty() == (expected == "survives") ? EXIT_SUCCESS : EXIT_FAILURE;
}
