#include "hw/mpi/tables.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace spillway::mpi {
namespace {

using Table = nlohmann::ordered_json;

std::string text_of(const Table& table) {
  return table.dump(2) + "\n";
}

}  // namespace

std::string sender_table(const split::Split& split) {
  Table table = Table::object();
  for (const split::SubModel& rank : split.ranks) {
    Table& row = table[rank.key] = Table::object();
    for (const std::size_t buffer : rank.sends)
      row[split.buffers[buffer].name] = split.buffers[buffer].destinations;
  }
  return text_of(table);
}

std::string receiver_table(const split::Split& split) {
  Table table = Table::object();
  for (const split::SubModel& rank : split.ranks) {
    Table& row = table[rank.key] = Table::object();
    for (const std::size_t buffer : rank.receives)
      row[split.buffers[buffer].name] = {split.buffers[buffer].source};
  }
  return text_of(table);
}

std::vector<std::vector<int>> bound_cores(const std::vector<platforms::Device>& devices,
                                          const std::vector<platforms::Resource>& resources) {
  std::vector<std::set<int>> taken(devices.size());
  for (const platforms::Resource& resource : resources)
    taken[resource.device].insert(resource.cores.begin(), resource.cores.end());
  std::vector<std::vector<int>> cores;
  for (const platforms::Resource& resource : resources) {
    cores.push_back(resource.cores);
    if (!resource.gpu) continue;
    const std::vector<int>& all = devices[resource.device].cores;
    const auto is_free = [&](int core) { return !taken[resource.device].contains(core); };
    const auto free = std::find_if(all.rbegin(), all.rend(), is_free);
    cores.back() = {free == all.rend() ? all.back() : *free};
    taken[resource.device].insert(cores.back().front());
  }
  return cores;
}

std::string rankfile(const std::vector<platforms::Device>& devices, const std::vector<platforms::Resource>& resources) {
  const std::vector<std::vector<int>> cores = bound_cores(devices, resources);
  std::string text;
  for (std::size_t rank = 0; rank < resources.size(); ++rank)
    text +=
        fmt::format("rank {}={} slot={}\n", rank, devices[resources[rank].device].name, fmt::join(cores[rank], ","));
  return text;
}

std::string hostfile(const std::vector<platforms::Device>& devices, const std::vector<platforms::Resource>& resources) {
  std::string text;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const auto is_here = [i](const platforms::Resource& resource) { return resource.device == i; };
    if (std::ranges::any_of(resources, is_here))
      text += fmt::format("{} slots={}\n", devices[i].name, devices[i].cores.size());
  }
  return text;
}

}  // namespace spillway::mpi
