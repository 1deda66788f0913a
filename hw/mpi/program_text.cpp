#include "hw/mpi/program_text.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hw/mpi/layer_text.hpp"

namespace spillway::mpi {
namespace {

using kernels::no_value;
using kernels::ValueId;
using models::NodeId;
using split::Rank;
using Kind = split::Step::Kind;

/// Text as a C++ string literal.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (code < 0x20 || code >= 0x7f || letter == '"' || letter == '\\' || letter == '?')
      result += fmt::format("\\{:03o}", code);
    else
      result += letter;
  }
  return result + '"';
}

/// For comments: no line breaks and nothing that continues a line.
std::string plain(std::string text) {
  for (char& letter : text)
    if (static_cast<unsigned char>(letter) < 0x20 || letter == '\\') letter = '_';
  return text;
}

/// Makes identifiers of names, each once.
class Identifiers {
 public:
  std::string make(std::string_view name, std::string_view suffix = "") {
    std::string identifier;
    for (const char letter : name) {
      const bool plain_letter =
          (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9');
      // Two underscores in a row belong to the compiler.
      if (plain_letter)
        identifier += letter;
      else if (!identifier.empty() && identifier.back() != '_')
        identifier += '_';
    }
    if (identifier.empty() || (identifier.front() >= '0' && identifier.front() <= '9')) identifier.insert(0, "layer_");
    if (identifier.back() == '_' && (suffix.empty() || suffix.front() == '_')) identifier.pop_back();
    identifier += suffix;
    const std::string wanted = identifier;
    for (int number = 2; !taken_.insert(identifier).second; ++number)
      identifier = fmt::format("{}_{}", wanted, number);
    return identifier;
  }

 private:
  std::set<std::string> taken_ = {
      "and",      "and_eq",   "alignas",  "alignof",  "arena",    "asm",     "auto",    "bitand",    "bitor",
      "bool",     "break",    "case",     "catch",    "char",     "class",   "compl",   "const",     "constexpr",
      "continue", "decltype", "default",  "delete",   "do",       "double",  "else",    "enum",      "execution",
      "explicit", "export",   "extern",   "false",    "float",    "for",     "friend",  "goto",      "if",
      "inline",   "int",      "kernels",  "long",     "main",     "mpi",     "mutable", "namespace", "new",
      "noexcept", "not",      "not_eq",   "nullptr",  "operator", "or",      "or_eq",   "private",   "protected",
      "public",   "rank",     "register", "return",   "short",    "signed",  "sizeof",  "spillway",  "static",
      "std",      "struct",   "switch",   "template", "this",     "threads", "throw",   "true",      "try",
      "typedef",  "typeid",   "typename", "union",    "unsigned", "using",   "virtual", "void",      "volatile",
      "wchar_t",  "while",    "xor",      "xor_eq",   "linux",    "unix",    "errno",   "stdin",     "stdout",
      "stderr",   "assert",   "NULL",     "EOF",      "NAN",      "INFINITY"};
};

std::string place_comment(const Deployment& deployment, Rank rank) {
  const platforms::Resource& resource = deployment.resources[rank];
  const std::string& device = deployment.devices[resource.device].name;
  if (resource.gpu) return fmt::format("the GPU of {}", device);
  return fmt::format("core{} {} of {}", resource.cores.size() == 1 ? "" : "s", fmt::join(resource.cores, ", "), device);
}

class RankWriter {
 public:
  RankWriter(const Deployment& deployment, const RankPlan& plan, Rank rank)
      : deployment_(deployment), plan_(plan), rank_(rank), names_(plan.program.values.size()) {}

  std::string run() {
    name_everything();
    text_ += fmt::format("// Rank {}, {}: {}.\nvoid rank_{}(mpi::Rank& rank) {{\n", rank_,
                         deployment_.split.ranks[rank_].key, place_comment(deployment_, rank_), rank_);
    write_layers();
    write_weights();
    write_memory();
    std::string before = std::exchange(text_, "");
    write_exchange();
    text_ += "\n  while (rank.next_frame()) {\n";
    const std::vector<split::Step>& steps = deployment_.schedule[rank_];
    for (std::size_t i = 0; i < steps.size(); ++i) {
      // Who waits is said to be in the layer for which it waits.
      if (steps[i].kind == Kind::wait) write_layer(next_layer(steps, i));
      write(steps[i]);
    }
    text_ += "  }\n}\n";
    if (calls_kernels_) before += "  const kernels::Execution execution = rank.execution();\n";
    return before + text_;
  }

 private:
  const split::Buffer& buffer(std::size_t index) const { return deployment_.split.buffers[index]; }
  const models::Node& node(NodeId id) const { return deployment_.network.node(id); }
  const Place& place(ValueId value) const { return plan_.places[value]; }
  ValueId value_of(NodeId id) const { return plan_.value_of_node[id]; }

  void line(const std::string& content) { text_ += fmt::format("  {}\n", content); }
  void inner(const std::string& content) { text_ += fmt::format("    {}\n", content); }

  void name_everything() {
    for (const kernels::Step& step : plan_.program.steps)
      layers_.push_back(identifiers_.make(step.name));
    const split::SubModel& part = deployment_.split.ranks[rank_];
    for (const std::size_t index : part.receives)
      inboxes_.emplace(index,
                       identifiers_.make("from_" + std::to_string(buffer(index).source) + "_" + buffer(index).name));
    for (const std::size_t index : part.sends)
      outboxes_.emplace(index, identifiers_.make("to_others_" + buffer(index).name));
    for (const NodeId input : part.inputs)
      inputs_.emplace(input, identifiers_.make(node(input).name, "_input"));
    for (const NodeId output : part.outputs)
      outputs_.emplace(output, identifiers_.make(node(output).name, "_result"));
    for (ValueId id = 0; id < names_.size(); ++id) {
      const Place& where = place(id);
      if (where.kind == Place::Kind::none || plan_.program.storage_of(id) != id) continue;
      names_[id] = identifiers_.make(plan_.program.values[id].name, where.kind == Place::Kind::weights ? "" : "_map");
    }
  }

  /// The pointer to a value.
  std::string pointer(ValueId value) const {
    return value == no_value ? "nullptr" : names_[plan_.program.storage_of(value)];
  }

  void write_layers() {
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const kernels::Step& step = plan_.program.steps[i];
      if (!step.fused.empty())
        line(plain(fmt::format("// {}, and {} with it", step.name, fmt::join(step.fused, ", "))));
      line(fmt::format("const {};", definition_of(step.layer, layers_[i])));
    }
  }

  void write_weights() {
    if (plan_.constants.empty()) return;
    text_ += "\n";
    for (const ValueId constant : plan_.constants)
      line(fmt::format("const float* const {} = rank.weights({}, {});", names_[constant], place(constant).index,
                       plan_.program.values[constant].elements()));
  }

  void write_memory() {
    std::vector<std::string> scratch;
    for (std::size_t i = 0; i < layers_.size(); ++i)
      if (has_scratch(plan_.program.steps[i].layer))
        scratch.push_back(fmt::format("kernels::scratch_bytes({}, rank.threads())", layers_[i]));
    text_ += "\n";
    if (!scratch.empty()) line(fmt::format("rank.scratch({{{}}});", fmt::join(scratch, ",\n                ")));
    if (plan_.arena_floats > 0) line(fmt::format("float* const arena = rank.arena({});", plan_.arena_floats));
    for (ValueId id = 0; id < names_.size(); ++id)
      if (plan_.program.storage_of(id) == id && place(id).kind == Place::Kind::arena)
        line(fmt::format("float* const {} = arena + {};", names_[id], place(id).index));
  }

  void write_exchange() {
    text_ += "\n";
    for (const auto& [input, name] : inputs_)
      line(fmt::format("const int {} = rank.input({}, {});", name, quoted(deployment_.split.tensors[input]),
                       node(input).output.elements()));
    for (const auto& [output, name] : outputs_)
      line(fmt::format("const int {} = rank.output({}, {});", name, quoted(deployment_.split.tensors[output]),
                       node(output).output.elements()));
    for (const auto& [index, name] : inboxes_)
      line(fmt::format("mpi::Inbox {} = rank.receive({}, {}, {}, {});", name, quoted(buffer(index).name), index,
                       buffer(index).source, buffer(index).elements));
    for (const auto& [index, name] : outboxes_)
      line(fmt::format("mpi::Outbox {} = rank.send({}, {}, {{{}}}, {});", name, quoted(buffer(index).name), index,
                       fmt::join(buffer(index).destinations, ", "), buffer(index).elements));
  }

  void write(const split::Step& step) {
    switch (step.kind) {
      case Kind::expect:
        inner(fmt::format("{}.expect();", inboxes_.at(step.index)));
        break;
      case Kind::wait:
        inner(fmt::format("const float* const {} = {}.wait();", pointer(value_of(buffer(step.index).node)),
                          inboxes_.at(step.index)));
        break;
      case Kind::read:
        inner(fmt::format("const float* const {} = rank.read({});", pointer(value_of(step.index)),
                          inputs_.at(step.index)));
        break;
      case Kind::reserve:
        // A layer's memory is reserved where the layer is called; what an input is sent from is the input itself.
        if (node(buffer(step.index).node).op == models::Operator::input)
          inner(fmt::format("{}.reserve();", outboxes_.at(step.index)));
        break;
      case Kind::compute:
        write_call(step.index);
        break;
      case Kind::send:
        write_send(step.index);
        break;
      case Kind::write:
        inner(fmt::format("rank.write({}, {});", outputs_.at(step.index), pointer(value_of(step.index))));
        break;
      case Kind::finish:
        inner("rank.finish_frame();");
        break;
    }
  }

  static NodeId next_layer(const std::vector<split::Step>& steps, std::size_t position) {
    while (steps[position].kind != Kind::compute)
      ++position;
    return steps[position].index;
  }

  /// Notes the layer, unless it is noted.
  void write_layer(NodeId id) {
    if (noted_ == id) return;
    noted_ = id;
    inner(fmt::format("rank.layer({}, {});", id, quoted(node(id).name)));
  }

  void write_call(NodeId id) {
    const auto found = std::ranges::lower_bound(plan_.call_at, id);
    if (found == plan_.call_at.end() || *found != id) return;  // a shape alone, or a part of a later call
    const auto position = static_cast<std::size_t>(found - plan_.call_at.begin());
    const kernels::Step& step = plan_.program.steps[position];
    const Place& where = place(step.output);
    write_layer(id);
    if (where.kind == Place::Kind::outbox)
      inner(fmt::format("float* const {} = {}.reserve();", pointer(step.output), outboxes_.at(where.index)));
    std::vector<std::string> operands;
    for (const ValueId operand : step.inputs)
      operands.push_back(pointer(operand));
    for (const std::string& call : call_of(step.layer, layers_[position], operands, pointer(step.output)))
      inner(call);
    calls_kernels_ = true;
  }

  void write_send(std::size_t index) {
    const NodeId sent = buffer(index).node;
    const std::string& outbox = outboxes_.at(index);
    const Place& where = place(value_of(sent));
    if (where.kind == Place::Kind::outbox && where.index == index) return inner(fmt::format("{}.send();", outbox));
    if (node(sent).op == models::Operator::input)
      return inner(fmt::format("{}.send({});", outbox, pointer(value_of(sent))));
    calls_kernels_ = true;
    inner(fmt::format("kernels::run(kernels::Copy{{{}, {}}}, {}, {}.reserve(), execution);", sent,
                      buffer(index).elements, pointer(value_of(sent)), outbox));
    inner(fmt::format("{}.send();", outbox));
  }

  const Deployment& deployment_;
  const RankPlan& plan_;
  const Rank rank_;
  Identifiers identifiers_;
  std::vector<std::string> layers_;  ///< by position in program.steps
  std::vector<std::string> names_;   ///< by value that has memory of its own
  std::map<std::size_t, std::string> inboxes_, outboxes_;
  std::map<NodeId, std::string> inputs_, outputs_;
  std::string text_;
  bool calls_kernels_ = false;
  std::optional<NodeId> noted_;  ///< the layer that the program last noted
};

std::string table_of_ranks(const Deployment& deployment) {
  std::string text;
  for (Rank rank = 0; rank < deployment.split.ranks.size(); ++rank) {
    const std::string& key = deployment.split.ranks[rank].key;
    const platforms::Resource& resource = deployment.resources[rank];
    text += fmt::format("      {{{}, {}, {}, {}, {}, rank_{}}},\n", quoted(key),
                        quoted(deployment.devices[resource.device].name), threads_of(resource), resource.gpu,
                        quoted(key + ".weights"), rank);
  }
  return text;
}

}  // namespace

int threads_of(const platforms::Resource& resource) {
  return resource.gpu ? 1 : static_cast<int>(resource.cores.size());
}

std::string program_text(const Deployment& deployment, const std::vector<RankPlan>& plans, std::uint64_t hash) {
  std::string functions;
  for (Rank rank = 0; rank < plans.size(); ++rank)
    functions += RankWriter(deployment, plans[rank], rank).run() + "\n";
  return fmt::format(
      "// Made by `spillway split` from {}: {} ranks. Every device runs this program; each MPI process runs the\n"
      "// function of its rank. hw/mpi/runtime/rank.hpp says what the calls do.\n"
      "#include <limits>\n\n"
      "#include \"hw/kernels/run.hpp\"\n"
      "#include \"hw/mpi/runtime/rank.hpp\"\n\n"
      "namespace {{\n\n"
      "namespace kernels = spillway::kernels;\n"
      "namespace mpi = spillway::mpi;\n\n"
      "{}"
      "}}  // namespace\n\n"
      "int main(int argc, char** argv) {{\n"
      "  const mpi::Program program{{\n"
      "      {}, 0x{:016x}ULL, {},\n"
      "      // key, device, threads, on a GPU, trained numbers, function\n"
      "      {{\n{}      }}}};\n"
      "  return mpi::run(program, argc, argv);\n"
      "}}\n",
      plain(deployment.model), plans.size(), functions, quoted(deployment.model), hash, deployment.split.buffers.size(),
      table_of_ranks(deployment));
}

}  // namespace spillway::mpi
