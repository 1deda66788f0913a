#include "models/onnx_file.hpp"

#include <algorithm>
#include <climits>
#include <exception>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <onnx/checker.h>
#include <onnx/shape_inference/implementation.h>

#include "models/onnx_error.hpp"
#include "models/onnx_reader.hpp"

namespace spillway::models::onnx_file {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, std::string what) {
  throw OnnxError(path, {{"", "", std::move(what)}});
}

bool is_default(const std::string& domain) {
  return domain.empty() || domain == "ai.onnx";
}

/// A file in which every one of the first bytes can be printed: someone gave the wrong file.
bool is_text(std::string_view bytes) {
  return std::ranges::all_of(bytes.substr(0, 256), [](char letter) {
    return (letter >= ' ' && letter <= '~') || letter == '\n' || letter == '\r' || letter == '\t';
  });
}

/// libonnx's messages have several lines; ours have one.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char letter : text) {
    const bool space = letter == '\n' || letter == ' ' || letter == '\t' || letter == '\r';
    if (!space) line += letter;
    if (space && !line.empty() && line.back() != ' ') line += ' ';
  }
  while (!line.empty() && (line.back() == ' ' || line.back() == '.'))
    line.pop_back();
  return line;
}

void check_versions(const onnx::ModelProto& model, const std::filesystem::path& path) {
  std::vector<OnnxProblem> problems;
  const auto note = [&problems](std::string what) { problems.push_back({"", "", std::move(what)}); };
  if (model.ir_version() > newest_onnx_ir || model.ir_version() < 3)
    note(fmt::format("IR version {}; expected 3 to {} (export the model for an older version)", model.ir_version(),
                     newest_onnx_ir));
  int defaults = 0;
  for (const onnx::OperatorSetIdProto& set : model.opset_import()) {
    if (!is_default(set.domain())) continue;
    ++defaults;
    if (set.version() < 1 || set.version() > newest_onnx_opset)
      note(fmt::format("operator set {}; expected 1 to {} (export the model for an older one)", set.version(),
                       newest_onnx_opset));
  }
  if (defaults != 1) note(fmt::format("imports {} default operator sets; expected one", defaults));
  if (model.functions_size() > 0) note("has functions of its own; expected nodes of the default operator set");
  if (model.training_info_size() > 0) note("has training information; expected a model for inference");
  if (model.graph().sparse_initializer_size() > 0) note("has sparse initializers; expected dense ones");
  if (model.graph().quantization_annotation_size() > 0) note("has quantization annotations; expected a float32 model");
  if (model.graph().node_size() > most_nodes)
    note(fmt::format("has {} nodes; expected at most {}", model.graph().node_size(), most_nodes));
  if (!problems.empty()) throw OnnxError(path, problems);
}

}  // namespace

std::shared_ptr<onnx::ModelProto> parse(std::string_view bytes, const std::filesystem::path& path) {
  if (bytes.empty()) fail(path, "the file is empty; expected an ONNX model");
  if (bytes.size() > most_file_bytes)
    fail(path, fmt::format("the file has {} bytes; expected at most {} (keep weights in external data)", bytes.size(),
                           most_file_bytes));
  auto model = std::make_shared<onnx::ModelProto>();
  if (!model->ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    fail(path, is_text(bytes) ? "the file is text; expected an ONNX model"
                              : "the file is damaged, cut short or no ONNX model: it cannot be parsed to its end");
  if (!model->has_ir_version() || !model->has_graph())
    fail(path, fmt::format("the file has no {}; expected an ONNX model",
                           model->has_graph() ? "version of the intermediate representation" : "graph"));
  check_versions(*model, path);
  return model;
}

void check_with_libonnx(const onnx::ModelProto& model, const std::filesystem::path& path) {
  onnx::checker::CheckerContext context;
  context.set_ir_version(static_cast<int>(model.ir_version()));
  std::unordered_map<std::string, int> sets;
  for (const onnx::OperatorSetIdProto& set : model.opset_import())
    sets[set.domain() == "ai.onnx" ? "" : set.domain()] = static_cast<int>(set.version());
  context.set_opset_imports(std::move(sets));
  // check_model() cannot be told where external data lies unless it parses the file once more.
  const std::filesystem::path folder = path.parent_path();
  context.set_model_dir(folder.empty() ? "." : folder.string());
  try {
    onnx::checker::check_graph(model.graph(), context, onnx::checker::LexicalScopeContext());
  } catch (const std::exception& error) {
    fail(path, fmt::format("refused by the ONNX checker: {}", one_line(error.what())));
  }
}

void fix_dimensions(onnx::ModelProto& model, const std::map<std::string, std::int64_t>& dimensions,
                    const std::filesystem::path& path) {
  onnx::GraphProto& graph = *model.mutable_graph();
  std::vector<std::string> constants, open, dynamic;
  std::vector<OnnxProblem> problems;
  const auto note = [&problems](std::string what) { problems.push_back({"", "", std::move(what)}); };
  for (const onnx::TensorProto& tensor : graph.initializer())
    constants.push_back(tensor.name());
  std::ranges::sort(constants);
  for (onnx::ValueInfoProto& input : *graph.mutable_input()) {
    if (std::ranges::binary_search(constants, input.name())) continue;
    if (!input.type().has_tensor_type() || !input.type().tensor_type().has_shape()) {
      note(fmt::format("input '{}' has no shape; expected one", input.name()));
      continue;
    }
    onnx::TensorShapeProto& shape = *input.mutable_type()->mutable_tensor_type()->mutable_shape();
    for (int axis = 0; axis < shape.dim_size(); ++axis) {
      onnx::TensorShapeProto::Dimension& dimension = *shape.mutable_dim(axis);
      if (!dimension.has_dim_value()) {
        const std::string name =
            dimension.dim_param().empty() ? fmt::format("{}:{}", input.name(), axis) : dimension.dim_param();
        dynamic.push_back(name);
        const auto given = dimensions.find(name);
        if (given != dimensions.end())
          dimension.set_dim_value(given->second);
        else if (axis == 0)
          dimension.set_dim_value(1);
        else
          open.push_back(name);
      }
      if (!dimension.has_dim_value()) continue;
      if (axis == 0 && dimension.dim_value() != 1)
        note(fmt::format("input '{}' has a batch of {}; expected 1", input.name(), dimension.dim_value()));
      else if (dimension.dim_value() < 1 || dimension.dim_value() > INT_MAX)
        note(fmt::format("input '{}' has an extent of {} along axis {}; expected 1 to {}", input.name(),
                         dimension.dim_value(), axis, INT_MAX));
    }
  }
  std::ranges::sort(open);
  open.erase(std::unique(open.begin(), open.end()), open.end());
  for (const std::string& name : open)
    note(fmt::format("the dimension '{}' has no extent; expected one to be given for it", name));
  for (const auto& [name, extent] : dimensions)
    if (std::ranges::find(dynamic, name) == dynamic.end())
      note(fmt::format("no dimension is called '{}'; expected {}", name,
                       dynamic.empty() ? "none given: the model's dimensions are all fixed"
                                       : fmt::format("one of '{}'", fmt::join(dynamic, "', '"))));
  if (!problems.empty()) throw OnnxError(path, problems);
  if (dynamic.empty()) return;
  // Shapes that the exporter noted further inside may rest on other extents.
  graph.clear_value_info();
  for (onnx::ValueInfoProto& output : *graph.mutable_output())
    if (output.type().has_tensor_type()) output.mutable_type()->mutable_tensor_type()->clear_shape();
}

void infer_shapes(onnx::ModelProto& model, const std::filesystem::path& path) {
  try {
    const onnx::ShapeInferenceOptions options{true, 1, true};
    onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(), options);
  } catch (const std::exception& error) {
    fail(path, fmt::format("ONNX shape inference: {}", one_line(error.what())));
  }
}

std::int64_t opset_of(const onnx::ModelProto& model) {
  for (const onnx::OperatorSetIdProto& set : model.opset_import())
    if (is_default(set.domain())) return set.version();
  return 0;
}

}  // namespace spillway::models::onnx_file
