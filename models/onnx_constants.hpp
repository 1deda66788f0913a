#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

#include "models/weights.hpp"

/// Constants of an ONNX graph: stored in the file, beside it, or computed from others. Of the room's own.
namespace spillway::models::onnx_file {

/// Something that is not read, found somewhere inside; who catches it knows the node.
class Refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A constant before anyone asked for its numbers.
struct Constant {
  std::vector<std::int64_t> extents;
  int type = onnx::TensorProto::UNDEFINED;
  const onnx::TensorProto* stored = nullptr;          ///< with as many elements; of other extents after a Reshape
  std::optional<std::vector<std::int64_t>> integers;  ///< computed, or given as an attribute
  std::optional<float> fill;                          ///< the same number everywhere

  std::int64_t elements() const;
};

/// Elements of a tensor of these extents. Throws Refusal for a negative extent or beyond 2^48.
std::int64_t elements_of(const std::vector<std::int64_t>& extents);

/// `1x3x224x224`.
std::string text_of(const std::vector<std::int64_t>& extents);

/// `float32`, `int64`, ...
std::string type_name(int type);

/// Throws Refusal when a stored tensor has negative extents, claims more than most_tensor_bytes, or holds another
/// number of bytes than it claims; for external data: a location that is missing or leaves the model's folder.
void check_tensor(const onnx::TensorProto& tensor, const std::filesystem::path& folder);

/// Gives the numbers of constants. Of float32 that lie in the model or in a mapped file it makes no copy.
class Numbers {
 public:
  /// `most_bytes`: what may be made anew, all together.
  Numbers(std::shared_ptr<const onnx::ModelProto> model, std::filesystem::path folder, std::int64_t most_bytes)
      : model_(std::move(model)), folder_(std::move(folder)), bytes_left_(most_bytes) {}

  /// Of a float32 constant. Throws Refusal.
  Tensor floats(const Constant& constant);

  /// Of an integer or boolean constant of at most 4096 elements. Throws Refusal.
  std::vector<std::int64_t> integers(const Constant& constant) const;

  /// The only element of a float32 constant. Throws Refusal.
  float number(const Constant& constant);

  /// Notes that numbers are made anew. Throws Refusal when it is too much.
  void charge(std::int64_t elements);

 private:
  std::shared_ptr<const onnx::ModelProto> model_;
  std::filesystem::path folder_;
  std::int64_t bytes_left_;
};

}  // namespace spillway::models::onnx_file
