#include "qdq_property.hpp"

#include <stdexcept>

#include "models/quantized/qdq_file.hpp"

namespace spillway::quantized {

void check_qdq(std::string_view bytes) {
  try {
    check(read_quantized_bytes(bytes, "fuzzed/model.onnx"));
  } catch (const models::OnnxError& error) {
    if (error.problems().empty()) throw std::logic_error("refused without a problem");
  }
}

}  // namespace spillway::quantized
