#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/onnx_constants.hpp"
#include "models/onnx_error.hpp"
#include "models/onnx_file.hpp"
#include "models/onnx_translation.hpp"

namespace spillway::models::onnx_file {
namespace {

using Problems = std::vector<OnnxProblem>;

std::string name_of(const onnx::NodeProto& node) {
  if (!node.name().empty() || node.output_size() == 0) return node.name();
  std::string name = node.output(0);
  std::ranges::replace(name, '/', '_');
  return name;
}

void stop_at(const Problems& problems, const std::filesystem::path& path) {
  if (!problems.empty()) throw OnnxError(path, problems);
}

void check_types(const onnx::GraphProto& graph, Problems& problems) {
  for (const onnx::NodeProto& node : graph.node()) {
    if (translator_of(node) != nullptr) continue;
    const std::string domain = node.domain().empty() ? "" : fmt::format(" of the domain {}", node.domain());
    problems.push_back({name_of(node), node.op_type().empty() ? "?" : node.op_type(),
                        fmt::format("this operator{} is not supported", domain)});
  }
}

void check_tensors(const onnx::GraphProto& graph, const std::filesystem::path& folder, Problems& problems) {
  // A file that is missing is one mistake, however many tensors lie in it.
  std::set<std::string> said;
  for (const onnx::TensorProto& tensor : graph.initializer())
    try {
      check_tensor(tensor, folder);
    } catch (const Refusal& refusal) {
      const bool is_new = said.insert(refusal.what()).second;
      if (is_new || tensor.data_location() != onnx::TensorProto::EXTERNAL)
        problems.push_back({"", "", fmt::format("initializer '{}': {}", tensor.name(), refusal.what())});
    }
  for (const onnx::NodeProto& node : graph.node()) {
    for (const onnx::AttributeProto& attribute : node.attribute())
      try {
        if (attribute.has_t()) check_tensor(attribute.t(), folder);
        const bool plain = attribute.tensors_size() == 0 && !attribute.has_g() && attribute.graphs_size() == 0 &&
                           !attribute.has_sparse_tensor() && attribute.sparse_tensors_size() == 0;
        if (!plain) throw Refusal("a graph, a sparse tensor or several tensors; expected numbers, text or a tensor");
        if (!attribute.ref_attr_name().empty()) throw Refusal("refers to a function's attribute; expected a value");
      } catch (const Refusal& refusal) {
        problems.push_back(
            {name_of(node), node.op_type(), fmt::format("attribute {}: {}", attribute.name(), refusal.what())});
      }
  }
}

/// Who produces each value. Notes values that are produced twice.
std::map<std::string, int> producers_of(const onnx::GraphProto& graph, Problems& problems) {
  constexpr int given = -1;
  std::map<std::string, int> producers;
  std::set<std::string> inputs;
  for (const onnx::ValueInfoProto& input : graph.input()) {
    producers.emplace(input.name(), given);
    if (!inputs.insert(input.name()).second)
      problems.push_back(
          {"", "", fmt::format("the input '{}' is there twice; expected names used once", input.name())});
  }
  std::set<std::string> initializers;
  for (const onnx::TensorProto& tensor : graph.initializer()) {
    producers.emplace(tensor.name(), given);
    if (!initializers.insert(tensor.name()).second)
      problems.push_back(
          {"", "", fmt::format("the initializer '{}' is there twice; expected names used once", tensor.name())});
  }
  for (int position = 0; position < graph.node_size(); ++position) {
    const onnx::NodeProto& node = graph.node(position);
    for (const std::string& output : node.output()) {
      if (output.empty()) continue;
      const auto [first, is_new] = producers.emplace(output, position);
      if (is_new) continue;
      const std::string by = first->second == given
                                 ? "an input or initializer"
                                 : fmt::format("the output of node '{}'", name_of(graph.node(first->second)));
      problems.push_back({name_of(node), node.op_type(),
                          fmt::format("its output '{}' is also {}; expected names used once", output, by)});
    }
  }
  return producers;
}

/// Names of the nodes of a cycle through values that are not there when a node needs them; empty: there is none.
std::vector<std::string> find_cycle(const onnx::GraphProto& graph, const std::map<std::string, int>& producers) {
  enum class Mark { unseen, open, closed };
  std::vector<Mark> marks(static_cast<std::size_t>(graph.node_size()), Mark::unseen);
  struct Visit {
    int node = 0, next_input = 0;
  };
  for (int start = 0; start < graph.node_size(); ++start) {
    std::vector<Visit> path = {{start, 0}};
    while (!path.empty()) {
      Visit& visit = path.back();
      Mark& mark = marks[static_cast<std::size_t>(visit.node)];
      const onnx::NodeProto& node = graph.node(visit.node);
      if (mark == Mark::closed || visit.next_input == node.input_size()) {
        mark = Mark::closed;
        path.pop_back();
        continue;
      }
      mark = Mark::open;
      const auto producer = producers.find(node.input(visit.next_input++));
      if (producer == producers.end() || producer->second < 0) continue;
      const int before = producer->second;
      if (marks[static_cast<std::size_t>(before)] == Mark::open) {
        std::vector<std::string> names;
        const auto first = std::ranges::find(path, before, &Visit::node);
        for (auto step = path.end(); step != first;)
          names.push_back(name_of(graph.node((--step)->node)));
        return names;
      }
      if (marks[static_cast<std::size_t>(before)] == Mark::unseen) path.push_back({before, 0});
    }
  }
  return {};
}

void check_links(const onnx::GraphProto& graph, Problems& problems) {
  const std::map<std::string, int> producers = producers_of(graph, problems);
  for (int position = 0; position < graph.node_size(); ++position) {
    const onnx::NodeProto& node = graph.node(position);
    for (const std::string& input : node.input())
      if (!input.empty() && !producers.contains(input))
        problems.push_back({name_of(node), node.op_type(),
                            fmt::format("reads '{}', which no node, input or initializer gives", input)});
    if (node.output_size() == 0 || node.output(0).empty())
      problems.push_back({name_of(node), node.op_type(), "has no first output; expected one"});
  }
  for (const onnx::ValueInfoProto& output : graph.output())
    if (!producers.contains(output.name()))
      problems.push_back({"", "", fmt::format("no node gives the output '{}'", output.name())});
  if (!problems.empty()) return;
  if (const std::vector<std::string> cycle = find_cycle(graph, producers); !cycle.empty())
    problems.push_back({"", "", fmt::format("a cycle of nodes: '{}'; expected none", fmt::join(cycle, "' reads '"))});
}

}  // namespace

void check_limits(const onnx::ModelProto& model, const std::filesystem::path& path) {
  Problems problems;
  check_types(model.graph(), problems);
  stop_at(problems, path);
  check_tensors(model.graph(), path.parent_path(), problems);
  stop_at(problems, path);
  check_links(model.graph(), problems);
  stop_at(problems, path);
}

}  // namespace spillway::models::onnx_file
