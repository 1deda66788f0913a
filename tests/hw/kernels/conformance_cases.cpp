#include "conformance_cases.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <set>
#include <stdexcept>

namespace spillway::kernels {
namespace {

namespace fs = std::filesystem;

template <typename Message>
Message read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  Message message;
  if (!file || !message.ParseFromIstream(&file)) throw std::runtime_error(path.string() + " cannot be read");
  return message;
}

std::vector<float> floats_of(const onnx::TensorProto& tensor) {
  if (!tensor.has_raw_data()) return {tensor.float_data().begin(), tensor.float_data().end()};
  std::vector<float> numbers(tensor.raw_data().size() / sizeof(float));
  if (!numbers.empty()) std::memcpy(numbers.data(), tensor.raw_data().data(), numbers.size() * sizeof(float));
  return numbers;
}

/// Whether a resize reads the input as anything but its map.
bool is_factor(const onnx::GraphProto& graph, const std::string& input) {
  return std::ranges::any_of(graph.node(), [&](const onnx::NodeProto& node) {
    const bool resizes = node.op_type() == "Resize" || node.op_type() == "Upsample";
    return resizes && std::find(node.input().begin() + 1, node.input().end(), input) != node.input().end();
  });
}

}  // namespace

std::vector<ConformanceCase> conformance_cases() {
  const fs::path root = "/usr/share/libonnx-testdata/data";
  std::vector<ConformanceCase> cases;
  for (const char* family : {"node", "pytorch-converted", "pytorch-operator", "simple"}) {
    if (!fs::is_directory(root / family)) continue;
    for (const fs::directory_entry& entry : fs::directory_iterator(root / family))
      if (fs::exists(entry.path() / "model.onnx") && fs::exists(entry.path() / "test_data_set_0"))
        cases.push_back({std::string(family) + "/" + entry.path().filename().string(), entry.path()});
  }
  std::ranges::sort(cases, {}, &ConformanceCase::name);
  return cases;
}

LoadedCase load(const ConformanceCase& from, bool constant_weights) {
  LoadedCase loaded;
  loaded.model = read<onnx::ModelProto>(from.folder / "model.onnx");
  onnx::GraphProto& graph = *loaded.model.mutable_graph();
  std::set<std::string> initialized;
  for (const onnx::TensorProto& tensor : graph.initializer())
    initialized.insert(tensor.name());
  const fs::path data = from.folder / "test_data_set_0";
  int number = 0;
  for (const onnx::ValueInfoProto& input : graph.input()) {
    if (initialized.contains(input.name())) continue;
    onnx::TensorProto tensor = read<onnx::TensorProto>(data / ("input_" + std::to_string(number++) + ".pb"));
    tensor.set_name(input.name());
    const bool is_map = tensor.data_type() == onnx::TensorProto::FLOAT && tensor.dims_size() > 0 &&
                        !is_factor(graph, input.name()) && (number == 1 || !constant_weights);
    if (is_map)
      loaded.inputs.push_back(floats_of(tensor));
    else
      *graph.add_initializer() = std::move(tensor);
  }
  for (int output = 0; output < graph.output_size(); ++output) {
    const onnx::TensorProto tensor = read<onnx::TensorProto>(data / ("output_" + std::to_string(output) + ".pb"));
    loaded.float_outputs = loaded.float_outputs && tensor.data_type() == onnx::TensorProto::FLOAT;
    loaded.outputs.push_back(floats_of(tensor));
  }
  // Below IR version 4 an initializer stands among the inputs; from 4 on it need not.
  if (loaded.model.ir_version() < 4) return loaded;
  onnx::GraphProto kept;
  for (const onnx::ValueInfoProto& input : graph.input()) {
    const auto is_this = [&](const onnx::TensorProto& tensor) { return tensor.name() == input.name(); };
    if (std::ranges::none_of(graph.initializer(), is_this)) *kept.add_input() = input;
  }
  graph.mutable_input()->Swap(kept.mutable_input());
  return loaded;
}

}  // namespace spillway::kernels
