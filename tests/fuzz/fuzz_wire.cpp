#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "sim/trace/wire_reader.hpp"

namespace {

using namespace spillway::trace;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

std::vector<std::uint8_t> sent(std::uint16_t number, const WireMessage& message) {
  std::vector<std::uint8_t> frame(frame_bytes(max_payload_bytes));
  const auto bytes = std::visit(
      [&](const auto& content) {
        using Content = std::decay_t<decltype(content)>;
        if constexpr (std::is_same_v<Content, Started>)
          return spillway::trace::message(number, StartMessage{content.clock_hz, content.plan_hash, content.program});
        else if constexpr (std::is_same_v<Content, Value>)
          return spillway::trace::message(number, ValueMessage{content.value, content.name});
        else if constexpr (std::is_same_v<Content, Text>)
          return spillway::trace::message(number, std::string_view(content.text));
        else
          return spillway::trace::message(number, content);
      },
      message);
  frame.resize(encode_frame(bytes.view(), frame));
  return frame;
}

}  // namespace

/// Any bytes are read without harm; each byte is accounted for; what was understood can be sent and read again; after
/// any garbage a good frame is found.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<WireMessage> taken;
  WireReader reader([&](const WireMessage& message) { taken.push_back(message); });
  reader.feed({data, size / 2});
  reader.feed({data + size / 2, size - size / 2});
  reader.finish();
  require(reader.statistics().bytes == size && reader.statistics().damaged_bytes <= size);
  require(reader.statistics().messages == taken.size());

  const std::size_t before = taken.size();
  for (std::size_t i = 0; i < before; ++i)
    reader.feed(sent(static_cast<std::uint16_t>(i), WireMessage(taken[i])));
  require(taken.size() == 2 * before);
  for (std::size_t i = 0; i < before; ++i) {
    if (taken[i].index() != taken[before + i].index()) __builtin_trap();
    require(sent(0, taken[i]) == sent(0, taken[before + i]));
  }

  const std::uint8_t end = 0;
  reader.feed({data, size});
  reader.feed({&end, 1});
  const std::size_t sent_before = taken.size();
  reader.feed(sent(9, Value{7, "found"}));
  require(taken.size() == sent_before + 1);
  return 0;
}
