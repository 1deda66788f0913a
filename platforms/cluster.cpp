#include "platforms/cluster.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "platforms/board.hpp"
#include "platforms/catalogue.hpp"
#include "platforms/yaml_reader.hpp"

namespace spillway::platforms {
namespace {

const Catalogue catalogue("cluster", "platforms/clusters");

constexpr std::int64_t most_boards = 4096;

std::vector<ClusterMembers> read_members(Fields& fields) {
  const Reader<std::string> known_board = choice(board_names());
  std::vector<ClusterMembers> members;
  fields.list_of_maps("boards", [&](Fields& entry) {
    ClusterMembers group;
    group.board = entry.required("board", known_board);
    group.count = static_cast<std::size_t>(entry.required("count", integer(1, most_boards)));
    members.push_back(std::move(group));
  });
  return members;
}

constexpr std::int64_t most_cores = 1024;

Reader<std::string> name(std::string what) {
  return [what = std::move(what)](const YamlValue& value) -> std::optional<std::string> {
    std::optional<std::string> found = text()(value);
    if (!found || is_device_name(*found)) return found;
    value.problem(fmt::format("\"{}\" is no {}; expected letters, digits, ., - and _", *found, what));
    return std::nullopt;
  };
}

/// One entry describes devices that differ only in their names.
void read_devices(Fields& entry, std::vector<Device>& devices) {
  Device device;
  const std::vector<std::string> names = entry.one_or_more("names", name("name of a device"));
  device.architecture = entry.required("architecture", name("CPU architecture"));
  const std::int64_t cores = entry.required("cores", integer(1, most_cores));
  for (std::int64_t core = 0; core < cores; ++core)
    device.cores.push_back(static_cast<int>(core));
  entry.optional_map("gpu", [&](Fields& gpu) {
    device.gpu = Gpu{gpu.required("architecture", text()), gpu.required("library", text())};
  });
  for (const std::string& each : names) {
    device.name = each;
    if (std::ranges::find(devices, each, &Device::name) != devices.end())
      entry.problem("names", fmt::format("the device \"{}\" is given twice; expected once", each));
    devices.push_back(device);
  }
}

Cluster read_cluster(const YamlDocument& document) {
  ProblemList problems(document);
  Cluster cluster;
  cluster.name = std::filesystem::path(document.name()).stem().string();
  {
    Fields fields(document.root(), problems);
    cluster.description = fields.required("description", text());
    const bool has_devices = fields.has("devices");
    if (has_devices) fields.list_of_maps("devices", [&](Fields& entry) { read_devices(entry, cluster.devices); });
    if (!has_devices || fields.has("boards")) cluster.members = read_members(fields);
    cluster.link_bandwidth = fields.figure("link_bandwidth", Unit::bytes_per_second, positive);
    cluster.link_latency = fields.figure("link_latency", Unit::seconds);
  }
  problems.throw_if_any();
  return cluster;
}

}  // namespace

Cluster load_cluster(std::string_view name_or_path) {
  return read_cluster(YamlDocument::open(catalogue.file_of(name_or_path)));
}

Cluster parse_cluster(std::string_view yaml, const std::string& file) {
  return read_cluster(YamlDocument::from_text(yaml, file));
}

std::vector<std::string> cluster_names() {
  return catalogue.names();
}

}  // namespace spillway::platforms
