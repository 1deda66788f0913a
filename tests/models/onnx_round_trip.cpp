#include "onnx_round_trip.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <vector>

#include "evaluate.hpp"
#include "onnx_builder.hpp"
#include <gtest/gtest.h>

#include "models/onnx_graph.hpp"
#include "models/onnx_reader.hpp"
#include "models/onnx_writer.hpp"
#include "models/seeded_weights.hpp"
#include "models/zoo.hpp"

namespace spillway::models {

TestFolder::TestFolder() {
  std::string name = ::testing::TempDir() + "/spillway-onnx-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for the test");
  folder_ = name;
}

TestFolder::~TestFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void expect_round_trip(std::string_view name, bool external_data) {
  SCOPED_TRACE(name);
  const TestFolder folder;
  const Network network = zoo(name).value();
  const std::filesystem::path path = folder.at(std::string(name) + ".onnx");
  write_onnx(network, path, {.external_data = external_data, .seed = 7, .outputs = {}});
  EXPECT_EQ(std::filesystem::exists(path.string() + ".data"), external_data);

  const OnnxModel model = read_onnx_model(path, {.dimensions = {}, .weights = true});
  EXPECT_EQ(model.network.name(), network.name());
  EXPECT_TRUE(model.network.nodes() == network.nodes()) << "names, operators, inputs, shapes and attributes";
  EXPECT_EQ(model.network.total_macs(), network.total_macs());
  EXPECT_EQ(model.network.total_weights(), network.total_weights());
  EXPECT_TRUE(model.merged.empty());
  const SeededWeights seeded(network, 7);
  std::size_t with_weights = 0;
  for (NodeId id = 0; id < network.nodes().size(); ++id) {
    if (!has_weights(network.node(id).op)) continue;
    ++with_weights;
    EXPECT_TRUE(model.weights.at(network.node(id).name) == seeded.of(id)) << network.node(id).name;
  }
  EXPECT_EQ(model.weights.size(), with_weights);
}

void expect_older_dialect(std::string_view name) {
  SCOPED_TRACE(name);
  const Network network = zoo(name).value();
  const auto nothing = [&network](NodeId id) {
    const std::vector<std::int64_t> extents = weight_extents(network, id);
    std::int64_t elements = 1;
    for (const std::int64_t extent : extents)
      elements *= extent;
    const auto zeros = [](std::int64_t count) { return std::vector<float>(static_cast<std::size_t>(count)); };
    LayerWeights weights{Tensor(extents, zeros(elements)), {}};
    if (network.biases(id) > 0) weights.bias = Tensor({extents.front()}, zeros(extents.front()));
    return weights;
  };
  const onnx_file::Store bounds_only = [](onnx::TensorProto& tensor, const Tensor& numbers) {
    const std::span<const float> values = numbers.values();
    if (values.size() == 1) tensor.set_raw_data(values.data(), sizeof(float));
  };
  const onnx::ModelProto older = in_older_dialect(onnx_file::model_of(network, {}, nothing, bounds_only));
  const OnnxModel model = read_onnx_bytes(older.SerializeAsString(), std::string(name) + ".onnx");
  EXPECT_EQ(model.opset, 9);
  EXPECT_EQ(model.network.total_macs(), network.total_macs());
  EXPECT_EQ(model.network.total_weights(), network.total_weights());
  EXPECT_EQ(model.network.total_biases(), network.total_biases());
  ASSERT_EQ(model.network.nodes().size(), network.nodes().size());
  for (NodeId id = 0; id < network.nodes().size(); ++id) {
    const Node &found = model.network.node(id), &expected = network.node(id);
    EXPECT_EQ(found.name, expected.name);
    EXPECT_EQ(found.op, expected.op) << expected.name;
    EXPECT_EQ(found.inputs, expected.inputs) << expected.name;
    EXPECT_EQ(found.output, expected.output) << expected.name;
  }
}

void expect_calibrated(std::string_view name) {
  SCOPED_TRACE(name);
  const Network network = zoo(name).value();
  std::vector<float> noise(static_cast<std::size_t>(network.node(0).output.elements()));
  std::uint64_t state = 1;
  for (float& value : noise) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    value = static_cast<float>(static_cast<double>(state >> 40) * 0x1p-24 * 2 - 1) * 1.732F;  // a variance of 1
  }
  const std::vector<std::vector<float>> maps = evaluate(network, SeededWeights(network, 3).all(), noise);
  for (NodeId id = 0; id < network.nodes().size(); ++id) {
    if (!has_weights(network.node(id).op)) continue;
    double sum = 0, squares = 0;
    for (const float value : maps[id]) {
      sum += value;
      squares += static_cast<double>(value) * value;
    }
    const double count = static_cast<double>(maps[id].size());
    const double deviation = std::sqrt(squares / count - sum / count * (sum / count));
    EXPECT_GT(deviation, 0.3) << network.node(id).name;
    EXPECT_LT(deviation, 3.3) << network.node(id).name;
  }
}

}  // namespace spillway::models
