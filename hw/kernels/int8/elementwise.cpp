#include "hw/kernels/int8/arithmetic.hpp"
#include "hw/kernels/int8/input_rows.hpp"
#include "hw/kernels/int8/run.hpp"

namespace spillway::int8 {
namespace {

/// Positions of a row whose sums are kept at a time.
constexpr std::uint32_t block_elements = 32;

void add_block(const Addition& layer, std::span<const Input> operands, const RowElements& elements, std::int8_t* to) {
  std::int32_t sums[block_elements] = {};
  for (std::size_t operand = 0; operand < operands.size(); ++operand) {
    const Rescale by = layer.operands[operand];
    std::int32_t* sum = sums;
    read_row(operands[operand], elements, [&sum, by](const std::int8_t* run, std::uint32_t count) {
      for (std::uint32_t i = 0; i < count; ++i)
        sum[i] += static_cast<std::int32_t>(rescaled(run[i] * (1 << addition_shift), by));
      sum += count;
    });
  }
  const std::uint32_t size = elements.size();
  const Requantizer requantize(layer.result, layer.clamp);
  for (std::uint32_t i = 0; i < size; ++i)
    to[i] = requantize(sums[i]);
}

}  // namespace

void add(const Addition& layer, std::span<const Input> operands, const Output& output) {
  const core::Region& box = output.box;
  const std::uint32_t columns = box.channels.size() > block_elements ? 1 : block_elements / box.channels.size();
  std::int8_t* to = output.values;
  RowElements elements;
  for (std::uint32_t y = box.rows.first; y < box.rows.last; ++y)
    for (std::uint32_t x = box.columns.first; x < box.columns.last; x += columns) {
      elements.row = static_cast<std::int32_t>(y);
      elements.first_column = static_cast<std::int32_t>(x);
      elements.columns = less(columns, box.columns.last - x);
      for (std::uint32_t c = box.channels.first; c < box.channels.last; c += block_elements) {
        elements.channels = {c, less(box.channels.last, c + block_elements)};
        add_block(layer, operands, elements, to);
        to += elements.size();
      }
    }
}

void copy(const Input& input, const Output& output) {
  const core::Region& box = output.box;
  std::int8_t* to = output.values;
  for (std::uint32_t y = box.rows.first; y < box.rows.last; ++y)
    read_row(input,
             {static_cast<std::int32_t>(y), static_cast<std::int32_t>(box.columns.first), box.columns.size(), 1,
              box.channels},
             [&to](const std::int8_t* run, std::uint32_t count) {
               for (std::uint32_t i = 0; i < count; ++i)
                 to[i] = run == nullptr ? std::int8_t{0} : run[i];
               to += count;
             });
}

}  // namespace spillway::int8
