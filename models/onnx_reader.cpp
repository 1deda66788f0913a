#include "models/onnx_reader.hpp"

#include <system_error>
#include <utility>

#include "models/mapped_file.hpp"
#include "models/onnx_file.hpp"
#include "models/onnx_translation.hpp"

namespace spillway::models {

OnnxModel read_onnx_bytes(std::string_view bytes, const std::filesystem::path& name, const OnnxReadOptions& options) {
  const std::shared_ptr<onnx::ModelProto> model = onnx_file::parse(bytes, name);
  onnx_file::check_limits(*model, name);
  onnx_file::check_with_libonnx(*model, name);
  onnx_file::fix_dimensions(*model, options.dimensions, name);
  return onnx_file::Translation(model, name, options).run();
}

OnnxModel read_onnx_model(const std::filesystem::path& path, const OnnxReadOptions& options) {
  std::shared_ptr<const std::span<const char>> bytes;
  try {
    bytes = map_file(path);
  } catch (const std::system_error& error) {
    throw OnnxError(path, {{"", "", "cannot be read: " + error.code().message()}});
  }
  return read_onnx_bytes({bytes->data(), bytes->size()}, path, options);
}

Network read_onnx(const std::filesystem::path& path, const OnnxReadOptions& options) {
  return read_onnx_model(path, options).network;
}

std::span<const OnnxOperator> onnx_operators() {
  static const std::vector<OnnxOperator> operators = [] {
    std::vector<OnnxOperator> all;
    for (const onnx_file::Translator& translator : onnx_file::translators())
      all.push_back(translator.description);
    return all;
  }();
  return operators;
}

}  // namespace spillway::models
