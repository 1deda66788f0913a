#include "scattered_map.hpp"

#include <algorithm>

namespace spillway::int8::test {

int pick(Random& random, int least, int most) {
  return std::uniform_int_distribution(least, most)(random);
}

Map::Map(Random& random, std::uint32_t rows, std::uint32_t columns, std::uint32_t depth)
    : height(rows), width(columns), channels(depth), values(std::size_t{rows} * columns * depth) {
  for (std::int8_t& value : values)
    value = static_cast<std::int8_t>(pick(random, -127, 127));
}

ScatteredMap::ScatteredMap(Random& random, const Map& map, const core::Region& box,
                           const std::vector<core::Range>& parts)
    : height_(map.height), width_(map.width) {
  std::vector<std::int8_t> bytes(static_cast<std::size_t>(pick(random, 0, 5)));
  const auto place = [&](const core::Region& patch) {
    if (patch.elements() == 0) return;
    patches_.push_back({patch, {}, static_cast<std::uint32_t>(bytes.size())});
    for (std::uint32_t y = patch.rows.first; y < patch.rows.last; ++y)
      for (std::uint32_t x = patch.columns.first; x < patch.columns.last; ++x)
        for (std::uint32_t c = patch.channels.first; c < patch.channels.last; ++c)
          bytes.push_back(map.at(y, x, c));
  };
  const bool quarters = pick(random, 0, 3) == 0;
  for (const core::Range part : parts) {
    const core::Range channels = core::common(part, box.channels);
    if (!quarters) {
      place({channels, box.rows, box.columns});
      continue;
    }
    const std::uint32_t y = (box.rows.first + box.rows.last) / 2, x = (box.columns.first + box.columns.last) / 2;
    for (const core::Range rows : {core::Range{box.rows.first, y}, core::Range{y, box.rows.last}})
      for (const core::Range columns : {core::Range{box.columns.first, x}, core::Range{x, box.columns.last}})
        place({channels, rows, columns});
  }

  const auto buffer_bytes =
      static_cast<std::uint32_t>(pick(random, 0, 1) == 0 ? bytes.size() + 1 : pick(random, 1, 60));
  for (std::size_t first = 0; first < bytes.size(); first += buffer_bytes) {
    // Each in an allocation of exactly its bytes: a sanitizer sees what is read beyond it.
    const std::size_t last = std::min<std::size_t>(bytes.size(), first + buffer_bytes);
    buffers_.emplace_back(bytes.begin() + static_cast<std::ptrdiff_t>(first),
                          bytes.begin() + static_cast<std::ptrdiff_t>(last));
  }
  for (const std::vector<std::int8_t>& buffer : buffers_)
    pointers_.push_back(buffer.data());
  for (Patch& patch : patches_)
    patch.chain = {pointers_.data(), buffer_bytes};
}

std::vector<core::Range> cut(Random& random, std::uint32_t size) {
  std::vector<std::uint32_t> ends = {size};
  for (int i = pick(random, 0, 2); i > 0; --i)
    ends.push_back(static_cast<std::uint32_t>(pick(random, 1, static_cast<int>(size))));
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  std::vector<core::Range> ranges;
  std::uint32_t first = 0;
  for (const std::uint32_t end : ends) {
    ranges.push_back({first, end});
    first = end;
  }
  return ranges;
}

std::vector<core::Range> steps(std::uint32_t size, std::uint32_t step) {
  std::vector<core::Range> ranges;
  for (std::uint32_t first = 0; first < size; first += step)
    ranges.push_back({first, std::min(size, first + step)});
  return ranges;
}

}  // namespace spillway::int8::test
