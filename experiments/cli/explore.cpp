#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "experiments/cli/cluster_option.hpp"
#include "experiments/cli/interrupt.hpp"
#include "experiments/cli/network_option.hpp"
#include "experiments/cli/pipeline_report.hpp"
#include "experiments/cli/request.hpp"
#include "experiments/cli/sweep.hpp"
#include "experiments/cli/table.hpp"
#include "experiments/cli/verbs.hpp"
#include "experiments/crew/serve.hpp"
#include "experiments/explore/files.hpp"
#include "experiments/explore/remote.hpp"
#include "experiments/explore/search.hpp"
#include "experiments/progress.hpp"
#include "platforms/units.hpp"

namespace spillway::cli {
namespace {

using explore::Kind;
using explore::Objective;
using explore::Worth;
using platforms::Unit;

constexpr std::uint64_t most_individuals = 100'000, most_generations = 1'000'000, most_jobs = 1024;

struct Options {
  NetworkOption network;
  std::string platform, output;
  std::optional<std::string> devices, most_energy, most_memory, jobs;
  std::vector<std::string> resources, objectives;
  std::string individuals = "100", generations = "400", crossover = "0.5", mutation = "0.1", seed = "1";
  std::string communication = "overlap", wait = "sleep", fidelity = "virtual-clock";
  bool resume = false, force = false;
};

/// What to search, read and checked.
struct ExploreRequest {
  explore::Space::Options space;
  explore::SearchOptions search;
  pipeline::Options run;
};

std::vector<Kind> read_kinds(const std::vector<std::string>& names, Request& request) {
  std::vector<Kind> kinds;
  for (const std::string& name : names)
    if (const auto kind = request.choice("--resources", "resource", name, {"gpu", "all-cores", "one-core"}))
      kinds.push_back(static_cast<Kind>(*kind));
  return kinds;
}

std::vector<Objective> read_objectives(const std::vector<std::string>& names, Request& request) {
  if (names.empty()) return {Objective::throughput, Objective::energy, Objective::memory};
  std::vector<Objective> objectives;
  for (const std::string& name : names) {
    const auto objective = request.choice("--objectives", "objective", name, explore::objective_names());
    if (!objective) continue;
    if (std::ranges::find(objectives, static_cast<Objective>(*objective)) != objectives.end())
      request.problem("--objectives", fmt::format("\"{}\" is given twice", name));
    objectives.push_back(static_cast<Objective>(*objective));
  }
  if (request.ok() && objectives.size() < 2)
    request.problem("--objectives", "is one alone; expected two to four: throughput, energy, memory, latency");
  return objectives;
}

double read_limit(const std::string& option, const std::optional<std::string>& text, Unit unit, Request& request) {
  if (!text) return 0;
  try {
    const double limit = platforms::parse_quantity(*text, unit);
    if (limit > 0) return limit;
    request.problem(option, fmt::format("{} is out of range; expected more than 0", *text));
  } catch (const platforms::UnitError& error) {
    request.problem(option, error.what());
  }
  return 0;
}

ExploreRequest read(const Options& options, std::size_t cluster_devices, const crew::Role& role, Request& request) {
  ExploreRequest asked;
  if (options.devices)
    asked.space.devices = request.number("--devices", *options.devices, 1, std::max<std::size_t>(cluster_devices, 1));
  asked.space.kinds = read_kinds(options.resources, request);
  explore::SearchOptions& search = asked.search;
  search.objectives = read_objectives(options.objectives, request);
  search.individuals = request.number("--individuals", options.individuals, 8, most_individuals);
  if (search.individuals % 4 != 0)
    request.problem("--individuals", fmt::format("{} is no multiple of 4; the nearest is {}", search.individuals,
                                                 search.individuals / 4 * 4));
  search.generations = request.number("--generations", options.generations, 0, most_generations);
  search.crossover = request.share("--crossover", options.crossover);
  search.mutation = request.share("--mutation", options.mutation);
  search.seed =
      static_cast<std::uint32_t>(request.number("--seed", options.seed, 0, std::numeric_limits<std::uint32_t>::max()));
  search.most_energy_j = read_limit("--max-energy", options.most_energy, Unit::joules, request);
  search.most_memory_bytes = read_limit("--max-memory", options.most_memory, Unit::bytes, request);
  const unsigned here = std::max(1U, std::thread::hardware_concurrency());
  search.jobs = options.jobs ? static_cast<unsigned>(request.number("--jobs", *options.jobs, 1, most_jobs)) : here;
  if (!role.is_alone()) {
    refuse_jobs(request, options.jobs.value_or(""));
    search.jobs = role.workers;
  }
  asked.run.communication = read_communication(options.communication, request);
  asked.run.wait = read_wait(options.wait, request);
  asked.run.driver = read_driver("--fidelity", options.fidelity, request);
  if (options.output.empty()) request.problem("--output", "is missing; expected the folder for the results");
  return asked;
}

/// What two searches must share for one to go on from the other.
std::string configuration_of(const Options& options, const ExploreRequest& asked, const explore::Space& space) {
  std::vector<int> objectives;
  for (const Objective objective : asked.search.objectives)
    objectives.push_back(static_cast<int>(objective));
  const auto& search = asked.search;
  return fmt::format(
      "{} {} on {}, {} devices, resources {}, objectives {}, {} individuals, crossover {}, mutation {}, "
      "seed {}, limits {} J {} B, {} {} {}, version {}",
      options.network.network, fmt::join(options.network.dimensions, " "), space.cluster().cluster().name,
      space.devices(), fmt::join(options.resources, " "), fmt::join(objectives, " "), search.individuals,
      search.crossover, search.mutation, search.seed, search.most_energy_j, search.most_memory_bytes,
      options.communication, options.wait, options.fidelity, SPILLWAY_VERSION);
}

/// What all processes of one search agree in: what is asked for and, to its last bit, what a mapping on all devices is
/// worth, which depends on every file that is read.
std::string identity_of(const std::string& configuration, const std::vector<explore::Mapping>& seeds,
                        explore::Evaluator& evaluator) {
  const Worth worth = evaluator(seeds.back());
  return fmt::format("{}: {} {} {} {}", configuration, worth.throughput_per_s, worth.energy_j, worth.memory_bytes,
                     worth.latency_s);
}

std::vector<explore::FrontMember> on_simgrid(const explore::Search& search, explore::Evaluator& evaluator) {
  std::vector<explore::FrontMember> front;
  for (const std::size_t member : search.front()) {
    const explore::Evaluated& evaluated = search.archive()[member];
    const pipeline::Result& result = evaluator.run(evaluated.mapping, pipeline::Driver::simgrid);
    front.push_back({evaluated,
                     {result.throughput_per_s, result.highest_energy_per_frame_j(),
                      static_cast<double>(result.highest_memory()), result.latency_s}});
  }
  return front;
}

void print_front(const explore::Space& space, const std::vector<explore::FrontMember>& front) {
  constexpr std::size_t most_rows = 12;
  Table table({{"front", true},
               {"frames/s", true},
               {"energy a frame", true},
               {"memory", true},
               {"latency", true},
               {"on SimGrid", true},
               {"mapping"}});
  const std::size_t rows = std::min(front.size(), most_rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t i = rows == 1 ? 0 : row * (front.size() - 1) / (rows - 1);
    const Worth& worth = front[i].evaluated.worth;
    std::string mapping = space.describe(front[i].evaluated.mapping);
    constexpr std::size_t most_letters = 60;
    if (mapping.size() > most_letters) mapping = mapping.substr(0, most_letters - 3) + "...";
    table.row({std::to_string(i + 1), fmt::format("{:.3g}", worth.throughput_per_s),
               platforms::format_quantity(worth.energy_j, Unit::joules),
               platforms::format_bytes(static_cast<std::uint64_t>(worth.memory_bytes)),
               platforms::format_seconds(worth.latency_s), fmt::format("{:.3g}", front[i].simgrid.throughput_per_s),
               mapping});
  }
  fmt::print("{}", table.text());
  if (front.size() > rows) fmt::print("{} of {} members, evenly chosen; all are in front.csv\n", rows, front.size());
}

std::string record_of(const CLI::App& verb, const explore::Search& search, const std::string& configuration,
                      std::size_t front, double volume, double wall_s) {
  const nlohmann::ordered_json record = {{"spillway", SPILLWAY_VERSION},
                                         {"command", command_line(verb)},
                                         {"configuration", configuration},
                                         {"generations", search.state().generation},
                                         {"mappings", search.archive().size()},
                                         {"front", front},
                                         {"hypervolume", volume},
                                         {"hypervolume_reference", search.reference()},
                                         {"jobs", search.options().jobs},
                                         {"wall_s", wall_s}};
  return record.dump(2) + "\n";
}

/// True when the search came to its end.
bool advance(explore::Search& search, explore::SearchDirectory& directory, std::vector<double>& volumes) {
  const std::size_t all = search.options().generations;
  experiments::Progress progress(stderr, "generations", volumes.empty() ? 0 : search.state().generation);
  const Interrupt interrupt;
  while (!interrupt.requested()) {
    try {
      if (!search.step()) return true;
    } catch (const crew::Unanswered& error) {
      if (interrupt.requested()) return false;
      throw std::runtime_error(fmt::format("{}; the same command with --resume goes on", error.what()));
    }
    volumes.push_back(search.volume());
    directory.save(search, volumes);
    progress.report(search.state().generation, std::max<std::size_t>(all, 1));
  }
  return false;
}

ExitCode run(const CLI::App& verb, const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  Request request(verb);
  const std::optional<pipeline::ClusterModel> cluster = read_cluster(options.platform, request);
  const crew::Role role = crew::role();
  const ExploreRequest asked = read(options, cluster ? cluster->machine().devices.size() : 1, role, request);
  const std::optional<models::LoadedNetwork> loaded = read(options.network, request);
  request.check();

  std::optional<explore::Space> space;
  try {
    space.emplace(loaded->network, *cluster, asked.space);
  } catch (const std::invalid_argument& error) {
    request.problem("--resources", error.what());
  }
  request.check();
  const std::string configuration = configuration_of(options, asked, *space);
  const platforms::Efficiencies efficiencies = platforms::load_efficiencies();
  explore::Evaluator evaluator(*space, efficiencies, asked.run);
  const std::vector<explore::Mapping> seeds = explore::seed_mappings(*space, evaluator);
  if (role.is_worker) {
    crew::serve(crew::launcher_descriptor, identity_of(configuration, seeds, evaluator),
                [&](const std::string& batch) { return explore::answer_of(batch, *space, std::ref(evaluator)); });
    return ExitCode::done;
  }
  explore::SearchDirectory directory(options.output, configuration, options.force);
  const auto earlier = options.resume ? directory.unfinished(*space) : std::nullopt;
  std::optional<crew::Crew> workers;
  if (!role.is_alone())
    workers.emplace(crew::launcher_descriptor, role.workers, identity_of(configuration, seeds, evaluator),
                    note_of(verb));
  explore::Search search =
      workers ? explore::Search(*space, explore::evaluations_of(*workers, Interrupt::requested), asked.search, seeds)
              : explore::Search(*space, std::ref(evaluator), asked.search, seeds);
  std::vector<double> volumes;
  if (earlier) {
    search.resume(earlier->state, earlier->archive);
    volumes = earlier->volumes;
    fmt::print(stderr, "goes on behind generation {}\n", earlier->state.generation);
  }
  directory.begin(earlier);
  if (!advance(search, directory, volumes)) {
    fmt::print(stderr, "spillway explore: stopped after generation {}; the same command with --resume goes on\n",
               volumes.empty() ? 0 : volumes.size() - 1);
    return ExitCode::failed;
  }
  const std::vector<explore::FrontMember> front = on_simgrid(search, evaluator);
  const double wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  directory.finish(search, *space, volumes, front,
                   record_of(verb, search, configuration, front.size(), volumes.back(), wall_s));
  print_front(*space, front);
  fmt::print("\n{} mappings in {}, {} members of the front, hypervolume {:.4g}\n",
             with_thousands(search.archive().size()), platforms::format_seconds(wall_s), front.size(), volumes.back());
  fmt::print("{}: front.csv, archive.csv, hypervolume.csv, mappings, explore.json\n", directory.path().string());
  return ExitCode::done;
}

}  // namespace

void add_explore(CLI::App& app, Outcome& outcome) {
  CLI::App& verb = add_verb(app, "explore", "Searches mappings of a network onto a cluster: NSGA-II, Pareto front");
  const auto options = std::make_shared<Options>();
  options->network.add_to(verb);
  const auto add = [&verb](const std::string& name, auto& value, const std::string& text, const std::string& type) {
    return verb.add_option(name, value, text)->type_name(type);
  };
  add("--platform", options->platform, "The cluster: a name or a .yaml file", "CLUSTER");
  add("--devices", options->devices, "Only the first devices of the cluster [all]", "N");
  add("--resources", options->resources, "What layers may run on: gpu, all-cores, one-core [all]", "NAME,...")
      ->delimiter(',');
  add("--objectives", options->objectives, "Of throughput, energy, memory, latency [the first three]", "NAME,...")
      ->delimiter(',');
  add("--max-energy", options->most_energy, "Energy of a frame that no board may exceed", "ENERGY");
  add("--max-memory", options->most_memory, "Memory that no board may exceed", "SIZE");
  add("--individuals", options->individuals, "Of a generation", "N")->capture_default_str();
  add("--generations", options->generations, "After the first population", "N")->capture_default_str();
  add("--crossover", options->crossover, "Probability for each pair", "SHARE")->capture_default_str();
  add("--mutation", options->mutation, "Probability for each gene", "SHARE")->capture_default_str();
  add("--seed", options->seed, "The same seed gives the same front", "NUMBER")->capture_default_str();
  add("--comm", options->communication, "Receive while computing (overlap), or one after the other (paper)", "MODE")
      ->capture_default_str();
  add("--wait", options->wait, "A waiting rank sleeps, or keeps its core busy (spin)", "HOW")->capture_default_str();
  add("--fidelity", options->fidelity, "What judges a mapping: virtual-clock, or simgrid (slower)", "DRIVER")
      ->capture_default_str();
  add("--jobs", options->jobs, "Processes [one a core]", "N");
  add("--output", options->output, "The folder for the results", "DIR");
  verb.add_flag("--resume", options->resume, "Goes on from the last generation of a search that was ended");
  verb.add_flag("--force", options->force, "Writes into a folder that holds other files");
  verb.footer(
      "The members of the final front are simulated again on SimGrid. mappings/front-001.json is the mapping of\n"
      "the front's first member, as split and pipeline take it.");
  verb.callback([&verb, options, &outcome] { outcome.code = run(verb, *options); });
}

}  // namespace spillway::cli
