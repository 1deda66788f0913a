#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace spillway::crew {

/// Puts values one after the other, for a Reader on a machine of the same byte order.
class Writer {
 public:
  template <typename T>
  void operator()(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void operator()(const std::string& text) {
    (*this)(std::uint64_t{text.size()});
    bytes_ += text;
  }
  template <typename T>
  void operator()(const std::optional<T>& value) {
    (*this)(value.has_value());
    if (value) (*this)(*value);
  }
  template <typename T>
  void operator()(const std::vector<T>& values) {
    (*this)(std::uint64_t{values.size()});
    for (const T& value : values)
      (*this)(value);
  }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Takes them out again, in their order. Throws std::runtime_error when there are too few.
class Reader {
 public:
  /// The bytes must outlive the reader.
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
  void operator()(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
  }
  void operator()(std::string& text) { text = take(count()); }
  template <typename T>
  void operator()(std::optional<T>& value) {
    bool there = false;
    (*this)(there);
    value.reset();
    if (there) (*this)(value.emplace());
  }
  template <typename T>
  void operator()(std::vector<T>& values) {
    values.clear();
    for (std::uint64_t left = count(); left > 0; --left)
      (*this)(values.emplace_back());
  }

 private:
  std::uint64_t count() {
    std::uint64_t number = 0;
    (*this)(number);
    return number;
  }
  std::string_view take(std::size_t bytes) {
    if (bytes > rest_.size()) throw std::runtime_error("a message of a worker is too short");
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }

  std::string_view rest_;
};

}  // namespace spillway::crew
