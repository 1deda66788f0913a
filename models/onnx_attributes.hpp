#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <onnx/onnx_pb.h>

namespace spillway::models::onnx_file {

/// The attributes of one ONNX node, each of which must be asked for: what was not is left in unread(). Of the room's
/// own. Every reading function throws Refusal for an attribute of another type.
class Attributes {
 public:
  explicit Attributes(const onnx::NodeProto& node) : node_(node) {}

  std::optional<std::int64_t> integer(std::string_view name);
  std::optional<std::vector<std::int64_t>> integers(std::string_view name);
  std::optional<float> number(std::string_view name);
  std::optional<std::vector<float>> numbers(std::string_view name);
  std::optional<std::string> text(std::string_view name);
  const onnx::TensorProto* tensor(std::string_view name);

  /// An attribute that changes nothing at inference.
  void without_effect(std::string_view name) { read_.insert(std::string(name)); }

  /// Throws Refusal unless the attribute is absent or has this value.
  void expect(std::string_view name, std::int64_t value);

  std::vector<std::string> unread() const;

 private:
  const onnx::AttributeProto* find(std::string_view name, onnx::AttributeProto::AttributeType type);

  const onnx::NodeProto& node_;
  std::set<std::string> read_;
};

}  // namespace spillway::models::onnx_file
