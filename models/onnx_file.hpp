#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <onnx/onnx_pb.h>

/// From bytes to a model that libonnx accepts. Of the room's own: other rooms use onnx_reader.hpp.
namespace spillway::models::onnx_file {

/// No file may be larger: protobuf's own limit.
inline constexpr std::uint64_t most_file_bytes = (std::uint64_t{1} << 31) - 1;
/// No tensor may claim more, stored in the file or beside it.
inline constexpr std::int64_t most_tensor_bytes = std::int64_t{1} << 31;
inline constexpr int most_nodes = 100'000;

/// Parses bytes. Throws OnnxError when they are no ONNX model, or one of versions that are not read.
std::shared_ptr<onnx::ModelProto> parse(std::string_view bytes, const std::filesystem::path& path);

/// Refuses, with all of its kind at once, what must not reach libonnx or would only confuse it: nodes of types that
/// are not supported, tensors that claim more than is stored, inputs that nothing produces, cycles. Throws OnnxError.
void check_limits(const onnx::ModelProto& model, const std::filesystem::path& path);

/// libonnx's own check. Throws OnnxError.
void check_with_libonnx(const onnx::ModelProto& model, const std::filesystem::path& path);

/// Gives dynamic dimensions of the inputs their extents (OnnxReadOptions::dimensions). Throws OnnxError that names
/// each dimension that stays open, each name that fits none, and each batch that is not 1.
void fix_dimensions(onnx::ModelProto& model, const std::map<std::string, std::int64_t>& dimensions,
                    const std::filesystem::path& path);

/// libonnx's shape inference, in place, of a model that was translated: it crashes on some that cannot be. Throws
/// OnnxError when shapes contradict each other.
void infer_shapes(onnx::ModelProto& model, const std::filesystem::path& path);

/// Version of the default operator set that the model uses.
std::int64_t opset_of(const onnx::ModelProto& model);

}  // namespace spillway::models::onnx_file
