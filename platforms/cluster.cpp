#include "platforms/cluster.hpp"

#include <filesystem>

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

Cluster read_cluster(const YamlDocument& document) {
  ProblemList problems(document);
  Cluster cluster;
  cluster.name = std::filesystem::path(document.name()).stem().string();
  {
    Fields fields(document.root(), problems);
    cluster.description = fields.required("description", text());
    cluster.members = read_members(fields);
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
