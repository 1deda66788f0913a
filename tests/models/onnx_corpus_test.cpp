#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "onnx_property.hpp"
#include <gtest/gtest.h>

#include "tests/paths/paths.hpp"

namespace spillway::models {
namespace {

/// The inputs that the fuzzer started from or found, again and under every compiler.
TEST(OnnxCorpus, IsReadOrRefused) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(paths::source("tests/models/corpus"))) {
    std::ifstream stream(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    EXPECT_NO_THROW(check_onnx(bytes)) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 100U);
}

}  // namespace
}  // namespace spillway::models
