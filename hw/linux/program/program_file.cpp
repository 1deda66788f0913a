#include "hw/linux/program/program_file.hpp"

#include <fstream>
#include <iterator>
#include <string_view>
#include <type_traits>

#include "sim/trace/output_file.hpp"

namespace spillway::execution {
namespace {

constexpr std::string_view magic = "SPILLRUN";
constexpr std::uint64_t version = 1;
constexpr std::size_t most_entries = 1U << 28;  ///< of a table: a length beyond is a damaged file

/// Appends numbers to a file's bytes.
class Writer {
 public:
  template <class Number>
  void number(const Number& value) {
    auto rest = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    for (int i = 0; i < 8; ++i, rest >>= 8)
      bytes_.push_back(static_cast<char>(rest));
  }
  template <class Entry, class Each>
  void table(const std::vector<Entry>& entries, const Each& each) {
    number(entries.size());
    for (const Entry& entry : entries)
      each(*this, entry);
  }
  void text(const std::string& value) {
    number(value.size());
    bytes_ += value;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Takes them out again.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <class Number>
  void number(Number& value) {
    value = static_cast<Number>(next());
  }
  template <class Entry, class Each>
  void table(std::vector<Entry>& entries, const Each& each) {
    const std::uint64_t count = next();
    if (count > most_entries || count > rest_.size()) throw ProgramError("a table is longer than the file");
    entries.resize(count);
    for (Entry& entry : entries)
      each(*this, entry);
  }
  void text(std::string& value) {
    const std::uint64_t length = next();
    if (length > rest_.size()) throw ProgramError("a name is longer than the file");
    value = rest_.substr(0, length);
    rest_.remove_prefix(length);
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::uint64_t next() {
    if (rest_.size() < 8) throw ProgramError("the file ends early");
    std::uint64_t value = 0;
    for (int i = 8; i-- > 0;)
      value = value << 8 | static_cast<std::uint8_t>(rest_[static_cast<std::size_t>(i)]);
    rest_.remove_prefix(8);
    return value;
  }

  std::string_view rest_;
};

// Each names every field once, for both ways.

constexpr auto each_layer = [](auto& file, auto& layer) {
  file.number(layer.channels), file.number(layer.height), file.number(layer.width);
  file.number(layer.tile_channels), file.number(layer.tile_height), file.number(layer.tile_width);
  file.number(layer.groups), file.number(layer.rows), file.number(layer.columns);
  file.number(layer.input_height), file.number(layer.input_width);
  file.number(layer.kernel_height), file.number(layer.kernel_width);
  file.number(layer.stride_height), file.number(layer.stride_width);
  file.number(layer.pad_top), file.number(layer.pad_left), file.number(layer.channel_halo);
  file.number(layer.chunks), file.number(layer.chunk_filters), file.number(layer.pieces);
  file.number(layer.filter_bytes), file.number(layer.piece_bytes), file.number(layer.filter_work);
  file.number(layer.first_part), file.number(layer.parts);
  file.number(layer.first_consumer), file.number(layer.consumers);
  file.number(layer.input_buffers), file.number(layer.element_bytes), file.number(layer.work_class);
  file.number(layer.channelwise), file.number(layer.flattened), file.number(layer.waits_for_all);
  file.number(layer.weight_pins), file.number(layer.output_pins), file.number(layer.plane_channels);
};

constexpr auto each_part = [](auto& file, auto& part) {
  file.number(part.first_channel), file.number(part.channels), file.number(part.producer_channel);
  file.number(part.producer), file.number(part.resident);
};

constexpr auto each_operator = [](auto& file, auto& layer_operator) {
  file.number(layer_operator.kernel);
  auto& window = layer_operator.window;
  file.number(window.kernel_height), file.number(window.kernel_width);
  file.number(window.stride_height), file.number(window.stride_width);
  file.number(window.pad_top), file.number(window.pad_left);
  file.number(window.dilation_height), file.number(window.dilation_width);
  file.number(layer_operator.filter_channels), file.number(layer_operator.group_filters);
  file.number(layer_operator.count_padding);
  file.number(layer_operator.pad_bottom), file.number(layer_operator.pad_right);
};

constexpr auto each_rescale = [](auto& file, auto& rescale) {
  file.number(rescale.multiplier), file.number(rescale.shift);
};

constexpr auto each_numbers = [](auto& file, auto& numbers) {
  file.table(numbers.channels, [](auto& in, auto& channel) {
    in.number(channel.bias);
    each_rescale(in, channel.rescale);
  });
  file.table(numbers.rescales, each_rescale);
  each_rescale(file, numbers.result);
  file.number(numbers.clamp.low), file.number(numbers.clamp.high);
};

constexpr auto each_program = [](auto& file, auto& program) {
  file.number(program.card.plan), file.number(program.card.weights_crc), file.number(program.card.sectors);
  auto& plan = program.scalars;
  file.number(plan.pools.input), file.number(plan.pools.weights), file.number(plan.pools.output);
  file.number(plan.pools.shared), file.number(plan.buffer_bytes), file.number(plan.frames), file.number(plan.window);
  file.number(plan.queue), file.number(plan.layout);
  file.number(plan.input_channels), file.number(plan.input_height), file.number(plan.input_width);
  file.number(plan.input_plane_channels);
  file.table(program.layers, each_layer);
  file.table(program.parts, each_part);
  file.table(program.consumers, [](auto& in, auto& consumer) { in.number(consumer); });
  file.table(program.layer_names, [](auto& in, auto& name) { in.text(name); });
  file.table(program.operators, each_operator);
  file.table(program.numbers, each_numbers);
};

std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

void require_whole(const StoredProgram& program) {
  const std::size_t rows = program.layers.size();
  if (rows == 0 || program.layer_names.size() != rows || program.operators.size() != rows ||
      program.numbers.size() != rows)
    throw ProgramError("its tables have different numbers of rows");
  // The hash was taken of the plan when it was made: tables that it holds for fit together.
  if (hash_of(program.plan()) != program.card.plan) throw ProgramError("its plan is not the one that it names");
}

}  // namespace

core::Plan StoredProgram::plan() const {
  core::Plan whole = scalars;
  whole.layers = layers;
  whole.parts = parts;
  whole.consumers = consumers;
  return whole;
}

std::vector<QuantizedLayer> StoredProgram::quantized_layers() const {
  std::vector<QuantizedLayer> made;
  for (const StoredNumbers& row : numbers)
    made.push_back({row.channels.data(), row.rescales, row.result, row.clamp});
  return made;
}

StoredProgram stored_program(const core::Plan& plan, std::vector<std::string> layer_names,
                             const std::vector<LayerOperator>& operators, const std::vector<QuantizedLayer>& layers,
                             const CardIdentity& card) {
  StoredProgram program;
  program.card = card;
  program.scalars = plan;
  program.scalars.layers = {};
  program.scalars.parts = {};
  program.scalars.consumers = {};
  program.layers.assign(plan.layers.begin(), plan.layers.end());
  program.parts.assign(plan.parts.begin(), plan.parts.end());
  program.consumers.assign(plan.consumers.begin(), plan.consumers.end());
  program.layer_names = std::move(layer_names);
  program.operators = operators;
  for (std::size_t row = 0; row < layers.size(); ++row) {
    StoredNumbers numbers{
        {}, {layers[row].rescales.begin(), layers[row].rescales.end()}, layers[row].result, layers[row].clamp};
    if (layers[row].channels != nullptr)
      numbers.channels.assign(layers[row].channels, layers[row].channels + plan.layers[row].channels);
    program.numbers.push_back(std::move(numbers));
  }
  return program;
}

void write_program(const std::filesystem::path& path, const StoredProgram& program) {
  Writer writer;
  writer.number(version);
  each_program(writer, program);
  Writer crc;
  crc.number(crc32(as_bytes(writer.bytes())));
  trace::write_file(path, std::string(magic) + writer.bytes() + crc.bytes());
}

StoredProgram read_program(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw ProgramError("program " + path.string() + ": cannot be opened");
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  const auto refuse = [&](const std::string& why) -> ProgramError {
    return ProgramError("program " + path.string() + ": " + why);
  };
  constexpr std::size_t crc_bytes = 8;
  if (!content.starts_with(magic) || content.size() < magic.size() + 2 * crc_bytes)
    throw refuse("it is no program of this runtime");
  const std::string_view body =
      std::string_view(content).substr(magic.size(), content.size() - magic.size() - crc_bytes);
  std::uint64_t crc = 0, found = 0;
  Reader(std::string_view(content).substr(content.size() - crc_bytes)).number(crc);
  if (crc != crc32(as_bytes(body))) throw refuse("it is damaged: its CRC does not hold");
  try {
    Reader reader(body);
    reader.number(found);
    if (found != version) throw ProgramError("it has version " + std::to_string(found) + ": expected 1");
    StoredProgram program;
    each_program(reader, program);
    if (!reader.at_end()) throw ProgramError("it goes on behind its end");
    require_whole(program);
    return program;
  } catch (const ProgramError& error) {
    throw refuse(error.what());
  }
}

}  // namespace spillway::execution
