#include "models/onnx_translation.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/onnx_file.hpp"
#include "models/onnx_graph.hpp"

namespace spillway::models::onnx_file {
namespace {

/// The inputs of a node are missing because an earlier node was refused: nothing to say that was not said.
struct Blocked {};

constexpr int graph_output = -1;

bool is_foldable(const onnx::NodeProto& node) {
  static const std::set<std::string> types = {"Cast",     "Concat",  "Constant", "ConstantOfShape", "Gather",
                                              "Identity", "Reshape", "Shape",    "Squeeze",         "Unsqueeze"};
  return types.contains(node.op_type());
}

/// A network's message without the node that it names: the ONNX problem names it already.
std::string without_node(const std::string& message) {
  const std::size_t end = message.find("): ");
  return message.starts_with("node '") && end != std::string::npos ? message.substr(end + 3) : message;
}

std::string network_name(const onnx::ModelProto& model, const std::filesystem::path& path) {
  std::string stem = path.stem().string();
  if (!stem.empty()) return stem;
  return model.graph().name().empty() ? "network" : model.graph().name();
}

std::optional<std::vector<std::int64_t>> inferred_extents(const onnx::ValueInfoProto& value) {
  if (!value.type().has_tensor_type() || !value.type().tensor_type().has_shape()) return std::nullopt;
  std::vector<std::int64_t> extents;
  for (const onnx::TensorShapeProto::Dimension& dimension : value.type().tensor_type().shape().dim()) {
    if (!dimension.has_dim_value()) return std::nullopt;
    extents.push_back(dimension.dim_value());
  }
  return extents;
}

}  // namespace

Shape shape_of(const std::vector<std::int64_t>& extents) {
  if (extents.size() < 2)
    throw Refusal(fmt::format("a map of {}; expected a batch of 1 and channels at least", text_of(extents)));
  if (extents.front() != 1)
    throw Refusal(fmt::format("a map of {}; expected 1 as the first extent, the batch", text_of(extents)));
  if (extents.size() == 2) return {extents[1], 1, 1};
  if (extents.size() == 3) return {extents[1], 1, extents[2]};
  return {extents[1], extents[2], elements_of({extents.begin() + 3, extents.end()})};
}

std::int64_t front_axis(std::int64_t axis, std::size_t rank) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank)
    throw Refusal(fmt::format("axis {} of {} axes; expected {} to {}", axis, rank, -signed_rank, signed_rank - 1));
  return axis < 0 ? axis + signed_rank : axis;
}

Translation::Translation(std::shared_ptr<onnx::ModelProto> model, const std::filesystem::path& path,
                         const OnnxReadOptions& options)
    : model_(std::move(model)),
      graph_(model_->graph()),
      path_(path),
      want_weights_(options.weights),
      apart_(options.apart),
      numbers_(model_, path.parent_path(), options.most_made_bytes),
      result_{.network = Network(network_name(*model_, path)),
              .weights = {},
              .merged = {},
              .outputs = {},
              .layers = {},
              .tensors = {}},
      done_(static_cast<std::size_t>(graph_.node_size())) {
  result_.ir = model_->ir_version();
  result_.opset = opset_of(*model_);
}

OnnxModel Translation::run() {
  name_nodes();
  for (int position = 0; position < graph_.node_size(); ++position)
    for (const std::string& input : graph_.node(position).input())
      readers_[input].push_back(position);
  for (const onnx::ValueInfoProto& output : graph_.output())
    readers_[output.name()].push_back(graph_output);

  add_initializers();
  add_inputs();
  read_metadata();
  if (!problems_.empty()) throw OnnxError(path_, problems_);
  // Constants first: a node may ask whether the one behind it adds a constant.
  for (int position = 0; position < graph_.node_size(); ++position) {
    const onnx::NodeProto& node = graph_.node(position);
    const bool of_constants = std::ranges::all_of(node.input(), [this](const std::string& input) {
      const auto known = values_.find(input);
      return input.empty() || (known != values_.end() && std::holds_alternative<Constant>(known->second));
    });
    if (is_foldable(node) && of_constants) translate(position);
  }
  for (int position = 0; position < graph_.node_size(); ++position)
    if (!done_[static_cast<std::size_t>(position)]) translate(position);
  bind_outputs();
  list_layers();
  check_shapes("the file");
  for (const std::string& name : dense_weight_bytes_)
    note(-1,
         fmt::format("metadata {}: '{}' is no convolution; expected the name of one", dense_weight_bytes_key, name));
  if (!problems_.empty()) throw OnnxError(path_, problems_);
  // Only now and with no shapes but ours: libonnx crashes on many that cannot be.
  model_->mutable_graph()->clear_value_info();
  infer_shapes(*model_, path_);
  check_shapes("ONNX shape inference");
  if (!problems_.empty()) throw OnnxError(path_, problems_);
  return std::move(result_);
}

void Translation::note(int position, std::string what) {
  if (position < 0) {
    problems_.push_back({"", "", std::move(what)});
    return;
  }
  problems_.push_back({names_[static_cast<std::size_t>(position)], graph_.node(position).op_type(), std::move(what)});
}

void Translation::name_nodes() {
  std::map<std::string, int> uses;
  for (const onnx::NodeProto& node : graph_.node())
    ++uses[node.name()];
  // The network's inputs are nodes, too, and keep their names.
  for (const onnx::ValueInfoProto& input : graph_.input())
    ++uses[input.name()];
  for (const onnx::NodeProto& node : graph_.node()) {
    if (!node.name().empty() && uses[node.name()] == 1) {
      names_.push_back(node.name());
      continue;
    }
    std::string name = node.output_size() > 0 ? node.output(0) : "";
    std::ranges::replace(name, '/', '_');
    names_.push_back(std::move(name));
  }
}

void Translation::read_metadata() {
  for (const onnx::StringStringEntryProto& entry : model_->metadata_props()) {
    if (entry.key() != dense_weight_bytes_key) continue;
    std::string_view rest = entry.value();
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      dense_weight_bytes_.emplace(rest.substr(0, end));
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
  }
}

void Translation::add_initializers() {
  for (const onnx::TensorProto& tensor : graph_.initializer()) {
    Constant constant;
    constant.extents = {tensor.dims().begin(), tensor.dims().end()};
    constant.type = tensor.data_type();
    constant.stored = &tensor;
    values_.insert_or_assign(tensor.name(), std::move(constant));
  }
}

void Translation::add_inputs() {
  for (const onnx::ValueInfoProto& input : graph_.input()) {
    if (values_.contains(input.name())) continue;  // an initializer; the older dialect lists them here, too
    if (!readers_.contains(input.name())) continue;
    const int type = input.type().tensor_type().elem_type();
    if (type != onnx::TensorProto::FLOAT) {
      note(-1, fmt::format("input '{}' is {}; expected float32 (quantized models are not read)", input.name(),
                           type_name(type)));
      continue;
    }
    try {
      const std::vector<std::int64_t> extents = *inferred_extents(input);
      if (extents.size() > 4)
        throw Refusal(
            fmt::format("a map of {}; expected at most a batch, channels, height and width", text_of(extents)));
      Node node;
      node.name = input.name();
      node.output = shape_of(extents);
      values_.insert_or_assign(input.name(), Map{result_.network.add(std::move(node)), extents, std::nullopt});
    } catch (const Refusal& refusal) {
      note(-1, fmt::format("input '{}': {}", input.name(), refusal.what()));
    } catch (const NetworkError& error) {
      note(-1, fmt::format("input '{}': {}", input.name(), without_node(error.what())));
    }
  }
}

void Translation::translate(int position) {
  done_[static_cast<std::size_t>(position)] = true;
  NodeReader node(*this, position);
  try {
    translator_of(node.proto())->translate(node);
    const std::vector<std::string> unread = node.attributes.unread();
    if (!unread.empty()) note(position, fmt::format("attribute {} is not supported", fmt::join(unread, ", ")));
  } catch (const Blocked&) {
    return;
  } catch (const Refusal& refusal) {
    note(position, refusal.what());
  } catch (const NetworkError& error) {
    note(position, without_node(error.what()));
  }
}

void Translation::bind_outputs() {
  for (const onnx::ValueInfoProto& output : graph_.output()) {
    const auto found = values_.find(output.name());
    if (found == values_.end()) continue;
    const Map* const map = std::get_if<Map>(&found->second);
    if (map == nullptr)
      note(-1, fmt::format("output '{}' is a constant; expected the result of a node", output.name()));
    else if (map->pad)
      note(-1, fmt::format("output '{}' is the result of Pad '{}'; expected a convolution or pooling behind it",
                           output.name(), map->pad->name));
    else if (result_.network.node(map->node).op == Operator::input)
      note(-1, fmt::format("output '{}' is an input; expected the result of a node", output.name()));
    else
      result_.outputs.push_back(result_.network.node(map->node).name);
  }
  if (graph_.output_size() == 0) note(-1, "the graph has no output; expected one or more");
}

void Translation::list_layers() {
  for (const onnx::ValueInfoProto& input : graph_.input())
    if (result_.network.find(input.name())) result_.tensors.emplace(input.name(), input.name());
  for (int position = 0; position < graph_.node_size(); ++position) {
    const onnx::NodeProto& node = graph_.node(position);
    OnnxLayer layer{names_[static_cast<std::size_t>(position)], node.output_size() > 0 ? node.output(0) : "", ""};
    const auto value = values_.find(layer.tensor);
    const Map* const map = value == values_.end() ? nullptr : std::get_if<Map>(&value->second);
    if (map != nullptr) layer.node = result_.network.node(map->node).name;
    const auto merged = result_.merged.find(layer.name);
    if (merged != result_.merged.end()) layer.node = merged->second;
    // What a bias behind a layer makes is that layer's result; a Pad before it is not.
    if (map != nullptr && !map->pad && (layer.name == layer.node || merged != result_.merged.end()))
      result_.tensors.insert_or_assign(layer.node, layer.tensor);
    result_.layers.push_back(std::move(layer));
  }
}

void Translation::check_shapes(std::string_view source) {
  const auto check = [&](const onnx::ValueInfoProto& value) {
    const auto found = values_.find(value.name());
    if (found == values_.end() || !value.type().has_tensor_type() || !value.type().tensor_type().has_shape()) return;
    const std::vector<std::int64_t>& ours =
        std::visit([](const auto& known) -> const std::vector<std::int64_t>& { return known.extents; }, found->second);
    const auto& theirs = value.type().tensor_type().shape().dim();
    const bool same = std::ranges::equal(ours, theirs, [](std::int64_t extent, const auto& dimension) {
      return !dimension.has_dim_value() || dimension.dim_value() == extent;
    });
    if (same) return;
    std::vector<std::string> texts;
    for (const onnx::TensorShapeProto::Dimension& dimension : theirs)
      texts.push_back(dimension.has_dim_value() ? std::to_string(dimension.dim_value()) : "?");
    note(-1, fmt::format("value '{}' is {}, but {} by {}", value.name(), text_of(ours),
                         texts.empty() ? "a scalar" : fmt::format("{}", fmt::join(texts, "x")), source));
  };
  for (const onnx::ValueInfoProto& value : graph_.value_info())
    check(value);
  for (const onnx::ValueInfoProto& value : graph_.output())
    check(value);
}

NodeReader::NodeReader(Translation& translation, int position)
    : attributes(translation.graph_.node(position)),
      translation_(translation),
      proto_(translation.graph_.node(position)),
      name_(translation.names_[static_cast<std::size_t>(position)]) {}

const Value& NodeReader::value(int input) const {
  if (!has(input)) throw Refusal(fmt::format("input {} is missing", input));
  const auto found = translation_.values_.find(proto_.input(input));
  if (found == translation_.values_.end()) throw Blocked();
  return found->second;
}

bool NodeReader::is_constant(int input) const {
  return std::holds_alternative<Constant>(value(input));
}

const Map& NodeReader::map(int input, bool merges_padding) const {
  const Map* const found = std::get_if<Map>(&value(input));
  if (found == nullptr)
    throw Refusal(fmt::format("input {} '{}' is a constant; expected a feature map", input, proto_.input(input)));
  if (found->pad && !merges_padding)
    throw Refusal(fmt::format("input {} is the result of Pad '{}'; expected a convolution or pooling behind a Pad",
                              input, found->pad->name));
  return *found;
}

const Constant& NodeReader::constant(int input) const {
  const Constant* const found = std::get_if<Constant>(&value(input));
  if (found == nullptr)
    throw Refusal(fmt::format("input {} '{}' is computed; expected a constant", input, proto_.input(input)));
  return *found;
}

NodeId NodeReader::add(Node node) {
  node.name = name_;
  if (node.name.empty()) throw Refusal("has neither a name of its own nor an output to be called after");
  return translation_.result_.network.add(std::move(node));
}

void NodeReader::define(Value value) {
  translation_.values_.insert_or_assign(proto_.output(0), std::move(value));
}

void NodeReader::only_first_output() const {
  for (int output = 1; output < proto_.output_size(); ++output)
    if (!proto_.output(output).empty() && translation_.readers_.contains(proto_.output(output)))
      throw Refusal(fmt::format("its output {} '{}' is read; expected only the first", output, proto_.output(output)));
}

void NodeReader::keep(LayerWeights weights) {
  translation_.result_.weights.insert_or_assign(name_, std::move(weights));
}

void NodeReader::merge(const std::string& name, const std::string& into) {
  translation_.result_.merged.emplace(name, into);
}

ChannelConstant NodeReader::per_channel(const Constant& constant, const std::vector<std::int64_t>& map_extents,
                                        std::optional<std::int64_t> axis) const {
  const std::vector<std::int64_t>& own = constant.extents;
  const std::size_t rank = map_extents.size();
  const auto refuse = [&] {
    throw Refusal(fmt::format("a constant of {} with a map of {}; expected one value, or one for each channel",
                              text_of(own), text_of(map_extents)));
  };
  if (own.size() > rank) refuse();
  std::size_t first = rank - own.size();
  if (axis) first = static_cast<std::size_t>(front_axis(*axis, rank));
  if (first + own.size() > rank) refuse();
  ChannelConstant result{&constant, 1};
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (own[i] == 1) continue;
    if (first + i != 1 || own[i] != map_extents[1]) refuse();
    result.channels = own[i];
  }
  if (constant.type != onnx::TensorProto::FLOAT)
    throw Refusal(fmt::format("a constant of {}; expected float32", type_name(constant.type)));
  return result;
}

std::optional<std::int64_t> NodeReader::operand_axis(const Constant& constant,
                                                     const std::vector<std::int64_t>& map_extents) {
  attributes.without_effect("consumed_inputs");
  if (opset() >= 7) return std::nullopt;
  const bool broadcast = attributes.integer("broadcast").value_or(0) != 0;
  const std::optional<std::int64_t> axis = attributes.integer("axis");
  if (!broadcast && constant.extents.size() != map_extents.size())
    throw Refusal(fmt::format("a constant of {} with a map of {} without broadcast; expected as many extents",
                              text_of(constant.extents), text_of(map_extents)));
  return broadcast ? axis : std::nullopt;
}

std::vector<float> NodeReader::expand(const ChannelConstant& constant, std::int64_t channels) {
  const Tensor tensor = numbers().floats(*constant.constant);
  numbers().charge(channels);
  if (constant.channels == channels) return {tensor.values().begin(), tensor.values().end()};
  return std::vector<float>(static_cast<std::size_t>(channels), tensor.values().front());
}

std::optional<NodeReader::BiasAdd> NodeReader::following_bias(const std::vector<std::int64_t>& extents) {
  const std::string& output = proto_.output(0);
  const auto readers = translation_.readers_.find(output);
  if (readers == translation_.readers_.end() || readers->second.size() != 1) return std::nullopt;
  const int position = readers->second.front();
  if (position == graph_output) return std::nullopt;
  NodeReader add(translation_, position);
  if (add.proto().op_type() != "Add" || add.inputs() != 2) return std::nullopt;
  if (translation_.apart_.contains(add.name())) return std::nullopt;
  const int other = add.proto().input(0) == output ? 1 : 0;
  const auto known = translation_.values_.find(add.proto().input(other));
  if (known == translation_.values_.end()) return std::nullopt;
  const Constant* const constant = std::get_if<Constant>(&known->second);
  if (constant == nullptr) return std::nullopt;
  try {
    const ChannelConstant bias = per_channel(*constant, extents, add.operand_axis(*constant, extents));
    if (!add.attributes.unread().empty()) return std::nullopt;
    return BiasAdd{position, bias};
  } catch (const Refusal&) {
    return std::nullopt;  // the Add says itself what is wrong
  }
}

void NodeReader::take_over(const BiasAdd& add, const Map& value) {
  translation_.done_[static_cast<std::size_t>(add.position)] = true;
  merge(translation_.names_[static_cast<std::size_t>(add.position)], name_);
  translation_.values_.insert_or_assign(translation_.graph_.node(add.position).output(0), value);
}

}  // namespace spillway::models::onnx_file
