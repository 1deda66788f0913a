#include "experiments/cli/quantize_inputs.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/onnx_reader.hpp"
#include "models/seeded_weights.hpp"

namespace spillway::cli {
namespace {

constexpr std::uint64_t most_frames = 1'000'000;

struct Numbers {
  models::Network network;
  models::Weights weights;
};

std::optional<Numbers> read_numbers(const QuantizeOptions& options, std::uint64_t seed, Request& request) {
  const std::string& name = options.network.network;
  if (!models::is_model_file(name)) {
    std::optional<models::LoadedNetwork> loaded = read(options.network, request);
    if (!loaded) return std::nullopt;
    models::Weights weights = models::SeededWeights(loaded->network, seed).all();
    return Numbers{std::move(loaded->network), std::move(weights)};
  }
  const models::LoadOptions load = read_dimensions(options.network, request);
  try {
    models::OnnxModel model = models::read_onnx_model(name, {.dimensions = load.dimensions, .weights = true});
    return Numbers{std::move(model.network), std::move(model.weights)};
  } catch (const models::OnnxError& error) {
    note(error, request);
  }
  return std::nullopt;
}

std::optional<quantized::FoldedNetwork> read_folded(const QuantizeOptions& options, std::uint64_t seed,
                                                    Request& request) {
  const std::optional<Numbers> numbers = read_numbers(options, seed, request);
  if (!numbers) return std::nullopt;
  try {
    return quantized::fold(numbers->network, numbers->weights);
  } catch (const quantized::QuantizationError& error) {
    for (const quantized::Problem& problem : error.problems())
      request.problem("NETWORK", fmt::format("{}: node '{}': {}", options.network.network, problem.node, problem.what));
  }
  return std::nullopt;
}

/// `99.99 %`: more than 0, at most 100.
double percentage(const std::string& option, std::string text, Request& request) {
  const std::string given = text;
  double number = 0;
  if (text.ends_with('%')) {
    text.pop_back();
    while (text.ends_with(' '))
      text.pop_back();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size() && number > 0 && number <= 100) return number / 100;
  }
  request.problem(option, fmt::format("\"{}\": expected a percentage above 0 % and up to 100 %, 99.99 %", given));
  return 1;
}

kernels::Value input_value(const models::Network& network) {
  kernels::Value value;
  for (const models::Node& node : network.nodes()) {
    if (node.op != models::Operator::input) continue;
    value.name = node.name;
    value.extents = {1, node.output.channels, node.output.height, node.output.width};
  }
  return value;
}

std::vector<float> read_all(const std::string& option, const std::vector<std::string>& files,
                            const kernels::Value& value, const kernels::ImageOptions& image, Request& request) {
  std::vector<float> frames;
  for (const std::string& file : files) {
    const std::vector<float> more = read_frames(option, file, value, image, request);
    frames.insert(frames.end(), more.begin(), more.end());
  }
  return frames;
}

std::vector<std::int32_t> read_labels(const std::string& path, std::size_t frames, std::int64_t classes,
                                      Request& request) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) {
    request.problem("--labels", fmt::format("{}: {}", path, std::strerror(errno)));
    return {};
  }
  const std::streamoff bytes = file.tellg(), expected = static_cast<std::streamoff>(frames * sizeof(std::int32_t));
  if (bytes != expected) {
    request.problem("--labels", fmt::format("{}: {} bytes; expected {}, an int32 for each of {} test frames", path,
                                            bytes, expected, frames));
    return {};
  }
  std::vector<std::int32_t> labels(frames);
  file.seekg(0);
  file.read(reinterpret_cast<char*>(labels.data()), bytes);
  if (!file) request.problem("--labels", fmt::format("{}: cannot be read to its end", path));
  for (std::size_t frame = 0; frame < frames; ++frame) {
    if (labels[frame] >= 0 && labels[frame] < classes) continue;
    request.problem("--labels", fmt::format("{}: label {} of frame {}; expected 0 to {}, as the network has {} classes",
                                            path, labels[frame], frame, classes - 1, classes));
    break;
  }
  return labels;
}

/// Numbers of the only result; 0 where there are several.
std::int64_t classes_of(const models::Network& network) {
  std::int64_t classes = 0;
  for (models::NodeId id = 0; id < network.nodes().size(); ++id) {
    if (!network.consumers(id).empty()) continue;
    if (classes != 0) return 0;
    classes = network.node(id).output.elements();
  }
  return classes;
}

void read_data(const QuantizeOptions& options, std::uint64_t seed, const kernels::ImageOptions& image,
               QuantizeRequest& asked, Request& request) {
  const models::Network& network = asked.folded->network;
  const kernels::Value value = input_value(network);
  asked.frame = static_cast<std::size_t>(value.elements());
  if (options.calibration == std::vector<std::string>{"noise"}) {
    asked.calibration = noise(value.elements(), seed);
    asked.calibration_origin = fmt::format("noise from seed {}", seed);
  } else {
    asked.calibration = read_all("--calibration", options.calibration, value, image, request);
    asked.calibration_origin = fmt::format("{}", fmt::join(options.calibration, ", "));
  }
  asked.test = options.test.empty() ? asked.calibration : read_all("--test", options.test, value, image, request);
  asked.test_origin =
      options.test.empty() ? asked.calibration_origin : fmt::format("{}", fmt::join(options.test, ", "));
  if (options.frames) {
    const std::size_t most = std::max<std::size_t>(asked.calibration.size() / asked.frame, 1);
    const std::uint64_t count = request.number("--frames", *options.frames, 1, most);
    if (count != 0) asked.calibration.resize(std::min(asked.calibration.size(), count * asked.frame));
  }
  if (!options.labels) return;
  const std::int64_t classes = classes_of(network);
  if (classes == 0)
    request.problem("--labels", "the network has several results; labels are for one");
  else
    asked.labels = read_labels(*options.labels, asked.test.size() / asked.frame, classes, request);
}

}  // namespace

void QuantizeOptions::add_to(CLI::App& verb) {
  network.add_to(verb);
  const auto add = [&verb](const std::string& name, auto& value, const std::string& text, const std::string& type) {
    return verb.add_option(name, value, text)->type_name(type);
  };
  add("--calibration", calibration,
      "Frames that show the ranges of the maps: raw float32 of one or several, a PNG or JPEG, or `noise`; may be "
      "repeated",
      "FILE")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->expected(1);
  add("--frames", frames, "Calibrates with the first frames only [all]", "N");
  add("--range", range, "Share of a map's numbers that its range covers; what is beyond is cut off", "PERCENTAGE")
      ->capture_default_str();
  add("--test", test, "Frames on which int8 is compared with float32 [those of --calibration]", "FILE")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->expected(1);
  add("--labels", labels, "The right classes of the test frames, raw int32", "FILE");
  add("--output", output, "Writes the int8 network (ONNX, QuantizeLinear and DequantizeLinear); it ends in .onnx",
      "FILE");
  add("--seed", seed, "Of the weights of a network of the zoo and of noise", "NUMBER")->capture_default_str();
  conversion.add_to(verb);
}

QuantizeRequest read(const QuantizeOptions& options, Request& request) {
  QuantizeRequest asked;
  const std::uint64_t seed = request.number("--seed", options.seed, 0, std::numeric_limits<std::uint64_t>::max());
  asked.range.share = percentage("--range", options.range, request);
  const kernels::ImageOptions image = options.conversion.read(request);
  if (options.frames) request.number("--frames", *options.frames, 1, most_frames);
  if (options.output) {
    if (!models::is_model_file(*options.output))
      request.problem("--output",
                      fmt::format("\"{}\" is no model file; expected a path that ends in .onnx", *options.output));
    else
      request.writable_file("--output", *options.output);
  }
  if (options.calibration.empty())
    request.problem("--calibration",
                    "missing; expected a file of frames that the network is made for (or `noise`, which shows no real "
                    "ranges)");
  asked.folded = read_folded(options, seed, request);
  if (asked.folded && request.ok()) read_data(options, seed, image, asked, request);
  return asked;
}

}  // namespace spillway::cli
