#include "platforms/cluster.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "platforms/board.hpp"
#include "platforms/catalogue.hpp"
#include "platforms/computer.hpp"
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

/// The name of a computer, or its file, beside the cluster's where the path is no absolute one.
Reader<std::string> computer(const std::filesystem::path& cluster_file) {
  return [cluster_file](const YamlValue& value) -> std::optional<std::string> {
    const std::optional<std::string> named = text()(value);
    if (!named || !named->ends_with(".yaml")) return choice(computer_names())(value);
    const std::filesystem::path path = cluster_file.parent_path() / *named;
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error)) return path.string();
    value.problem(fmt::format("there is no file {}; expected a computer's file or one of: {}", path.string(),
                              fmt::join(computer_names(), ", ")));
    return std::nullopt;
  };
}

/// Architecture, cores and GPU of a device that says itself what it is.
void read_hardware(Fields& entry, Device& device) {
  device.architecture = entry.required("architecture", name("CPU architecture"));
  const std::int64_t cores = entry.required("cores", integer(1, most_cores));
  for (std::int64_t core = 0; core < cores; ++core)
    device.cores.push_back(static_cast<int>(core));
  entry.optional_map("gpu", [&](Fields& gpu) {
    device.gpu = Gpu{gpu.required("architecture", text()), gpu.required("library", text())};
  });
}

/// The same of the board that a device is.
void take_hardware(const Computer& computer, Device& device) {
  device.architecture = computer.architecture;
  for (int core = 0; core < computer.cores; ++core)
    device.cores.push_back(core);
  if (computer.gpu) device.gpu = computer.gpu->names;
}

/// One entry describes devices that differ only in their names.
void read_devices(Fields& entry, const std::filesystem::path& cluster_file, std::vector<Device>& devices) {
  Device device;
  const std::vector<std::string> names = entry.one_or_more("names", name("name of a device"));
  if (entry.has("board")) {
    device.board = entry.required("board", computer(cluster_file));
    for (const char* key : {"architecture", "cores", "gpu"})
      if (entry.has(key)) entry.problem(key, "is what the board has; expected it only without `board`");
    if (!device.board.empty()) take_hardware(load_computer(device.board), device);
  } else {
    read_hardware(entry, device);
  }
  for (const std::string& each : names) {
    device.name = each;
    if (std::ranges::find(devices, each, &Device::name) != devices.end())
      entry.problem("names", fmt::format("the device \"{}\" is given twice; expected once", each));
    devices.push_back(device);
  }
}

MessageCosts read_messages(Fields& fields) {
  return {.eager_limit = fields.figure("eager_limit", Unit::bytes),
          .rendezvous_latencies = fields.figure("rendezvous_latencies", Unit::ratio, at_least_one),
          .overhead = fields.figure("overhead", Unit::seconds),
          .send_bandwidth = fields.figure("send_bandwidth", Unit::bytes_per_second, positive),
          .receive_bandwidth = fields.figure("receive_bandwidth", Unit::bytes_per_second, positive),
          .local_latency = fields.figure("local_latency", Unit::seconds),
          .local_bandwidth = fields.figure("local_bandwidth", Unit::bytes_per_second, positive)};
}

Cluster read_cluster(const YamlDocument& document) {
  ProblemList problems(document);
  Cluster cluster;
  cluster.name = std::filesystem::path(document.name()).stem().string();
  {
    Fields fields(document.root(), problems);
    cluster.description = fields.required("description", text());
    const bool has_devices = fields.has("devices");
    if (has_devices)
      fields.list_of_maps("devices", [&](Fields& entry) { read_devices(entry, document.name(), cluster.devices); });
    if (!has_devices || fields.has("boards")) cluster.members = read_members(fields);
    cluster.link_bandwidth = fields.figure("link_bandwidth", Unit::bytes_per_second, positive);
    cluster.link_latency = fields.figure("link_latency", Unit::seconds);
    cluster.link_burst = {0, "no token bucket"};
    if (fields.has("link_burst")) cluster.link_burst = fields.figure("link_burst", Unit::bytes);
    fields.optional_map("messages", [&](Fields& messages) { cluster.messages = read_messages(messages); });
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
