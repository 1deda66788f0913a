// ONNX's own test of back-ends: every case whose operators the kernels have.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "conformance_cases.hpp"
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hw/kernels/session/onnx_program.hpp"
#include "hw/kernels/session/session.hpp"
#include "models/onnx_reader.hpp"

namespace spillway::kernels {
namespace {

bool is_supported(const onnx::ModelProto& model) {
  const std::span<const std::string_view> types = onnx_program_operators();
  return std::ranges::all_of(model.graph().node(), [types](const onnx::NodeProto& node) {
    return node.domain().empty() && std::ranges::binary_search(types, std::string_view(node.op_type()));
  });
}

/// Forms of supported operators that are not read, and words of the reasons given for them.
bool is_known_refusal(const std::string& reason) {
  static const std::vector<std::string> words = {
      "expected float32",              // integers, doubles and half floats as data
      "expected the first one alone",  // indices of a pooling, mask of a dropout
      "training",                      // normalization and dropout
      "one or two axes",               // three axes
      "of integers; expected 1",       // Mod of integers
      "known before a frame",          // shapes and factors that are computed
      "expected nearest",              // interpolations
      "expected whole factors",        // sizes
      "and whole ones",                // broken factors
      "nearest_mode",                  // other roundings
      "equal distances",               // a gather in any order
      "to itself",                     // casts
      "int64, int32 or bool",          // other numbers as constants
  };
  return std::ranges::any_of(words, [&](const std::string& word) { return reason.find(word) != std::string::npos; });
}

/// Where the numbers differ by more than the test of ONNX allows (1e-3 relative), here held to 1e-5 of the largest one.
std::optional<std::string> difference(std::span<const float> computed, const std::vector<float>& expected) {
  if (computed.size() != expected.size())
    return fmt::format("{} numbers; expected {}", computed.size(), expected.size());
  float largest = 0;
  for (const float number : expected)
    if (std::isfinite(number)) largest = std::max(largest, std::abs(number));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const bool same = computed[i] == expected[i] || (std::isnan(computed[i]) && std::isnan(expected[i]));
    if (!same && !(std::abs(computed[i] - expected[i]) <= 1e-7F + 1e-5F * largest))
      return fmt::format("number {} is {}; expected {}", i, computed[i], expected[i]);
  }
  return std::nullopt;
}

std::optional<std::string> run(Program program, const LoadedCase& loaded, Backend backend) {
  fuse(program);
  Session session(std::move(program), {.threads = 2, .backend = backend});
  for (std::size_t input = 0; input < loaded.inputs.size(); ++input) {
    const std::span<float> place = session.input(input);
    if (place.size() != loaded.inputs[input].size()) return "an input of another size";
    std::ranges::copy(loaded.inputs[input], place.begin());
  }
  session.run();
  for (std::size_t output = 0; output < loaded.outputs.size(); ++output)
    if (const auto found = difference(session.output(output), loaded.outputs[output])) return found;
  return std::nullopt;
}

/// The same case through models::Network, where it is one (a batch of 1, constant weights, its operators): what is
/// wrong with the answer, or nothing; empty where it is none.
std::optional<std::string> run_as_network(const ConformanceCase& each) {
  const LoadedCase loaded = load(each, true);
  if (loaded.inputs.size() != 1) return std::nullopt;
  std::optional<Program> program;
  try {
    const models::OnnxModel model = models::read_onnx_bytes(
        loaded.model.SerializeAsString(), each.folder / "model.onnx", {.dimensions = {}, .weights = true});
    program = lower(model.network, model.weights, model.outputs);
  } catch (const models::OnnxError&) {
    return std::nullopt;
  }
  return run(std::move(*program), loaded, Backend::eigen).value_or("");
}

TEST(Conformance, EveryCaseWhoseOperatorsTheKernelsHave) {
  const std::vector<ConformanceCase> cases = conformance_cases();
  ASSERT_FALSE(cases.empty()) << "the package libonnx-testdata is missing (scripts/install-packages)";
  int passed = 0, as_network = 0, refused = 0;
  std::string list;
  std::map<std::string, int> by_operator;
  for (const ConformanceCase& each : cases) {
    const LoadedCase loaded = load(each, false);
    if (!is_supported(loaded.model)) continue;
    const std::string bytes = loaded.model.SerializeAsString();
    const std::filesystem::path name = each.folder / "model.onnx";
    Program program;
    try {
      if (!loaded.float_outputs) throw models::OnnxError(name, {{"", "", "outputs of integers; expected float32"}});
      program = read_onnx_program_bytes(bytes, name);
    } catch (const models::OnnxError& error) {
      ++refused;
      list += fmt::format("  refused {}: {}\n", each.name, error.problems().front().what);
      EXPECT_TRUE(is_known_refusal(error.what())) << each.name << ": " << error.what();
      continue;
    }
    bool all = true;
    for (const Backend backend : backends()) {
      const std::optional<std::string> found = run(program, loaded, backend);
      EXPECT_FALSE(found) << each.name << ", back-end " << to_string(backend) << ": " << *found;
      all = all && !found;
    }
    if (!all) continue;
    ++passed;
    list += fmt::format("  passed  {}\n", each.name);
    ++by_operator[loaded.model.graph().node_size() == 1 ? loaded.model.graph().node(0).op_type() : "several"];
    if (const auto found = run_as_network(each)) {
      EXPECT_EQ(*found, "") << each.name << " as a network";
      ++as_network;
    }
  }
  fmt::print("{}", list);
  for (const auto& [type, count] : by_operator)
    fmt::print("  {} {}\n", count, type);
  fmt::print("{} cases with supported operators: {} passed ({} of them as a network, too), {} in forms not read\n",
             passed + refused, passed, as_network, refused);
  EXPECT_GE(passed, 455);
  EXPECT_GE(as_network, 39);
}

}  // namespace
}  // namespace spillway::kernels
