#include "hw/stm32/image/network_source.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace spillway::stm32 {
namespace {

class Source {
 public:
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    text_ += '\n';
  }
  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

/// A name in a comment or literal: what would end either becomes an underscore.
std::string harmless(std::string_view name) {
  std::string text(name);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c == '"' || c == '\\'; }, '_');
  return text;
}

std::string_view boolean(bool value) {
  return value ? "true" : "false";
}

void write_layer(Source& source, const core::Layer& layer, const std::string& name) {
  source.line("    // {}", harmless(name));
  source.line("    {{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {},", layer.channels, layer.height, layer.width,
              layer.tile_channels, layer.tile_height, layer.tile_width, layer.groups, layer.rows, layer.columns,
              layer.input_height, layer.input_width);
  source.line("     {}, {}, {}, {}, {}, {}, {},", layer.kernel_height, layer.kernel_width, layer.stride_height,
              layer.stride_width, layer.pad_top, layer.pad_left, layer.channel_halo);
  source.line("     {}, {}, {}, {}, {}, {},", layer.chunks, layer.chunk_filters, layer.pieces, layer.filter_bytes,
              layer.piece_bytes, layer.filter_work);
  source.line("     {}, {}, {}, {}, {}, {}, static_cast<core::WorkClass>({}), {}, {}, {}, {}, {}, {}}},",
              layer.first_part, layer.parts, layer.first_consumer, layer.consumers, layer.input_buffers,
              layer.element_bytes, static_cast<int>(layer.work_class), boolean(layer.channelwise),
              boolean(layer.flattened), boolean(layer.waits_for_all), layer.weight_pins, layer.output_pins,
              layer.plane_channels);
}

void write_plan(Source& source, const NetworkTables& tables) {
  const core::Plan& plan = tables.plan;
  source.line("[[gnu::section(\".plan\")]] constexpr core::Layer layers[] = {{");
  for (std::size_t row = 0; row < plan.layers.size(); ++row)
    write_layer(source, plan.layers[row], tables.layer_names[row]);
  source.line("}};\n\n[[gnu::section(\".plan\")]] constexpr core::Part parts[] = {{");
  for (const core::Part& part : plan.parts) {
    source.line("    {{{}, {}, {}, {}, {}}},", part.first_channel, part.channels, part.producer_channel, part.producer,
                boolean(part.resident));
  }
  // A network of one row has no consumers, an array has at least one element.
  source.line("}};\n\n[[gnu::section(\".plan\")]] constexpr core::LayerIndex consumers[] = {{{}}};\n",
              plan.consumers.empty() ? "0" : fmt::format("{}", fmt::join(plan.consumers, ", ")));
  source.line("[[gnu::section(\".plan\")]] constexpr execution::LayerPlace places[] = {{");
  for (const execution::LayerPlace& place : tables.map.layers)
    source.line("    {{{}, {}}},", place.weights, place.map);
  source.line("}};\n");
}

void write_operators(Source& source, const NetworkTables& tables) {
  source.line("[[gnu::section(\".plan\")]] constexpr execution::LayerOperator operators[] = {{");
  for (const execution::LayerOperator& row : tables.operators) {
    const int8::Window& window = row.window;
    source.line("    {{static_cast<execution::Kernel>({}), {{{}, {}, {}, {}, {}, {}, {}, {}}}, {}, {}, {}, {}, {}}},",
                static_cast<int>(row.kernel), window.kernel_height, window.kernel_width, window.stride_height,
                window.stride_width, window.pad_top, window.pad_left, window.dilation_height, window.dilation_width,
                row.filter_channels, row.group_filters, boolean(row.count_padding), row.pad_bottom, row.pad_right);
  }
  source.line("}};\n");
}

std::string text_of(const int8::Rescale& rescale) {
  return fmt::format("{{{}, {}}}", rescale.multiplier, rescale.shift);
}

void write_numbers(Source& source, const NetworkTables& tables) {
  for (std::size_t row = 0; row < tables.layers.size(); ++row) {
    const execution::QuantizedLayer& layer = tables.layers[row];
    if (layer.channels != nullptr) {
      source.line("[[gnu::section(\".plan\")]] constexpr int8::OutputChannel channels_{}[] = {{", row);
      for (std::uint32_t channel = 0; channel < channels_of(tables.plan, row, layer); ++channel)
        source.line("    {{{}, {}}},", layer.channels[channel].bias, text_of(layer.channels[channel].rescale));
      source.line("}};\n");
    }
    if (!layer.rescales.empty()) {
      source.line("[[gnu::section(\".plan\")]] constexpr int8::Rescale rescales_{}[] = {{", row);
      for (const int8::Rescale& rescale : layer.rescales)
        source.line("    {},", text_of(rescale));
      source.line("}};\n");
    }
  }
  source.line("[[gnu::section(\".plan\")]] constexpr execution::QuantizedLayer quantized[] = {{");
  for (std::size_t row = 0; row < tables.layers.size(); ++row) {
    const execution::QuantizedLayer& layer = tables.layers[row];
    source.line("    {{{}, {}, {}, {{{}, {}}}}},",
                layer.channels == nullptr ? "nullptr" : fmt::format("channels_{}", row),
                layer.rescales.empty() ? "{}" : fmt::format("rescales_{}", row), text_of(layer.result), layer.clamp.low,
                layer.clamp.high);
  }
  source.line("}};\n");
}

void write_memory(Source& source, const NetworkMemory& memory) {
  source.line("std::uint32_t scheduler_words[{}];", memory.scheduler_words);
  source.line("std::int8_t* io_buffers[{}];", std::max(memory.job.buffers, 1u));
  source.line("const std::int8_t* job_buffers[{}];", std::max(memory.job.buffers, 1u));
  source.line("int8::Patch job_patches[{}];", std::max(memory.job.patches, 1u));
  source.line("core::Range job_parts[{}];", std::max(memory.job.parts, 1u));
  source.line("alignas(4) std::int16_t scratch[{}];", memory.scratch_elements);
  source.line("alignas(32) std::int8_t landing[{} * 512];\n", memory.landing_sectors);
}

void write_network(Source& source, const NetworkTables& tables) {
  const core::Plan& plan = tables.plan;
  const execution::CardMap& map = tables.map;
  source.line("const Network network{{");
  source.line("    \"{}\",", harmless(tables.name));
  source.line("    {{layers, parts, {}, {{{}, {}, {}, {}}}, {}, {}, {}, static_cast<core::Queue>({}),",
              plan.consumers.empty() ? "{}" : "consumers", plan.pools.input, plan.pools.weights, plan.pools.output,
              boolean(plan.pools.shared), plan.buffer_bytes, plan.frames, plan.window, static_cast<int>(plan.queue));
  source.line("     static_cast<core::CardLayout>({}), {}, {}, {}, {}}},", static_cast<int>(plan.layout),
              plan.input_channels, plan.input_height, plan.input_width, plan.input_plane_channels);
  source.line("    {{places, {}, {}, {}, {}, {}, {}, {}}},", map.inputs, map.input_sectors, map.results,
              map.result_sectors, map.maps, map.map_sectors, map.sectors);
  source.line("    operators,\n    quantized,");
  source.line("    {{{}u, {}u, {}}},", tables.identity.plan, tables.identity.weights_crc, tables.identity.sectors);
  source.line(
      "    scheduler_words,\n    io_buffers,\n    {{job_buffers, job_patches, job_parts}},\n    scratch,\n"
      "    landing,\n}};\n");
}

}  // namespace

std::string network_source(const NetworkTables& tables, const NetworkMemory& memory) {
  Source source;
  source.line("// Made by `spillway firmware`: a network's plan and numbers for hw/stm32.");
  source.line("#include \"hw/stm32/network.hpp\"\n\nnamespace spillway::stm32 {{\nnamespace {{\n");
  write_plan(source, tables);
  write_operators(source, tables);
  write_numbers(source, tables);
  write_memory(source, memory);
  source.line("}}  // namespace\n");
  write_network(source, tables);
  source.line("}}  // namespace spillway::stm32");
  return std::move(source).text();
}

}  // namespace spillway::stm32
