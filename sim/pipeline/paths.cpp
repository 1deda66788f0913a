#include "sim/pipeline/paths.hpp"

#include <cmath>

namespace spillway::pipeline {

Links::Links(const Machine& machine) {
  const LinkModel half_way{machine.network.bytes_per_s, machine.network.latency_s / 2};
  for (const DeviceModel& device : machine.devices)
    links_.insert(links_.end(), {half_way, half_way, device.memory_link, device.gpu_link, device.gpu_link});
}

Machine without_latencies(Machine machine) {
  machine.network.latency_s = 0;
  for (DeviceModel& device : machine.devices)
    device.memory_link.latency_s = device.gpu_link.latency_s = 0;
  return machine;
}

Path path_between(const Placement& source, const Placement& destination, const Links& links) {
  Path path;
  const auto add = [&](std::size_t link) { path.links[path.count++] = static_cast<std::uint32_t>(link); };
  const bool same_device = source.device == destination.device;
  if (source.gpu) add(links.from_gpu(source.device));
  if (!same_device) {
    add(links.up(source.device));
    add(links.down(destination.device));
  }
  if (destination.gpu) add(links.to_gpu(destination.device));
  if (path.count == 0) add(links.memory(source.device));
  return path;
}

std::uint64_t latency_ns(const Path& path, std::uint64_t bytes, const Links& links, const Machine& machine) {
  double latency_s = 0;
  for (const std::uint32_t link : path.span())
    latency_s += links[link].latency_s;
  if (bytes > machine.eager_bytes) latency_s *= machine.rendezvous_latencies;
  return static_cast<std::uint64_t>(std::llround(latency_s * 1e9));
}

}  // namespace spillway::pipeline
