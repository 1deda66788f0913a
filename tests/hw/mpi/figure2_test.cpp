#include "figure2.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "temporary_folder.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/mpi/assignment.hpp"
#include "hw/mpi/front_end.hpp"
#include "hw/mpi/tables.hpp"
#include "models/onnx_reader.hpp"

namespace spillway::mpi {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

std::string text_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

Deployment figure2(const fs::path& folder) {
  const fs::path path = folder / "figure2.onnx";
  write_figure2_model(path);
  models::OnnxReadOptions options;
  options.weights = true;
  models::OnnxModel model = models::read_onnx_model(path, options);
  std::vector<platforms::Device> devices = platforms::parse_devices(figure2_platform, "platform.txt");
  const platforms::Mapping mapping = platforms::parse_mapping(figure2_mapping, "mapping.json", devices);
  const NamedLayers layers = named_layers(model);
  split::Request request;
  request.rank_of_node = assign(mapping, layers, model.network).rank_of_node;
  request.tensors = layers.tensors;
  std::vector<platforms::Resource> resources;
  for (const platforms::MappedRank& rank : mapping.ranks) {
    request.keys.push_back(rank.key);
    resources.push_back(rank.resource);
  }
  split::Split split = split::split(model.network, request);
  split::Schedule schedule = split::make_schedule(model.network, split);
  return {"figure2", model.network, model.weights, split, schedule, devices, resources};
}

TEST(Figure2, TablesRankfileAndHostfile) {
  const TemporaryFolder folder;
  const Deployment deployment = figure2(folder.path());
  write_front_end(deployment, folder.path());
  EXPECT_EQ(text_of(folder.path() / "sender.json"), R"({
  "edge01_arm123": {
    "Buff1": [
      1,
      2
    ],
    "Buff4": [
      2
    ]
  },
  "edge01_gpu": {
    "Buff2": [
      0
    ]
  },
  "edge04_arm0": {
    "Buff3": [
      0
    ]
  }
}
)");
  EXPECT_EQ(text_of(folder.path() / "receiver.json"), R"({
  "edge01_arm123": {
    "Buff2": [
      1
    ],
    "Buff3": [
      2
    ]
  },
  "edge01_gpu": {
    "Buff1": [
      0
    ]
  },
  "edge04_arm0": {
    "Buff1": [
      0
    ],
    "Buff4": [
      0
    ]
  }
}
)");
  EXPECT_EQ(text_of(folder.path() / "rankfile"),
            "rank 0=edge01 slot=1,2,3\n"
            "rank 1=edge01 slot=5\n"
            "rank 2=edge04 slot=0\n");
  EXPECT_EQ(text_of(folder.path() / "hostfile"), "edge01 slots=6\nedge04 slots=4\n");
}

struct Face {
  std::vector<std::string> inputs, layers, outputs;
};

/// What a sub-model's file says of itself; libonnx has checked it.
Face face_of(const fs::path& path) {
  models::OnnxReadOptions options;
  options.weights = true;
  const models::OnnxModel model = models::read_onnx_model(path, options);
  Face face;
  for (const models::Node& node : model.network.nodes())
    if (node.op == models::Operator::input) face.inputs.push_back(model.tensors.at(node.name));
  for (const models::OnnxLayer& layer : model.layers)
    face.layers.push_back(layer.name);
  for (const std::string& output : model.outputs)
    face.outputs.push_back(model.tensors.at(output));
  return face;
}

TEST(Figure2, SubModels) {
  const TemporaryFolder folder;
  const Deployment deployment = figure2(folder.path());
  write_front_end(deployment, folder.path());
  const Face model0 = face_of(folder.path() / "edge01_arm123.onnx");
  EXPECT_THAT(model0.inputs, ElementsAre("image", "Buff2", "Buff3"));
  EXPECT_THAT(model0.layers, ElementsAre("MaxPool1", "Add1"));
  EXPECT_THAT(model0.outputs, ElementsAre("Buff1", "Buff4"));
  const Face model1 = face_of(folder.path() / "edge01_gpu.onnx");
  EXPECT_THAT(model1.inputs, ElementsAre("Buff1"));
  EXPECT_THAT(model1.layers, ElementsAre("FC1"));
  EXPECT_THAT(model1.outputs, ElementsAre("Buff2"));
  const Face model2 = face_of(folder.path() / "edge04_arm0.onnx");
  EXPECT_THAT(model2.inputs, ElementsAre("Buff1", "Buff4"));
  EXPECT_THAT(model2.layers, ElementsAre("Conv1", "Relu1"));
  EXPECT_THAT(model2.outputs, ElementsAre("Buff3", "result"));
  // Weights only where they are used: 4 x 3 x 8 x 8 numbers in one model, 4 x 3 x 3 x 3 in another.
  EXPECT_LT(fs::file_size(folder.path() / "edge01_arm123.onnx"), 768u);
  EXPECT_GT(fs::file_size(folder.path() / "edge01_gpu.onnx"), 768u * 4);
  EXPECT_LT(fs::file_size(folder.path() / "edge04_arm0.onnx"), 768u * 2);
}

TEST(Figure2, LayersByTheNamesOfTheirTensors) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "figure2.onnx";
  write_figure2_model(path);
  const models::OnnxModel model = models::read_onnx_model(path);
  const std::vector<platforms::Device> devices = platforms::parse_devices(figure2_platform, "platform.txt");
  const auto ranks_of = [&](const char* mapping) {
    return assign(platforms::parse_mapping(mapping, "m.json", devices), named_layers(model), model.network)
        .rank_of_node;
  };
  EXPECT_EQ(ranks_of("{\"edge01_arm123\": [\"Buff1\", \"Buff4\"], \"edge01_gpu\": [\"Buff2\"], "
                     "\"edge04_arm0\": [\"Buff3\", \"result\"]}"),
            ranks_of(figure2_mapping));
}

}  // namespace
}  // namespace spillway::mpi
