#include "experiments/execution/card_run.hpp"

#include <utility>

#include <fmt/format.h>

#include "hw/kernels/int8/network/in_core.hpp"
#include "hw/swap/image/operators.hpp"
#include "sim/trace/output_file.hpp"

namespace spillway::experiments {
namespace {

using execution::Access;
using execution::CardFile;

/// An output that another layer reads, too, lies where later frames write theirs.
void require_every_frame(const QuantizedRun& program) {
  const core::Plan& plan = program.plan();
  for (const std::vector<int8::Feed>& output : program.table().outputs()) {
    for (const int8::Feed& feed : output) {
      if (feed.row == int8::no_row) throw execution::NotExecutable("an output is the network's input: nothing runs");
      const core::Layer& layer = plan.layers[feed.row];
      if (layer.consumers == 0 || (!layer.keeps_output() && plan.frames <= plan.window)) continue;
      const quantized::QuantizedNetwork& network = program.table().network();
      throw execution::NotExecutable(
          fmt::format("layer `{}` is a result and read by another layer, too: it is not kept for every frame",
                      network.network.node(program.table().rows()[feed.row].row.node).name));
    }
  }
}

}  // namespace

CardRun::CardRun(const QuantizedRun& program, std::filesystem::path path, Access access)
    : program_(program), path_(std::move(path)), access_(access) {
  require_every_frame(program);
}

std::span<const float> CardRun::input_of(std::span<const float> frames, std::uint32_t frame) const {
  const auto elements = static_cast<std::size_t>(program_.table().input().elements());
  return frames.subspan(frame % (frames.size() / elements) * elements, elements);
}

void CardRun::write(std::span<const float> frames) const {
  // An earlier card stays as it is until the new one is whole.
  std::filesystem::path partial = path_;
  partial += ".partial";
  const CardFile card = CardFile::create(partial, program_.image().map().sectors);
  const execution::WriteSectors writer = [&card](std::uint32_t sector, execution::Bytes bytes) {
    card.write(sector, bytes);
  };
  std::vector<std::uint8_t> values;
  for (std::uint32_t frame = 0; frame < program_.plan().frames; ++frame) {
    values.clear();
    for (const float number : input_of(frames, frame))
      values.push_back(static_cast<std::uint8_t>(quantized::quantize(number, program_.table().input_scale())));
    program_.image().write_input(frame, values, writer);
  }
  program_.image().write(writer);
  card.flush();
  std::filesystem::rename(partial, path_);
}

execution::RunResult CardRun::run(const execution::RunOptions& options) const {
  const CardFile card(path_, access_);
  const execution::CardImage& image = program_.image();
  return execution::run({program_.plan(), image.map(), image.operators(),
                         execution::int8_kernels(program_.plan(), image.operators(), program_.layers())},
                        card, options);
}

std::vector<std::int8_t> CardRun::raw_output(std::size_t output, std::uint32_t frame) const {
  const CardFile card(path_, Access::cached);
  const execution::ReadSectors reader = [&card](std::uint32_t sector, std::span<std::uint8_t> bytes) {
    card.read(sector, bytes);
  };
  std::vector<std::int8_t> all;
  for (const int8::Feed& feed : program_.table().outputs()[output]) {
    const std::vector<std::uint8_t> map = program_.image().read_map(static_cast<std::uint32_t>(feed.row), frame, reader);
    all.insert(all.end(), map.begin(), map.end());
  }
  return all;
}

std::vector<float> CardRun::output(std::size_t output, std::uint32_t frame) const {
  const float scale = program_.table().rows()[program_.table().outputs()[output].front().row].scale;
  std::vector<float> numbers;
  for (const std::int8_t value : raw_output(output, frame))
    numbers.push_back(static_cast<float>(value) * scale);
  return numbers;
}

Verdict CardRun::compare_in_core(std::span<const float> frames) const {
  Verdict verdict{program_.plan().frames, 0, 0, 0};
  int8::InCore in_core(program_.table());
  for (std::uint32_t frame = 0; frame < verdict.frames; ++frame) {
    in_core.run_float(input_of(frames, frame));
    for (std::size_t position = 0; position < outputs(); ++position) {
      const std::vector<std::int8_t> expected = in_core.output(position), found = raw_output(position, frame);
      verdict.numbers += expected.size();
      for (std::size_t i = 0; i < expected.size(); ++i) {
        if (expected[i] == found[i]) continue;
        if (verdict.different++ == 0) verdict.first_frame = frame;
      }
    }
  }
  return verdict;
}

void CardRun::write_outputs(const std::filesystem::path& path) const {
  trace::OutputFile file(path);
  for (std::uint32_t frame = 0; frame < program_.plan().frames; ++frame) {
    for (std::size_t position = 0; position < outputs(); ++position) {
      const std::vector<float> numbers = output(position, frame);
      file.write({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)});
    }
  }
  file.commit();
}

}  // namespace spillway::experiments
