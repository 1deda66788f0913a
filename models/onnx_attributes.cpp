#include "models/onnx_attributes.hpp"

#include <fmt/format.h>

#include "models/onnx_constants.hpp"

namespace spillway::models::onnx_file {

using onnx::AttributeProto;

const AttributeProto* Attributes::find(std::string_view name, AttributeProto::AttributeType type) {
  for (const AttributeProto& attribute : node_.attribute()) {
    if (attribute.name() != name) continue;
    if (attribute.type() != type)
      throw Refusal(fmt::format("attribute {} is of type {}; expected {}", name,
                                AttributeProto::AttributeType_Name(attribute.type()),
                                AttributeProto::AttributeType_Name(type)));
    read_.insert(std::string(name));
    return &attribute;
  }
  return nullptr;
}

std::optional<std::int64_t> Attributes::integer(std::string_view name) {
  const AttributeProto* const found = find(name, AttributeProto::INT);
  return found == nullptr ? std::nullopt : std::optional(found->i());
}

std::optional<std::vector<std::int64_t>> Attributes::integers(std::string_view name) {
  const AttributeProto* const found = find(name, AttributeProto::INTS);
  if (found == nullptr) return std::nullopt;
  return std::vector<std::int64_t>(found->ints().begin(), found->ints().end());
}

std::optional<float> Attributes::number(std::string_view name) {
  const AttributeProto* const found = find(name, AttributeProto::FLOAT);
  return found == nullptr ? std::nullopt : std::optional(found->f());
}

std::optional<std::vector<float>> Attributes::numbers(std::string_view name) {
  const AttributeProto* const found = find(name, AttributeProto::FLOATS);
  if (found == nullptr) return std::nullopt;
  return std::vector<float>(found->floats().begin(), found->floats().end());
}

std::optional<std::string> Attributes::text(std::string_view name) {
  const AttributeProto* const found = find(name, AttributeProto::STRING);
  return found == nullptr ? std::nullopt : std::optional(found->s());
}

const onnx::TensorProto* Attributes::tensor(std::string_view name) {
  const AttributeProto* const found = find(name, AttributeProto::TENSOR);
  return found == nullptr ? nullptr : &found->t();
}

void Attributes::expect(std::string_view name, std::int64_t value) {
  const std::optional<std::int64_t> given = integer(name);
  if (given && *given != value) throw Refusal(fmt::format("attribute {} is {}; expected {}", name, *given, value));
}

std::vector<std::string> Attributes::unread() const {
  std::vector<std::string> names;
  for (const AttributeProto& attribute : node_.attribute())
    if (!read_.contains(attribute.name())) names.push_back(attribute.name());
  return names;
}

}  // namespace spillway::models::onnx_file
