#include "hw/mpi/front_end.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "hw/mpi/program_text.hpp"
#include "hw/mpi/tables.hpp"
#include "hw/mpi/weight_files.hpp"
#include "models/onnx_writer.hpp"

namespace spillway::mpi {
namespace {

void write_text(const std::filesystem::path& path, std::string_view text) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();
  if (!stream) throw std::system_error(errno == 0 ? EIO : errno, std::generic_category(), path.string());
}

void write_sub_model(const Deployment& deployment, split::Rank rank, const std::set<std::string>& rows,
                     const std::filesystem::path& folder) {
  const split::SubModel& part = deployment.split.ranks[rank];
  const models::Network network = split::sub_network(deployment.network, deployment.split, rank);
  models::OnnxWriteOptions options;
  options.rows = rows;
  for (const models::Node& node : network.nodes())
    options.tensors.emplace(node.name, deployment.split.tensors[*deployment.network.find(node.name)]);
  for (const std::size_t buffer : part.sends) {
    const models::Node& node = deployment.network.node(deployment.split.buffers[buffer].node);
    if (node.op != models::Operator::input) options.outputs.push_back(node.name);
  }
  for (const models::NodeId output : part.outputs) {
    const std::string& name = deployment.network.node(output).name;
    if (std::ranges::find(options.outputs, name) == options.outputs.end()) options.outputs.push_back(name);
  }
  models::write_onnx(network, deployment.weights, folder / (part.key + ".onnx"), options);
}

}  // namespace

void write_front_end(const Deployment& deployment, const std::filesystem::path& folder) {
  const std::set<std::string> rows = models::rows_of(deployment.network);
  for (split::Rank rank = 0; rank < deployment.split.ranks.size(); ++rank)
    write_sub_model(deployment, rank, rows, folder);
  write_text(folder / "sender.json", sender_table(deployment.split));
  write_text(folder / "receiver.json", receiver_table(deployment.split));
  write_text(folder / "rankfile", rankfile(deployment.devices, deployment.resources));
  write_text(folder / "hostfile", hostfile(deployment.devices, deployment.resources));
}

void write_back_end(const Deployment& deployment, const std::filesystem::path& folder) {
  std::vector<RankPlan> plans;
  for (split::Rank rank = 0; rank < deployment.split.ranks.size(); ++rank)
    plans.push_back(plan_rank(deployment.network, deployment.split, rank, deployment.weights));
  const std::uint64_t hash = write_weight_files(deployment, plans, folder);
  write_text(folder / "main.cpp", program_text(deployment, plans, hash));
}

}  // namespace spillway::mpi
