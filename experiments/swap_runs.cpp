#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "experiments/run_kind.hpp"
#include "platforms/board.hpp"
#include "platforms/catalogue.hpp"

namespace spillway::experiments {
namespace {

std::vector<Conflict> conflicts(const Block& block) {
  const auto has = [&](Parameter parameter, const auto&... names) {
    return std::ranges::any_of(block[static_cast<std::size_t>(parameter)],
                               [&](const Value& value) { return ((value == Value(names)) || ...); });
  };
  if (!has(Parameter::element, "float32") || !has(Parameter::rule, "paper", "paper-counts")) return {};
  return {{"element",
           "rules paper and paper-counts count one byte an element, whatever its type; sweep float32 in a block of its "
           "own with `rule: [halo, min-traffic]`"}};
}

void resolve(std::span<Point> points) {
  std::map<std::string, double> contentions;
  for (Point& point : points) {
    if (std::holds_alternative<std::string>(point[Parameter::window])) {
      point[Parameter::window] = point[Parameter::frames];
    }
    point[Parameter::window] = std::min(point.count(Parameter::window), point.count(Parameter::frames));
    if (std::holds_alternative<std::string>(point[Parameter::contention])) {
      const std::string& board = point.name(Parameter::board);
      if (!contentions.contains(board)) contentions.emplace(board, platforms::load_board(board).contention.value);
      point[Parameter::contention] = contentions.at(board);
    }
  }
}

std::vector<SourceFile> sources(std::span<const Point> points) {
  std::vector<SourceFile> files;
  for (const auto& [parameter, folder] : {std::pair(Parameter::board, "boards"), std::pair(Parameter::card, "cards")}) {
    const std::string key(info(parameter).key);
    const platforms::Catalogue catalogue(key, fmt::format("platforms/{}", folder));
    std::set<std::string> seen;
    for (const Point& point : points) {
      if (!seen.insert(point.name(parameter)).second) continue;
      const std::filesystem::path file = catalogue.file_of(point.name(parameter));
      files.push_back({fmt::format("{}-{}.yaml", key, file.stem().string()), file});
    }
  }
  return files;
}

constexpr std::array tables = {Table::layers, Table::endurance};
constexpr std::array<std::string_view, 1> shared_data = {"platforms/endurance.yaml"};

}  // namespace

const RunKind& swap_runs() {
  static const RunKind kind{
      .name = "swap",
      .parameters = parameters(),
      .metrics = metrics(),
      .tables = tables,
      .has_timelines = true,
      .infeasible = "have no plan (fewer than four buffers, or a layer that does not fit)",
      .conflicts = conflicts,
      .resolve = resolve,
      .sources = sources,
      .shared_data = shared_data,
  };
  return kind;
}

std::span<const RunKind* const> run_kinds() {
  static const std::array kinds = {&swap_runs(), &pipeline_runs()};
  return kinds;
}

}  // namespace spillway::experiments
