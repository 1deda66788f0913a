#include "models/quantized/quantize.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "experiments/cli/quantize_inputs.hpp"
#include "experiments/cli/table.hpp"
#include "experiments/cli/verbs.hpp"
#include "hw/kernels/int8/network/in_core.hpp"
#include "models/quantized/qdq_file.hpp"

namespace spillway::cli {
namespace {

std::size_t largest_of(std::span<const float> numbers) {
  return static_cast<std::size_t>(std::ranges::max_element(numbers) - numbers.begin());
}

/// int8 against float32 over the test frames.
class Comparison {
 public:
  Comparison(const quantized::FoldedNetwork& folded, const int8::LayerTable& table)
      : network_(folded.network), table_(table), exact_(folded), in_core_(table), noise_(table.rows().size()) {}

  void run(const QuantizeRequest& asked) {
    frames_ = asked.test.size() / asked.frame;
    for (std::size_t frame = 0; frame < frames_; ++frame) {
      const std::span<const float> input(asked.test.data() + frame * asked.frame, asked.frame);
      exact_.run(input);
      in_core_.run_float(input);
      for (std::size_t row = 0; row < noise_.size(); ++row)
        noise_[row].add(exact_.map(row), int8::dequantized(in_core_.map(row), shape_of(row), table_.rows()[row].scale));
      for (std::size_t output = 0; output < table_.outputs().size(); ++output)
        compare(output, asked.labels.empty() ? -1 : asked.labels[frame]);
    }
  }

  double decibels(std::size_t row) const { return noise_[row].decibels(); }

  void print(bool labelled) const {
    const auto share = [this](std::size_t count) {
      return fmt::format("{} of {} ({:.2f} %)", count, frames_,
                         100 * static_cast<double>(count) / static_cast<double>(frames_));
    };
    if (labelled)
      fmt::print("{}", report_line("top-1", fmt::format("int8 {}, float32 {}", share(right_), share(exact_right_))));
    if (table_.outputs().size() == 1) fmt::print("{}", report_line("agreement", share(same_)));
    fmt::print("{}", report_line("results", fmt::format("SQNR {:.1f} dB, largest error {:.4g}, largest result {:.4g}",
                                                        results_.decibels(), largest_error_, largest_)));
  }

 private:
  const models::Shape& shape_of(std::size_t row) const { return network_.node(table_.rows()[row].row.node).output; }

  /// The float32 result: its maps one after the other.
  std::vector<float> exact_result(std::size_t output) const {
    std::vector<float> all;
    for (const int8::Feed& feed : table_.outputs()[output]) {
      const std::span<const float> map = exact_.map(feed.row);
      all.insert(all.end(), map.begin(), map.end());
    }
    return all;
  }

  void compare(std::size_t output, std::int32_t label) {
    const std::vector<float> exact = exact_result(output), quantized = in_core_.output_float(output);
    results_.add(exact, quantized);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      largest_ = std::max(largest_, std::fabs(exact[i]));
      largest_error_ = std::max(largest_error_, std::fabs(exact[i] - quantized[i]));
    }
    const std::size_t by_exact = largest_of(exact), by_quantized = largest_of(quantized);
    same_ += by_exact == by_quantized ? 1 : 0;
    exact_right_ += by_exact == static_cast<std::size_t>(label) ? 1 : 0;
    right_ += by_quantized == static_cast<std::size_t>(label) ? 1 : 0;
  }

  const models::Network& network_;
  const int8::LayerTable& table_;
  int8::FloatMaps exact_;
  int8::InCore in_core_;
  std::vector<int8::NoiseMeter> noise_;
  int8::NoiseMeter results_;
  std::size_t frames_ = 0, same_ = 0, right_ = 0, exact_right_ = 0;
  float largest_ = 0, largest_error_ = 0;
};

std::string weight_scales(const quantized::QuantizedWeights* weights) {
  if (weights == nullptr) return "";
  const auto [least, most] = std::ranges::minmax(weights->scales);
  return fmt::format("{:.3g} to {:.3g}", least, most);
}

void print_layers(const int8::LayerTable& table, const Comparison& comparison) {
  Table text({{"layer", false},
              {"operator", false},
              {"scale", true},
              {"clamp", true},
              {"weights' scales", true},
              {"SQNR, dB", true}});
  const models::Network& network = table.network().network;
  for (std::size_t i = 0; i < table.rows().size(); ++i) {
    const int8::TableRow& row = table.rows()[i];
    const models::Node& node = network.node(row.row.node);
    const quantized::Limits limits = limits_of(row.row, row.scale);
    text.row({node.name, std::string(to_string(node.op)), fmt::format("{:.4g}", row.scale),
              fmt::format("{} to {}", limits.low, limits.high), weight_scales(row.weights),
              fmt::format("{:.1f}", comparison.decibels(i))});
  }
  fmt::print("{}\n", text.text());
}

void print_file(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  fmt::print("{}", report_line("output", fmt::format("{}: {} bytes", path, with_thousands(error ? 0 : size))));
}

void quantize(const CLI::App& verb, const QuantizeOptions& options) {
  Request request(verb);
  const QuantizeRequest asked = read(options, request);
  request.check();
  const quantized::FoldedNetwork& folded = *asked.folded;
  const quantized::QuantizedNetwork network =
      quantized::quantize(folded, int8::ranges_of(folded, asked.calibration, asked.range));
  const int8::LayerTable table(network);
  Comparison comparison(folded, table);
  comparison.run(asked);

  std::uint64_t weights = 0;
  for (const auto& [name, numbers] : network.weights)
    weights += numbers.weights.size();
  fmt::print("{}: {} layers, {} int8 weights\n", network.network.name(), table.rows().size(), with_thousands(weights));
  fmt::print("{}",
             report_line("calibration",
                         fmt::format("{}, {} frames; a range covers {:g} % of the numbers", asked.calibration_origin,
                                     asked.calibration.size() / asked.frame, 100 * asked.range.share)));
  fmt::print("{}",
             report_line("test", fmt::format("{}, {} frames", asked.test_origin, asked.test.size() / asked.frame)));
  fmt::print("{}\n", report_line("input", fmt::format("scale {:.4g}", table.input_scale())));
  print_layers(table, comparison);
  comparison.print(!asked.labels.empty());
  if (!options.output) return;
  write_quantized(network, *options.output);
  print_file(*options.output);
}

}  // namespace

void add_quantize(CLI::App& app, Outcome& outcome) {
  CLI::App& verb = add_verb(app, "quantize", "Makes a network int8 and compares it with float32");
  const auto options = std::make_shared<QuantizeOptions>();
  options->add_to(verb);
  verb.footer(
      "Symmetric: zero points are 0, weights have a scale for each filter. Batch normalizations are folded into the\n"
      "layer before them, activations become clamps, a softmax at the end is left out. What int8 cannot do is refused\n"
      "with its reason. SQNR is the signal to quantisation noise of each layer's map over the test frames.");
  verb.callback([&verb, options, &outcome] {
    quantize(verb, *options);
    outcome.code = ExitCode::done;
  });
}

}  // namespace spillway::cli
