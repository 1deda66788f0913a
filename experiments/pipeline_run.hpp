#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/parameters.hpp"

namespace spillway::experiments {

/// What a sweep of pipeline runs can vary, in the order of the columns. `pipeline_runs()` says how they are written.
enum class PipelineParameter : std::uint8_t {
  network,
  cluster,
  devices,         ///< that a mapping uses, exactly
  search_devices,  ///< that a search may use: the first ones of the cluster
  resources,
  comm,
  wait,
  how,
  individuals,
  generations,
  seed,
};
inline constexpr std::size_t pipeline_parameter_count = 11;

// Words of the files.
inline constexpr std::string_view as_many_as_used = "devices";      ///< search_devices: as many as the mapping uses
inline constexpr std::string_view resources_of_all_kinds = "all";   ///< resources
inline constexpr std::string_view how_alone = "alone";              ///< how: the whole network on one resource
inline constexpr std::string_view how_search = "search";            ///< how: NSGA-II
inline constexpr std::string_view how_exact_chain = "exact-chain";  ///< how: the optimum of a chain, closed form

/// What is known of the mappings that use a point's number of devices.
struct PipelineRun {
  std::uint64_t devices = 1;

  // The fastest one.
  double throughput_per_s = 0;
  double energy_j = 0;      ///< a frame, of the board that needs most
  double memory_bytes = 0;  ///< of the board that needs most
  std::optional<double> latency_s;
  std::optional<double> without_messages_per_s;  ///< its throughput if messages took no time
  std::optional<std::uint64_t> cores, gpus;      ///< that it uses; a GPU's host thread is not counted
  std::string mapping;                           ///< in a line; empty: not known

  double fastest_of_fewer_per_s = 0;  ///< the highest throughput of mappings on at most that many devices
  double least_energy_j = 0;          ///< each the least among all that use that many, of whatever mapping
  double least_memory_bytes = 0;
  std::uint64_t mappings = 1;                ///< that were evaluated and use that many
  std::optional<double> one_resource_per_s;  ///< throughput of one such resource alone; nothing: of several kinds
};

/// In the order of the metrics of pipeline_runs(); nothing: not defined for this run.
std::vector<std::optional<Value>> measure(const PipelineRun& run);

}  // namespace spillway::experiments
