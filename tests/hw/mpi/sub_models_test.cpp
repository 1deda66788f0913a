// The sub-models as other tools see them: files that libonnx accepts, whose boundaries fit, and that compute the whole.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "random_split.hpp"
#include "temporary_folder.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include "hw/kernels/session/session.hpp"
#include "hw/mpi/front_end.hpp"
#include "models/onnx_reader.hpp"

namespace spillway::mpi {
namespace {

namespace fs = std::filesystem;
using Extents = std::vector<std::int64_t>;

onnx::ModelProto parse(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromIstream(&stream)) << path;
  return model;
}

Extents extents_of(const onnx::ValueInfoProto& value) {
  Extents extents;
  for (const onnx::TensorShapeProto::Dimension& dimension : value.type().tensor_type().shape().dim())
    extents.push_back(dimension.dim_value());
  return extents;
}

TEST(SubModels, BothEndsOfEachBufferHaveTheSameType) {
  for (std::size_t number = 0; number < small_cases; ++number) {
    const TemporaryFolder folder;
    const Deployment deployment = random_deployment(number);
    write_front_end(deployment, folder.path());
    std::map<std::string, Extents> made, taken;
    for (const split::SubModel& rank : deployment.split.ranks) {
      const onnx::ModelProto model = parse(folder.path() / (rank.key + ".onnx"));
      EXPECT_EQ(static_cast<std::size_t>(model.graph().input_size()), rank.inputs.size() + rank.receives.size());
      for (const onnx::ValueInfoProto& output : model.graph().output())
        EXPECT_TRUE(made.emplace(output.name(), extents_of(output)).second) << output.name();
      for (const onnx::ValueInfoProto& input : model.graph().input()) {
        const auto [known, is_new] = taken.emplace(input.name(), extents_of(input));
        EXPECT_EQ(known->second, extents_of(input)) << input.name();
      }
    }
    for (const split::Buffer& buffer : deployment.split.buffers) {
      if (deployment.network.node(buffer.node).op == models::Operator::input) continue;
      EXPECT_EQ(made.at(buffer.name), taken.at(buffer.name)) << "case " << number << ", " << buffer.name;
    }
  }
}

/// The values of a run that have a name.
using Values = std::map<std::string, std::vector<float>>;

void compute(const models::Network& network, const models::Weights& weights, const std::vector<std::string>& outputs,
             Values& values) {
  kernels::SessionOptions options;
  options.backend = kernels::Backend::eigen;
  kernels::Session session(kernels::lower(network, weights, outputs), options);
  const kernels::Program& program = session.program();
  for (std::size_t i = 0; i < program.inputs.size(); ++i)
    std::ranges::copy(values.at(program.values[program.inputs[i]].name), session.input(i).begin());
  session.run();
  for (std::size_t i = 0; i < outputs.size(); ++i)
    values[outputs[i]].assign(session.output(i).begin(), session.output(i).end());
}

TEST(SubModels, OneBehindTheOtherTheyComputeTheWhole) {
  for (std::size_t number = 0; number < small_cases; number += 3) {  // runs of layers: the ranks' order is an order
    const TemporaryFolder folder;
    const Deployment deployment = random_deployment(number);
    write_front_end(deployment, folder.path());
    const models::Node& input = deployment.network.node(0);
    Values whole{{input.name, random_numbers(static_cast<std::size_t>(input.output.elements()), number)}};
    Values parts = whole;
    std::vector<std::string> results;
    for (const split::SubModel& rank : deployment.split.ranks)
      for (const models::NodeId output : rank.outputs)
        results.push_back(deployment.network.node(output).name);
    compute(deployment.network, deployment.weights, results, whole);
    for (const split::SubModel& rank : deployment.split.ranks) {
      models::OnnxReadOptions options;
      options.weights = true;
      const models::OnnxModel model = models::read_onnx_model(folder.path() / (rank.key + ".onnx"), options);
      compute(model.network, model.weights, model.outputs, parts);
    }
    for (const std::string& result : results)
      EXPECT_EQ(parts.at(result), whole.at(result)) << "case " << number << ", " << result;
  }
}

}  // namespace
}  // namespace spillway::mpi
