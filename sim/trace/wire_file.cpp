#include "sim/trace/wire_file.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include "sim/trace/frame.hpp"

namespace spillway::trace {
namespace {

constexpr std::size_t flush_bytes = std::size_t{1} << 16;

}  // namespace

template <class Content>
void WireFile::send(const Content& content) {
  std::array<std::uint8_t, frame_bytes(max_payload_bytes)> frame;
  const std::size_t size = encode_frame(message(number_++, content).view(), frame);
  buffer_.append(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(size));
  if (buffer_.size() < flush_bytes) return;
  file_.write(buffer_);
  buffer_.clear();
}

WireFile::WireFile(std::filesystem::path path, const StartMessage& start) : file_(std::move(path)) {
  send(start);
}

void WireFile::finish(const EndMessage& end) {
  send(end);
  file_.write(buffer_);
  file_.commit();
}

}  // namespace spillway::trace
