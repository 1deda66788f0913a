#include "onnx_property.hpp"

#include <stdexcept>

#include "models/onnx_reader.hpp"

namespace spillway::models {

void check_onnx(std::string_view bytes) {
  try {
    const OnnxModel model =
        read_onnx_bytes(bytes, "fuzzed/model.onnx", {.dimensions = {}, .weights = true, .most_made_bytes = 1 << 24});
    if (model.outputs.empty()) throw std::logic_error("a model without outputs");
    for (NodeId id = 0; id < model.network.nodes().size(); ++id) {
      const Node& node = model.network.node(id);
      if (!has_weights(node.op)) continue;
      const LayerWeights& weights = model.weights.at(node.name);
      if (weights.weights.extents() != weight_extents(model.network, id))
        throw std::logic_error("weights of other extents than the network's");
      if (weights.bias.empty() == (node.bias || node.op == Operator::batch_normalization))
        throw std::logic_error("a bias that the network does not know of, or none where it does");
    }
  } catch (const OnnxError& error) {
    if (error.problems().empty()) throw std::logic_error("refused without a problem");
  }
}

}  // namespace spillway::models
