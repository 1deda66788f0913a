#include "platforms/computer.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "platforms/board_kind.hpp"
#include "platforms/catalogue.hpp"
#include "platforms/yaml_reader.hpp"

namespace spillway::platforms {
namespace {

const Catalogue catalogue("computer", "platforms/computers");

constexpr std::int64_t most_cores = 1024;

Reader<std::string> architecture() {
  return [](const YamlValue& value) -> std::optional<std::string> {
    std::optional<std::string> found = text()(value);
    if (!found || is_device_name(*found)) return found;
    value.problem(fmt::format("\"{}\" is no CPU architecture; expected letters, digits, ., - and _", *found));
    return std::nullopt;
  };
}

void read_processor(Fields& fields, Processor& processor) {
  processor.peak = fields.figure("peak", Unit::macs_per_second, positive);
  processor.bandwidth = fields.figure("bandwidth", Unit::bytes_per_second, positive);
  processor.clock = fields.figure("clock", Unit::hertz, positive);
}

CallCosts read_calls(Fields& fields, std::string_view key) {
  CallCosts costs;
  fields.map(key, [&](Fields& calls) {
    costs.scale = calls.figure("scale", Unit::ratio, positive);
    costs.launch = calls.figure("launch", Unit::seconds);
  });
  return costs;
}

Cpu read_cpu(Fields& fields) {
  Cpu cpu;
  read_processor(fields, cpu);
  cpu.element = fields.figure("element", Unit::bytes, positive);
  cpu.one_core = read_calls(fields, "one_core");
  cpu.all_cores = read_calls(fields, "all_cores");
  fields.optional_map("efficiency", [&](Fields& shares) { cpu.efficiency = read_efficiency(shares); });
  return cpu;
}

GpuUnit read_gpu(Fields& fields) {
  GpuUnit gpu;
  gpu.names = {fields.required("architecture", text()), fields.required("library", text())};
  read_processor(fields, gpu);
  gpu.calls = read_calls(fields, "calls");
  gpu.link_bandwidth = fields.figure("link_bandwidth", Unit::bytes_per_second, positive);
  gpu.link_latency = fields.figure("link_latency", Unit::seconds);
  gpu.runtime_memory = fields.figure("runtime_memory", Unit::bytes);
  gpu.gpu_power = fields.figure("gpu_power", Unit::watts);
  return gpu;
}

void read_ratios(Fields& fields, Computer& computer) {
  if (fields.has("ratios") && !fields.has("gpu")) fields.problem("ratios", "are those of a GPU, which is missing");
  fields.optional_map("ratios", [&](Fields& published) {
    computer.ratios = {published.required("network", text()), published.figure("throughput", Unit::ratio, positive),
                       published.figure("energy", Unit::ratio, positive)};
  });
}

Computer read_computer(const YamlDocument& document) {
  refuse_other_kind(document, BoardKind::computer);
  ProblemList problems(document);
  Computer computer;
  computer.name = std::filesystem::path(document.name()).stem().string();
  {
    Fields fields(document.root(), problems);
    computer.description = fields.required("description", text());
    computer.architecture = fields.required("architecture", architecture());
    if (fields.has("like")) computer.like = fields.optional("like", choice(computer_names())).value_or("");
    read_ratios(fields, computer);
    computer.cores = static_cast<int>(fields.required("cores", integer(1, most_cores)));
    computer.memory = fields.figure("memory", Unit::bytes, positive);
    computer.runtime_memory = fields.figure("runtime_memory", Unit::bytes);
    fields.map("cpu", [&](Fields& cpu) { computer.cpu = read_cpu(cpu); });
    fields.optional_map("gpu", [&](Fields& gpu) { computer.gpu = read_gpu(gpu); });
    computer.idle_power = fields.figure("idle_power", Unit::watts);
    computer.core_power = fields.figure("core_power", Unit::watts);
    computer.spin_power = fields.figure("spin_power", Unit::watts);
    computer.network_power = fields.figure("network_power", Unit::watts);
  }
  problems.throw_if_any();
  return computer;
}

}  // namespace

Computer load_computer(std::string_view name_or_path) {
  refuse_name_of_other_kind(name_or_path, BoardKind::computer);
  return read_computer(YamlDocument::open(catalogue.file_of(name_or_path)));
}

Computer parse_computer(std::string_view yaml, const std::string& file) {
  return read_computer(YamlDocument::from_text(yaml, file));
}

std::vector<std::string> computer_names() {
  return catalogue.names();
}

}  // namespace spillway::platforms
