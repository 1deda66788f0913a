#include <cstddef>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/cli/request.hpp"
#include "experiments/cli/table.hpp"
#include "experiments/cli/verbs.hpp"
#include "experiments/experiment.hpp"
#include "models/onnx_reader.hpp"
#include "models/zoo.hpp"
#include "platforms/board.hpp"
#include "platforms/card.hpp"
#include "platforms/cluster.hpp"
#include "platforms/computer.hpp"
#include "platforms/units.hpp"

namespace spillway::cli {
namespace {

using platforms::Unit;

Table models_table() {
  Table table({{"network"}, {"input"}, {"MACs", true}, {"weights", true}, {"what it is"}});
  for (const std::string_view name : models::zoo_names()) {
    const models::Network network = *models::zoo(name);
    table.row({std::string(name), models::to_string(network.node(0).output),
               with_thousands(static_cast<std::uint64_t>(network.total_macs())),
               with_thousands(static_cast<std::uint64_t>(network.total_weights())),
               std::string(*models::zoo_description(name))});
  }
  return table;
}

Table boards_table() {
  Table table({{"board"}, {"SRAM", true}, {"clock", true}, {"convolution", true}, {"what it is"}});
  for (const std::string& name : platforms::board_names()) {
    const platforms::Board board = platforms::load_board(name);
    table.row({name, platforms::format_bytes(static_cast<std::uint64_t>(board.sram.value)),
               platforms::format_quantity(board.clock.value, Unit::hertz),
               platforms::format_quantity(board.rates[0].value, Unit::macs_per_second), board.description});
  }
  return table;
}

Table computers_table() {
  Table table({{"computer"},
               {"memory", true},
               {"cores", true},
               {"peak of a core", true},
               {"GPU"},
               {"peak", true},
               {"what it is"}});
  for (const std::string& name : platforms::computer_names()) {
    const platforms::Computer computer = platforms::load_computer(name);
    const auto peak = [](const platforms::Processor& processor) {
      return platforms::format_quantity(processor.peak.value, Unit::macs_per_second);
    };
    table.row({name, platforms::format_bytes(static_cast<std::uint64_t>(computer.memory.value)),
               std::to_string(computer.cores), peak(computer.cpu),
               computer.gpu ? computer.gpu->names.architecture : "-", computer.gpu ? peak(*computer.gpu) : "-",
               computer.description});
  }
  return table;
}

std::string operation_time(const platforms::Figure& overhead, const platforms::Figure& bandwidth) {
  return fmt::format("{} + {}", platforms::format_seconds(overhead.value),
                     platforms::format_quantity(bandwidth.value, Unit::bytes_per_second));
}

Table cards_table() {
  Table table({{"card"}, {"capacity", true}, {"read", true}, {"write", true}, {"what it is"}});
  for (const std::string& name : platforms::card_names()) {
    const platforms::Card card = platforms::load_card(name);
    table.row({name, platforms::format_bytes(static_cast<std::uint64_t>(card.capacity.value)),
               operation_time(card.read_overhead, card.read_bandwidth),
               operation_time(card.write_overhead, card.write_bandwidth), card.description});
  }
  return table;
}

Table clusters_table() {
  Table table({{"cluster"}, {"boards"}, {"link", true}, {"what it is"}});
  for (const std::string& name : platforms::cluster_names()) {
    const platforms::Cluster cluster = platforms::load_cluster(name);
    std::map<std::string, std::size_t> counts;
    for (const platforms::ClusterMembers& members : cluster.members)
      counts[members.board] += members.count;
    for (const platforms::Device& device : cluster.devices)
      ++counts[device.board.empty() ? device.architecture : device.board];
    std::vector<std::string> boards;
    for (const auto& [board, count] : counts)
      boards.push_back(fmt::format("{} x {}", count, board));
    table.row({name, fmt::format("{}", fmt::join(boards, ", ")),
               platforms::format_quantity(cluster.link_bandwidth.value, Unit::bytes_per_second), cluster.description});
  }
  return table;
}

/// What becomes of an operator when a network is swapped.
std::string_view role(models::Operator op) {
  using models::Operator;
  switch (op) {
    case Operator::input:
      return "lies on the card from the start";
    case Operator::convolution:
      return "a layer with weights; depthwise where each channel has filters of its own";
    case Operator::dense:
      return "a layer with weights, over the flattened input";
    case Operator::max_pool:
    case Operator::average_pool:
    case Operator::local_response_normalization:
      return "a layer without weights";
    case Operator::add:
    case Operator::multiply:
      return "a layer without weights that reads all its operands";
    case Operator::concat:
      return "no layer: consumers read the producers' tiles";
    case Operator::flatten:
    case Operator::reshape:
      return "no layer: shape only";
    case Operator::transpose:
      return "no layer: consumers wait for all of the producer, as any tile may hold what they read";
    default:
      return "fused into its producer";
  }
}

Table operators_table() {
  Table table({{"operator"}, {"when a network is swapped"}});
  for (const models::Operator op : models::all_operators()) {
    table.row({std::string(models::to_string(op)), std::string(role(op))});
  }
  return table;
}

Table onnx_operators_table() {
  Table table({{"ONNX operator"}, {"becomes"}});
  for (const models::OnnxOperator& op : models::onnx_operators()) {
    table.row({std::string(op.type), std::string(op.becomes)});
  }
  return table;
}

Table experiments_table() {
  Table table({{"experiment"}, {"points", true}, {"published values", true}, {"what it is"}});
  for (const std::string& name : experiments::experiment_names()) {
    const experiments::Experiment experiment = experiments::load_experiment(name);
    table.row({name, with_thousands(experiment.points.size()), with_thousands(experiment.published.size()),
               experiment.title});
  }
  return table;
}

struct Entry {
  std::string name;
  std::vector<Table (*)()> tables;
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = {{"models", {models_table}},
                                         {"boards", {boards_table, computers_table}},
                                         {"cards", {cards_table}},
                                         {"clusters", {clusters_table}},
                                         {"experiments", {experiments_table}},
                                         {"operators", {operators_table, onnx_operators_table}}};
  return all;
}

}  // namespace

void add_list(CLI::App& app, Outcome& outcome) {
  CLI::App& verb = add_verb(app, "list", "Lists models, boards, cards, clusters, experiments or operators");
  const auto what = std::make_shared<std::string>();
  verb.add_option("WHAT", *what, "models, boards, cards, clusters, experiments or operators")->type_name("");
  verb.callback([&verb, what, &outcome] {
    std::vector<std::string> names;
    for (const Entry& entry : entries())
      names.push_back(entry.name);
    Request request(verb);
    if (what->empty()) request.problem("WHAT", fmt::format("is missing; expected one of {}", fmt::join(names, ", ")));
    const auto chosen = what->empty() ? std::nullopt : request.choice("WHAT", "kind", *what, names);
    request.check();
    std::string text;
    for (const auto table : entries()[*chosen].tables)
      text += (text.empty() ? "" : "\n") + table().text();
    fmt::print("{}", text);
    outcome.code = ExitCode::done;
  });
}

}  // namespace spillway::cli
