#include "figure2.hpp"

#include <fstream>

#include "tests/models/onnx_builder.hpp"

namespace spillway::mpi {

void write_figure2_model(const std::filesystem::path& path) {
  models::OnnxBuilder builder;
  builder.input("image", {1, 3, 16, 16});
  builder.node("MaxPool", {"image"}, "Buff1").set("kernel_shape", {2, 2}).set("strides", {2, 2});
  builder.last().set_name("MaxPool1");
  builder.ramp("conv_weights", {4, 3, 3, 3}).ramp("fc_weights", {4, 3, 8, 8});
  // Fully connected: a filter as large as the map; Add1 has one value of it for each channel.
  builder.node("Conv", {"Buff1", "fc_weights"}, "Buff2");
  builder.last().set_name("FC1");
  builder.node("Conv", {"Buff1", "conv_weights"}, "Buff3").set("pads", {1, 1, 1, 1});
  builder.last().set_name("Conv1");
  builder.node("Add", {"Buff3", "Buff2"}, "Buff4");
  builder.last().set_name("Add1");
  builder.node("Relu", {"Buff4"}, "result");
  builder.last().set_name("Relu1");
  builder.output("result");
  std::ofstream(path, std::ios::binary) << builder.bytes();
}

}  // namespace spillway::mpi
