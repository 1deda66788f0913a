#include "models/onnx_constants.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <span>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/mapped_file.hpp"
#include "models/onnx_file.hpp"

namespace spillway::models::onnx_file {
namespace {

static_assert(std::endian::native == std::endian::little, "ONNX stores numbers little-endian");

using onnx::TensorProto;

template <typename... Arguments>
[[noreturn]] void refuse(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  throw Refusal(fmt::format(text, std::forward<Arguments>(arguments)...));
}

/// Bytes of one element as raw data; 0: not stored that way.
std::int64_t element_bytes(int type) {
  switch (type) {
    case TensorProto::INT8:
    case TensorProto::UINT8:
    case TensorProto::BOOL:
      return 1;
    case TensorProto::INT16:
    case TensorProto::UINT16:
    case TensorProto::FLOAT16:
    case TensorProto::BFLOAT16:
      return 2;
    case TensorProto::FLOAT:
    case TensorProto::INT32:
    case TensorProto::UINT32:
      return 4;
    case TensorProto::DOUBLE:
    case TensorProto::INT64:
    case TensorProto::UINT64:
    case TensorProto::COMPLEX64:
      return 8;
    case TensorProto::COMPLEX128:
      return 16;
    default:
      return 0;
  }
}

std::vector<std::int64_t> extents_of(const TensorProto& tensor) {
  return {tensor.dims().begin(), tensor.dims().end()};
}

/// Numbers in the field of the tensor's type.
std::int64_t listed_elements(const TensorProto& tensor) {
  switch (tensor.data_type()) {
    case TensorProto::FLOAT:
      return tensor.float_data_size();
    case TensorProto::COMPLEX64:
      return tensor.float_data_size() / 2;
    case TensorProto::DOUBLE:
      return tensor.double_data_size();
    case TensorProto::COMPLEX128:
      return tensor.double_data_size() / 2;
    case TensorProto::INT64:
      return tensor.int64_data_size();
    case TensorProto::UINT32:
    case TensorProto::UINT64:
      return tensor.uint64_data_size();
    case TensorProto::STRING:
      return tensor.string_data_size();
    default:
      return tensor.int32_data_size();
  }
}

/// Where external data lies, as the tensor says.
struct Place {
  std::filesystem::path location;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
};

std::uint64_t whole_number(const std::string& key, const std::string& text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) refuse("external data: {} \"{}\"; expected a whole number", key, text);
  return value;
}

Place place_of(const TensorProto& tensor) {
  Place place;
  for (const onnx::StringStringEntryProto& entry : tensor.external_data()) {
    if (entry.key() == "location")
      place.location = entry.value();
    else if (entry.key() == "offset")
      place.offset = whole_number("offset", entry.value());
    else if (entry.key() == "length")
      place.length = whole_number("length", entry.value());
    else if (entry.key() != "checksum")
      refuse("external data: key \"{}\"; expected location, offset, length or checksum", entry.key());
  }
  if (place.location.empty()) refuse("external data without a location");
  if (place.location.is_absolute() || std::ranges::find(place.location, "..") != place.location.end() ||
      place.location.native().find('\0') != std::string::npos)
    refuse("external data at \"{}\"; expected a file in the model's folder", place.location.string());
  return place;
}

void check_external(const TensorProto& tensor, const std::filesystem::path& folder, std::int64_t claimed) {
  const Place place = place_of(tensor);
  const std::filesystem::path file = folder / place.location;
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error))
    refuse("external data: there is no file {}; expected it beside the model", file.string());
  const std::uint64_t size = std::filesystem::file_size(file, error);
  if (error) refuse("external data: {}: {}", file.string(), error.message());
  const auto bytes = static_cast<std::uint64_t>(claimed);
  if (place.length && *place.length != bytes)
    refuse("external data of {} bytes for {} of {}; expected {} bytes", *place.length, text_of(extents_of(tensor)),
           type_name(tensor.data_type()), bytes);
  if (place.offset > size || size - place.offset < bytes)
    refuse("external data: {} has {} bytes; expected {} from byte {} on", file.string(), size, bytes, place.offset);
}

std::span<const char> raw_bytes(const TensorProto& tensor) {
  return {tensor.raw_data().data(), tensor.raw_data().size()};
}

template <typename Integer>
std::vector<std::int64_t> widen(std::span<const char> bytes) {
  std::vector<std::int64_t> result;
  for (std::size_t at = 0; at + sizeof(Integer) <= bytes.size(); at += sizeof(Integer)) {
    Integer value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    result.push_back(static_cast<std::int64_t>(value));
  }
  return result;
}

std::vector<std::int64_t> stored_integers(const TensorProto& tensor) {
  if (tensor.data_location() == TensorProto::EXTERNAL)
    refuse("'{}' lies in external data; expected shapes and axes in the model itself", tensor.name());
  switch (tensor.data_type()) {
    case TensorProto::INT64:
      if (tensor.has_raw_data()) return widen<std::int64_t>(raw_bytes(tensor));
      return {tensor.int64_data().begin(), tensor.int64_data().end()};
    case TensorProto::INT32:
      if (tensor.has_raw_data()) return widen<std::int32_t>(raw_bytes(tensor));
      break;
    case TensorProto::BOOL:
      if (tensor.has_raw_data()) return widen<std::uint8_t>(raw_bytes(tensor));
      break;
    default:
      refuse("'{}' is {}; expected int64, int32 or bool", tensor.name(), type_name(tensor.data_type()));
  }
  return {tensor.int32_data().begin(), tensor.int32_data().end()};
}

bool aligned(const char* address) {
  return reinterpret_cast<std::uintptr_t>(address) % alignof(float) == 0;
}

}  // namespace

std::int64_t Constant::elements() const {
  return elements_of(extents);
}

std::int64_t elements_of(const std::vector<std::int64_t>& extents) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : extents)
    if (extent < 0) refuse("a tensor of {}; expected extents of 0 or more", text_of(extents));
  for (const std::int64_t extent : extents)
    if (__builtin_mul_overflow(elements, extent, &elements) || elements > (std::int64_t{1} << 48))
      refuse("a tensor of {}; expected at most 2^48 elements", text_of(extents));
  return elements;
}

std::string text_of(const std::vector<std::int64_t>& extents) {
  return extents.empty() ? "a scalar" : fmt::format("{}", fmt::join(extents, "x"));
}

std::string type_name(int type) {
  switch (type) {
    case TensorProto::FLOAT:
      return "float32";
    case TensorProto::DOUBLE:
      return "float64";
    default:
      break;
  }
  if (!TensorProto::DataType_IsValid(type)) return fmt::format("type {}", type);
  std::string name = TensorProto::DataType_Name(static_cast<TensorProto::DataType>(type));
  std::ranges::transform(name, name.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return name;
}

void check_tensor(const TensorProto& tensor, const std::filesystem::path& folder) {
  const std::vector<std::int64_t> extents = extents_of(tensor);
  const std::int64_t elements = elements_of(extents);
  if (tensor.has_segment()) refuse("a tensor in segments; expected it whole");
  const std::int64_t width = element_bytes(tensor.data_type());
  if (width == 0 && tensor.data_type() != TensorProto::STRING)
    refuse("a tensor of {}; expected a known element type", type_name(tensor.data_type()));
  if (width != 0 && elements > most_tensor_bytes / width)
    refuse("a tensor of {} {} claims more than {} bytes", text_of(extents), type_name(tensor.data_type()),
           most_tensor_bytes);
  if (tensor.data_location() == TensorProto::EXTERNAL) return check_external(tensor, folder, elements * width);
  if (tensor.has_raw_data()) {
    if (static_cast<std::int64_t>(tensor.raw_data().size()) != elements * width)
      refuse("a tensor of {} {} with {} bytes; expected {}", text_of(extents), type_name(tensor.data_type()),
             tensor.raw_data().size(), elements * width);
    return;
  }
  if (listed_elements(tensor) != elements)
    refuse("a tensor of {} {} with {} elements; expected {}", text_of(extents), type_name(tensor.data_type()),
           listed_elements(tensor), elements);
}

void Numbers::charge(std::int64_t elements) {
  const auto width = static_cast<std::int64_t>(sizeof(float));
  if (elements > bytes_left_ / width)
    refuse("{} more numbers to make; expected at most {} bytes of them in all", elements, bytes_left_);
  bytes_left_ -= elements * width;
}

Tensor Numbers::floats(const Constant& constant) {
  if (constant.type != TensorProto::FLOAT) refuse("a constant of {}; expected float32", type_name(constant.type));
  const auto elements = static_cast<std::size_t>(constant.elements());
  if (constant.fill) {
    charge(constant.elements());
    return {constant.extents, std::vector<float>(elements, *constant.fill)};
  }
  if (constant.stored == nullptr) refuse("a constant without stored numbers; expected them");
  const TensorProto& tensor = *constant.stored;
  const auto external = tensor.data_location() == TensorProto::EXTERNAL;
  if (!external && !tensor.has_raw_data())
    return {constant.extents, std::span<const float>(tensor.float_data().data(), elements), model_};

  std::shared_ptr<const void> owner = model_;
  std::span<const char> bytes = raw_bytes(tensor);
  if (external) {
    const Place place = place_of(tensor);
    try {
      const auto file = map_file(folder_ / place.location);
      if (place.offset > file->size() || file->size() - place.offset < elements * sizeof(float))
        refuse("external data: {} became shorter", (folder_ / place.location).string());
      bytes = file->subspan(place.offset, elements * sizeof(float));
      owner = file;
    } catch (const std::system_error& error) {
      refuse("external data: {}: {}", (folder_ / place.location).string(), error.code().message());
    }
  }
  if (aligned(bytes.data()))
    return {constant.extents, std::span<const float>(reinterpret_cast<const float*>(bytes.data()), elements), owner};
  charge(constant.elements());
  std::vector<float> copy(elements);
  std::memcpy(copy.data(), bytes.data(), bytes.size());
  return {constant.extents, std::move(copy)};
}

std::vector<std::int64_t> Numbers::integers(const Constant& constant) const {
  constexpr std::int64_t most = 4096;
  if (constant.elements() > most) refuse("a constant of {} integers; expected at most {}", constant.elements(), most);
  if (constant.integers) return *constant.integers;
  if (constant.stored == nullptr) refuse("a constant of {}; expected integers", type_name(constant.type));
  return stored_integers(*constant.stored);
}

float Numbers::number(const Constant& constant) {
  if (constant.elements() != 1) refuse("a constant of {}; expected one number", text_of(constant.extents));
  return floats(constant).values().front();
}

}  // namespace spillway::models::onnx_file
