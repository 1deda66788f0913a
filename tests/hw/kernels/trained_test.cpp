// A network that somebody trained: the right answers are known.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hw/kernels/session/load_program.hpp"
#include "hw/kernels/session/session.hpp"
#include "tests/paths/paths.hpp"

namespace spillway::kernels {
namespace {

const std::string folder = paths::source("tests/models/data/");

template <typename Number>
std::vector<Number> numbers_of(const std::string& name) {
  std::ifstream file(folder + name, std::ios::binary | std::ios::ate);
  std::vector<Number> numbers(static_cast<std::size_t>(file.tellg()) / sizeof(Number));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(numbers.data()), static_cast<std::streamsize>(numbers.size() * sizeof(Number)));
  EXPECT_TRUE(file.good()) << name;
  return numbers;
}

class Trained : public testing::TestWithParam<Backend> {};

TEST_P(Trained, ClassifiesFashion) {
  const auto images = numbers_of<float>("fmnist_x200.f32");
  const auto labels = numbers_of<std::int32_t>("fmnist_y200.i32");
  const auto logits = numbers_of<float>("fmnist_logits200.f32");
  for (const char* name : {"fmnist_vggmini.onnx", "fmnist_vggmini_bn.onnx"}) {
    Session session(load_program(folder + name), {.threads = 2, .backend = GetParam()});
    int right = 0;
    float largest = 0, farthest = 0;
    for (std::size_t image = 0; image < labels.size(); ++image) {
      const std::span<float> input = session.input(0);
      std::copy_n(images.begin() + static_cast<std::ptrdiff_t>(image * input.size()), input.size(), input.begin());
      session.run();
      const std::span<const float> output = session.output(0);
      right += std::ranges::max_element(output) - output.begin() == labels[image];
      for (std::size_t i = 0; i < output.size(); ++i) {
        largest = std::max(largest, std::abs(logits[image * output.size() + i]));
        farthest = std::max(farthest, std::abs(output[i] - logits[image * output.size() + i]));
      }
    }
    EXPECT_EQ(right, 187) << name;
    EXPECT_LE(farthest, 1e-5F * largest) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Trained, testing::ValuesIn(backends().begin(), backends().end()),
                         [](const auto& tested) { return std::string(to_string(tested.param)); });

}  // namespace
}  // namespace spillway::kernels
