#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace spillway::trace {

/// A duration or instant that is written as decimal microseconds with three digits: 12345 ns are 12.345.
struct Microseconds {
  std::uint64_t nanoseconds = 0;
};

/// Text of trace events before it goes to the file. A trace has millions of events; reserving room once for each makes
/// the rest plain copies.
class EventText {
 public:
  /// Makes room for so many bytes, which the following appends must not exceed.
  void reserve(std::size_t bytes) {
    if (text_.size() - size_ < bytes) text_.resize(2 * text_.size() + bytes);
  }

  EventText& operator<<(std::string_view text) {
    std::memcpy(text_.data() + size_, text.data(), text.size());
    size_ += text.size();
    return *this;
  }

  template <std::unsigned_integral Integer>
  EventText& operator<<(Integer number) {
    char* const begin = text_.data() + size_;
    size_ += static_cast<std::size_t>(std::to_chars(begin, text_.data() + text_.size(), number).ptr - begin);
    return *this;
  }

  EventText& operator<<(Microseconds time) {
    *this << time.nanoseconds / 1000;
    const auto thousandths = static_cast<unsigned>(time.nanoseconds % 1000);
    const auto digit = [](unsigned value) { return static_cast<char>('0' + value % 10); };
    const char fraction[] = {'.', digit(thousandths / 100), digit(thousandths / 10), digit(thousandths)};
    return *this << std::string_view(fraction, sizeof fraction);
  }

  std::string_view view() const { return {text_.data(), size_}; }
  void clear() { size_ = 0; }

 private:
  std::vector<char> text_;
  std::size_t size_ = 0;
};

}  // namespace spillway::trace
