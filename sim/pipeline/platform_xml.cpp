#include "sim/pipeline/platform_xml.hpp"

#include <fmt/format.h>

#include "sim/pipeline/paths.hpp"

namespace spillway::pipeline {
namespace {

/// Names of devices have letters, digits, ., - and _ only.
std::string host_of(const Placement& placement, const Machine& machine) {
  return machine.devices[placement.device].name + (placement.gpu ? ".gpu" : "");
}

/// Both places of each device.
std::vector<Placement> all_places(const Machine& machine) {
  std::vector<Placement> places;
  for (std::size_t device = 0; device < machine.devices.size(); ++device)
    for (const bool gpu : {false, true})
      places.push_back({device, gpu, 1, nullptr});
  return places;
}

}  // namespace

std::string platform_xml(const Machine& machine) {
  const Links links(machine);
  const std::vector<Placement> places = all_places(machine);
  std::string text =
      "<?xml version='1.0'?>\n"
      "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\">\n"
      "  <zone id=\"cluster\" routing=\"Full\">\n";
  for (const Placement& place : places)
    text += fmt::format("    <host id=\"{}\" speed=\"1e9f\" core=\"{}\"/>\n", host_of(place, machine),
                        place.gpu ? 1 : machine.devices[place.device].cores);
  for (std::size_t link = 0; link < links.size(); ++link)
    text += fmt::format("    <link id=\"link{}\" bandwidth=\"{}Bps\" latency=\"{}s\"/>\n", link,
                        links[link].bytes_per_s, links[link].latency_s);
  for (const Placement& from : places) {
    for (const Placement& to : places) {
      text += fmt::format("    <route src=\"{}\" dst=\"{}\" symmetrical=\"NO\">", host_of(from, machine),
                          host_of(to, machine));
      const Path path = path_between(from, to, links);
      for (const std::uint32_t link : path.span())
        text += fmt::format("<link_ctn id=\"link{}\"/>", link);
      text += "</route>\n";
    }
  }
  return text + "  </zone>\n</platform>\n";
}

std::string hostfile(std::span<const Placement> placements, const Machine& machine) {
  std::string text;
  for (const Placement& placement : placements)
    text += host_of(placement, machine) + '\n';
  return text;
}

std::vector<std::string> smpi_settings(const Machine& machine) {
  return {
      "network/model:SMPI",
      "network/crosstraffic:0",
      "network/weight-S:0",
      "smpi/bw-factor:0:1",
      fmt::format("smpi/lat-factor:0:1;{}:{}", machine.eager_bytes, machine.rendezvous_latencies),
      "smpi/simulate-computation:no",
      // SMPI's limits are the first size that is not eager.
      fmt::format("smpi/send-is-detached-thresh:{}", machine.eager_bytes + 1),
      fmt::format("smpi/async-small-thresh:{}", machine.eager_bytes + 1),
      "smpi/os:0:0:0",
      "smpi/ois:0:0:0",
      "smpi/or:0:0:0",
      "smpi/init:0",
      "smpi/wtime:0",
  };
}

}  // namespace spillway::pipeline
