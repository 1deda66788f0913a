#include "platforms/efficiencies.hpp"

#include <span>

#include <fmt/format.h>

#include "platforms/catalogue.hpp"
#include "platforms/yaml_reader.hpp"
#include "platforms/yaml_writer.hpp"

namespace spillway::platforms {
namespace {

void read_shares(Fields& fields, std::string_view key, std::span<const std::string_view> kinds,
                 std::span<Figure> shares) {
  fields.map(key, [&](Fields& map) {
    for (std::size_t kind = 0; kind < kinds.size(); ++kind)
      shares[kind] = map.figure(kinds[kind], Unit::ratio, positive);
  });
}

std::string share_lines(std::string_view key, std::span<const std::string_view> kinds, std::span<const Figure> shares,
                        int indentation) {
  std::string text = fmt::format("{:{}}{}:\n", "", indentation, key);
  for (std::size_t kind = 0; kind < kinds.size(); ++kind)
    text += figure_line(kinds[kind], shares[kind], Unit::ratio, indentation + 2);
  return text;
}

Efficiencies read_efficiencies(const YamlDocument& document) {
  ProblemList problems(document);
  Efficiencies efficiencies;
  {
    Fields fields(document.root(), problems);
    efficiencies.description = fields.required("description", text());
    fields.map("cpu", [&](Fields& cpu) { efficiencies.cpu = read_efficiency(cpu); });
    fields.map("gpu", [&](Fields& gpu) { efficiencies.gpu = read_efficiency(gpu); });
  }
  problems.throw_if_any();
  return efficiencies;
}

}  // namespace

Efficiency read_efficiency(Fields& fields) {
  Efficiency efficiency;
  read_shares(fields, "peak", compute_kinds, efficiency.peak);
  read_shares(fields, "bandwidth", memory_kinds, efficiency.bandwidth);
  return efficiency;
}

std::string efficiency_lines(const Efficiency& efficiency, int indentation) {
  return share_lines("peak", compute_kinds, efficiency.peak, indentation) +
         share_lines("bandwidth", memory_kinds, efficiency.bandwidth, indentation);
}

Efficiencies load_efficiencies() {
  return read_efficiencies(YamlDocument::open(data_directory() / "platforms/efficiencies.yaml"));
}

Efficiencies parse_efficiencies(std::string_view yaml, const std::string& file) {
  return read_efficiencies(YamlDocument::from_text(yaml, file));
}

std::string to_yaml(const Efficiencies& efficiencies) {
  return fmt::format("description: {}\ncpu:\n{}gpu:\n{}", quoted_text(efficiencies.description),
                     efficiency_lines(efficiencies.cpu, 2), efficiency_lines(efficiencies.gpu, 2));
}

}  // namespace spillway::platforms
