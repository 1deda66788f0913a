#include "plan_tables.hpp"

#include <algorithm>
#include <sstream>

namespace spillway::oracle {
namespace {

std::uint32_t ceiling(std::uint32_t dividend, std::uint32_t divisor) {
  return (dividend + divisor - 1) / divisor;
}

}  // namespace

core::Plan PlanTables::view() const {
  core::Plan plan = settings;
  plan.layers = layers;
  plan.parts = parts;
  plan.consumers = consumers;
  return plan;
}

core::LayerIndex PlanTables::add(core::Layer layer, const std::vector<core::Part>& parts_of_layer) {
  layer.groups = ceiling(layer.channels, layer.tile_channels);
  layer.rows = ceiling(layer.height, layer.tile_height);
  layer.columns = ceiling(layer.width, layer.tile_width);
  if (layer.filter_bytes != 0) layer.chunks = ceiling(layer.tile_channels, layer.chunk_filters) * layer.pieces;
  layer.first_part = static_cast<std::uint16_t>(parts.size());
  layer.parts = static_cast<std::uint16_t>(parts_of_layer.size());
  parts.insert(parts.end(), parts_of_layer.begin(), parts_of_layer.end());
  layers.push_back(layer);
  return static_cast<core::LayerIndex>(layers.size() - 1);
}

void PlanTables::link() {
  consumers.clear();
  for (core::LayerIndex producer = 0; producer < layers.size(); ++producer) {
    layers[producer].first_consumer = static_cast<std::uint16_t>(consumers.size());
    for (core::LayerIndex consumer = 0; consumer < layers.size(); ++consumer) {
      const auto first = parts.begin() + layers[consumer].first_part;
      const bool reads = std::any_of(first, first + layers[consumer].parts,
                                     [&](const core::Part& part) { return part.producer == producer; });
      if (reads) consumers.push_back(consumer);
    }
    layers[producer].consumers = static_cast<std::uint16_t>(consumers.size() - layers[producer].first_consumer);
  }
}

std::string PlanTables::dump() const {
  std::ostringstream text;
  text << "pools " << settings.pools.input << "/" << settings.pools.weights << "/" << settings.pools.output
       << (settings.pools.shared ? " shared" : "") << ", frames " << settings.frames << ", window " << settings.window
       << ", queue " << (settings.queue == core::Queue::skip ? "skip" : "strict") << "\n";
  for (std::size_t row = 0; row < layers.size(); ++row) {
    const core::Layer& layer = layers[row];
    text << "layer " << row << ": " << layer.channels << "x" << layer.height << "x" << layer.width << " in tiles of "
         << layer.tile_channels << "x" << layer.tile_height << "x" << layer.tile_width << " (" << layer.groups << "x"
         << layer.rows << "x" << layer.columns << "), input " << layer.input_height << "x" << layer.input_width
         << ", kernel " << layer.kernel_height << "x" << layer.kernel_width << ", stride " << layer.stride_height << "x"
         << layer.stride_width << ", pad " << layer.pad_top << "," << layer.pad_left << ", halo " << layer.channel_halo
         << (layer.channelwise ? ", channelwise" : "") << (layer.flattened ? ", flattened" : "")
         << (layer.waits_for_all ? ", waits for all" : "") << ", input buffers " << layer.input_buffers << "; chunks "
         << layer.chunks << " of " << layer.chunk_filters << " filters, pieces " << layer.pieces << ", filter bytes "
         << layer.filter_bytes << "/" << layer.piece_bytes << ", filter work " << layer.filter_work
         << ", element bytes " << int{layer.element_bytes};
    if (layer.weight_pins != 0) text << ", weights outside in " << layer.weight_pins << " pins";
    if (layer.output_pins != 0) text << ", output kept in " << layer.output_pins << " pins";
    text << "\n";
    for (std::uint32_t number = 0; number < layer.parts; ++number) {
      const core::Part& part = parts[layer.first_part + number];
      text << "  part " << number << ": channels " << part.first_channel << "+" << part.channels << " from ";
      if (part.producer == core::network_input) {
        text << "the network's input";
      } else {
        text << "layer " << part.producer;
      }
      text << " at " << part.producer_channel << (part.resident ? ", resident" : "") << "\n";
    }
  }
  return text.str();
}

}  // namespace spillway::oracle
