#include "hw/kernels/session/onnx_program.hpp"

#include <algorithm>
#include <array>
#include <system_error>

#include <fmt/format.h>

#include "hw/kernels/session/onnx_node.hpp"
#include "models/mapped_file.hpp"
#include "models/onnx_file.hpp"
#include "models/onnx_reader.hpp"

namespace spillway::kernels {
namespace {

using onnx_nodes::Extents;
using onnx_nodes::known_constant;
using onnx_nodes::Node;
using onnx_nodes::Refusal;

struct Translator {
  std::string_view type;
  void (*read)(Node& node);
};

constexpr std::array translators = {
    Translator{"Abs", onnx_nodes::read_activation},
    Translator{"Acos", onnx_nodes::read_activation},
    Translator{"Acosh", onnx_nodes::read_activation},
    Translator{"Add", onnx_nodes::read_combination},
    Translator{"Asin", onnx_nodes::read_activation},
    Translator{"Asinh", onnx_nodes::read_activation},
    Translator{"Atan", onnx_nodes::read_activation},
    Translator{"Atanh", onnx_nodes::read_activation},
    Translator{"AveragePool", onnx_nodes::read_pool},
    Translator{"BatchNormalization", onnx_nodes::read_normalization},
    Translator{"Cast", onnx_nodes::read_cast},
    Translator{"Ceil", onnx_nodes::read_activation},
    Translator{"Celu", onnx_nodes::read_activation},
    Translator{"Clip", onnx_nodes::read_clip},
    Translator{"Concat", onnx_nodes::read_concat},
    Translator{"Constant", onnx_nodes::read_constant},
    Translator{"ConstantOfShape", onnx_nodes::read_constant_of_shape},
    Translator{"Conv", onnx_nodes::read_convolution},
    Translator{"ConvTranspose", onnx_nodes::read_transposed_convolution},
    Translator{"Cos", onnx_nodes::read_activation},
    Translator{"Cosh", onnx_nodes::read_activation},
    Translator{"DepthToSpace", onnx_nodes::read_depth_and_space},
    Translator{"Div", onnx_nodes::read_combination},
    Translator{"Dropout", onnx_nodes::read_dropout},
    Translator{"Elu", onnx_nodes::read_activation},
    Translator{"Erf", onnx_nodes::read_activation},
    Translator{"Exp", onnx_nodes::read_activation},
    Translator{"Expand", onnx_nodes::read_expand},
    Translator{"Flatten", onnx_nodes::read_flatten},
    Translator{"Floor", onnx_nodes::read_activation},
    Translator{"Gather", onnx_nodes::read_gather},
    Translator{"Gemm", onnx_nodes::read_gemm},
    Translator{"GlobalAveragePool", onnx_nodes::read_global_pool},
    Translator{"GlobalMaxPool", onnx_nodes::read_global_pool},
    Translator{"HardSigmoid", onnx_nodes::read_activation},
    Translator{"HardSwish", onnx_nodes::read_activation},
    Translator{"Identity", onnx_nodes::read_as_it_is},
    Translator{"InstanceNormalization", onnx_nodes::read_instance_normalization},
    Translator{"LRN", onnx_nodes::read_local_response_normalization},
    Translator{"LeakyRelu", onnx_nodes::read_activation},
    Translator{"Log", onnx_nodes::read_activation},
    Translator{"LogSoftmax", onnx_nodes::read_softmax},
    Translator{"MatMul", onnx_nodes::read_matmul},
    Translator{"Max", onnx_nodes::read_combination},
    Translator{"MaxPool", onnx_nodes::read_pool},
    Translator{"Mean", onnx_nodes::read_combination},
    Translator{"Min", onnx_nodes::read_combination},
    Translator{"Mod", onnx_nodes::read_combination},
    Translator{"Mul", onnx_nodes::read_combination},
    Translator{"Neg", onnx_nodes::read_activation},
    Translator{"PRelu", onnx_nodes::read_slope},
    Translator{"Pad", onnx_nodes::read_pad},
    Translator{"Pow", onnx_nodes::read_combination},
    Translator{"Reciprocal", onnx_nodes::read_activation},
    Translator{"ReduceL1", onnx_nodes::read_reduction},
    Translator{"ReduceL2", onnx_nodes::read_reduction},
    Translator{"ReduceLogSum", onnx_nodes::read_reduction},
    Translator{"ReduceLogSumExp", onnx_nodes::read_reduction},
    Translator{"ReduceMax", onnx_nodes::read_reduction},
    Translator{"ReduceMean", onnx_nodes::read_reduction},
    Translator{"ReduceMin", onnx_nodes::read_reduction},
    Translator{"ReduceProd", onnx_nodes::read_reduction},
    Translator{"ReduceSum", onnx_nodes::read_reduction},
    Translator{"ReduceSumSquare", onnx_nodes::read_reduction},
    Translator{"Relu", onnx_nodes::read_activation},
    Translator{"Reshape", onnx_nodes::read_reshape},
    Translator{"Resize", onnx_nodes::read_resize},
    Translator{"Round", onnx_nodes::read_activation},
    Translator{"Selu", onnx_nodes::read_activation},
    Translator{"Shape", onnx_nodes::read_shape},
    Translator{"Shrink", onnx_nodes::read_activation},
    Translator{"Sigmoid", onnx_nodes::read_activation},
    Translator{"Sign", onnx_nodes::read_activation},
    Translator{"Sin", onnx_nodes::read_activation},
    Translator{"Sinh", onnx_nodes::read_activation},
    Translator{"Slice", onnx_nodes::read_slice},
    Translator{"Softmax", onnx_nodes::read_softmax},
    Translator{"Softplus", onnx_nodes::read_activation},
    Translator{"Softsign", onnx_nodes::read_activation},
    Translator{"SpaceToDepth", onnx_nodes::read_depth_and_space},
    Translator{"Split", onnx_nodes::read_split},
    Translator{"Sqrt", onnx_nodes::read_activation},
    Translator{"Squeeze", onnx_nodes::read_squeeze},
    Translator{"Sub", onnx_nodes::read_combination},
    Translator{"Sum", onnx_nodes::read_combination},
    Translator{"Tan", onnx_nodes::read_activation},
    Translator{"Tanh", onnx_nodes::read_activation},
    Translator{"ThresholdedRelu", onnx_nodes::read_activation},
    Translator{"Transpose", onnx_nodes::read_transpose},
    Translator{"Unsqueeze", onnx_nodes::read_unsqueeze},
    Translator{"Upsample", onnx_nodes::read_resize},
};
static_assert(std::ranges::is_sorted(translators, {}, &Translator::type));

const Translator* translator_of(const onnx::NodeProto& node) {
  if (!node.domain().empty() && node.domain() != "ai.onnx") return nullptr;
  const auto found = std::ranges::lower_bound(translators, std::string_view(node.op_type()), {}, &Translator::type);
  return found != translators.end() && found->type == node.op_type() ? &*found : nullptr;
}

class Translation {
 public:
  Translation(std::shared_ptr<const onnx::ModelProto> model, const std::filesystem::path& path,
              const std::map<std::string, std::int64_t>& dimensions)
      : model_(std::move(model)),
        path_(path),
        dimensions_(dimensions),
        numbers_(model_, path.parent_path(), std::int64_t{1} << 31) {
    graph_.program.name = path.stem().string();
    graph_.opset = models::onnx_file::opset_of(*model_);
    graph_.numbers = &numbers_;
  }

  Program run() {
    const onnx::GraphProto& graph = model_->graph();
    refuse_unknown_types();
    for (const onnx::TensorProto& tensor : graph.initializer())
      attempt({"", "", ""}, [&] { add_initializer(tensor); });
    for (const onnx::ValueInfoProto& input : graph.input())
      if (!graph_.values.contains(input.name())) attempt({"", "", ""}, [&] { add_input(input); });
    for (int position = 0; position < graph.node_size() && problems_.empty(); ++position)
      attempt({graph.node(position).name(), graph.node(position).op_type(), ""},
              [&] { translate(graph.node(position), position); });
    for (const onnx::ValueInfoProto& output : graph.output())
      if (problems_.empty()) attempt({"", "", ""}, [&] { add_output(output); });
    if (!problems_.empty()) throw models::OnnxError(path_, problems_);
    return std::move(graph_.program);
  }

 private:
  template <typename Action>
  void attempt(models::OnnxProblem where, Action action) {
    try {
      action();
    } catch (const Refusal& refusal) {
      where.what = refusal.what();
      problems_.push_back(std::move(where));
    }
  }

  void refuse_unknown_types() {
    for (const onnx::NodeProto& node : model_->graph().node())
      if (translator_of(node) == nullptr)
        problems_.push_back({node.name(), node.op_type(), "the kernels have no such operator"});
    if (!problems_.empty()) throw models::OnnxError(path_, problems_);
  }

  void add_initializer(const onnx::TensorProto& tensor) {
    models::onnx_file::check_tensor(tensor, path_.parent_path());
    const models::onnx_file::Constant constant{
        {tensor.dims().begin(), tensor.dims().end()}, tensor.data_type(), &tensor, std::nullopt, std::nullopt};
    graph_.values[tensor.name()] = known_constant(graph_, tensor.name(), constant);
  }

  void add_input(const onnx::ValueInfoProto& input) {
    const onnx::TypeProto_Tensor& type = input.type().tensor_type();
    if (type.elem_type() != onnx::TensorProto::FLOAT)
      throw Refusal(fmt::format("input '{}' of {}; expected float32", input.name(),
                                models::onnx_file::type_name(type.elem_type())));
    Extents extents;
    for (int axis = 0; axis < type.shape().dim_size(); ++axis)
      extents.push_back(extent_of(input, axis));
    static_cast<void>(models::onnx_file::elements_of(extents));
    const ValueId value = graph_.program.add_value({input.name(), extents, false, {}, no_value});
    graph_.program.inputs.push_back(value);
    graph_.values[input.name()] = {value, extents, std::nullopt};
  }

  std::int64_t extent_of(const onnx::ValueInfoProto& input, int axis) const {
    const onnx::TensorShapeProto::Dimension& dimension = input.type().tensor_type().shape().dim(axis);
    if (dimension.has_dim_value() && dimension.dim_value() >= 0) return dimension.dim_value();
    const std::string name =
        dimension.dim_param().empty() ? fmt::format("{}:{}", input.name(), axis) : dimension.dim_param();
    const auto given = dimensions_.find(name);
    if (given != dimensions_.end()) return given->second;
    if (axis == 0) return 1;
    throw Refusal(fmt::format("input '{}': dimension {} is open; expected its extent", input.name(), name));
  }

  void translate(const onnx::NodeProto& proto, int position) {
    for (const std::string& input : proto.input())
      if (!input.empty() && !graph_.values.contains(input))
        throw Refusal(fmt::format("input '{}' is made by no earlier node", input));
    Node node(graph_, proto, position);
    translator_of(proto)->read(node);
    for (const std::string& name : node.attributes.unread())
      throw Refusal(fmt::format("attribute {} is not read", name));
  }

  void add_output(const onnx::ValueInfoProto& output) {
    const auto found = graph_.values.find(output.name());
    if (found == graph_.values.end()) throw Refusal(fmt::format("output '{}' is made by no node", output.name()));
    if (found->second.integers)
      throw Refusal(fmt::format("output '{}' holds integers; expected float32", output.name()));
    graph_.program.outputs.push_back(found->second.value);
  }

  std::shared_ptr<const onnx::ModelProto> model_;
  const std::filesystem::path& path_;
  const std::map<std::string, std::int64_t>& dimensions_;
  models::onnx_file::Numbers numbers_;
  onnx_nodes::Graph graph_;
  std::vector<models::OnnxProblem> problems_;
};

}  // namespace

Program read_onnx_program_bytes(std::string_view bytes, const std::filesystem::path& name,
                                const std::map<std::string, std::int64_t>& dimensions) {
  const std::shared_ptr<onnx::ModelProto> model = models::onnx_file::parse(bytes, name);
  models::onnx_file::check_with_libonnx(*model, name);
  return Translation(model, name, dimensions).run();
}

Program read_onnx_program(const std::filesystem::path& path, const std::map<std::string, std::int64_t>& dimensions) {
  std::shared_ptr<const std::span<const char>> bytes;
  try {
    bytes = models::map_file(path);
  } catch (const std::system_error& error) {
    throw models::OnnxError(path, {{"", "", "cannot be read: " + error.code().message()}});
  }
  return read_onnx_program_bytes({bytes->data(), bytes->size()}, path, dimensions);
}

std::span<const std::string_view> onnx_program_operators() {
  static const auto types = [] {
    std::array<std::string_view, translators.size()> all;
    std::ranges::transform(translators, all.begin(), &Translator::type);
    return all;
  }();
  return types;
}

}  // namespace spillway::kernels
