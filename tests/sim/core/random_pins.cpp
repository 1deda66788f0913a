#include <algorithm>
#include <set>
#include <utility>

#include "random_plan.hpp"

namespace spillway::oracle {
namespace {

std::uint16_t short_of(std::uint32_t number) {
  return static_cast<std::uint16_t>(number);
}

/// Puts pins into a plan, row by row.
class Pinner {
 public:
  Pinner(PlanTables tables, Random& random) : plan_(std::move(tables)), random_(random) {
    plan_.settings.queue = core::Queue::skip;
    plan_.settings.pools.shared = false;
    core::Pools& pools = pools_();
    pools.output = std::max(pools.output, pools.input);
  }

  /// Whether any row got pins.
  bool pin() {
    for (std::size_t row = 0; row < plan_.layers.size(); ++row) {
      if (reads_kept(row)) continue;
      if (random_.chance(50)) put_weights_outside(plan_.layers[row]);
      if (random_.chance(50)) keep_output(row);
    }
    if (weight_pins_ + output_pins_ == 0) return false;
    // Most plans leave no more than they have to.
    if (weight_pins_ != 0 && random_.chance(75)) pools_().weights = short_of(weight_pins_ + 2);
    if (output_pins_ != 0 && random_.chance(75)) {
      pools_().output = short_of(std::max<std::uint32_t>(output_pins_ + 1, pools_().input));
    }
    return true;
  }

  PlanTables take() { return std::move(plan_); }

 private:
  core::Pools& pools_() { return plan_.settings.pools; }
  core::Part* parts_of(std::size_t row) { return &plan_.parts[plan_.layers[row].first_part]; }

  bool reads_kept(std::size_t row) const { return row > 0 && plan_.layers[row - 1].output_pins != 0; }

  /// Makes a pool large enough, where it is not too large a wish.
  bool fits(std::uint16_t& pool, std::uint32_t needed) {
    if (needed > pool && (needed > 40 || !random_.chance(70))) return false;
    pool = std::max(pool, short_of(needed));
    return true;
  }

  void put_weights_outside(core::Layer& layer) {
    if (layer.filter_bytes == 0) return;
    const std::uint32_t pins = layer.chunks + (random_.chance(20) ? 1 : 0);
    if (!fits(pools_().weights, pins + 2)) return;
    layer.weight_pins = short_of(pins);
    layer.waits_for_all = true;
    weight_pins_ = std::max(weight_pins_, pins);
  }

  /// Keeps the output of a row that only the next one reads.
  void keep_output(std::size_t row) {
    core::Layer& layer = plan_.layers[row];
    if (layer.consumers != 1 || plan_.consumers[layer.first_consumer] != row + 1) return;
    core::Layer& reader = plan_.layers[row + 1];
    std::uint32_t from_card = 0;
    bool sum = false;
    for (std::uint32_t number = 0; number < reader.parts; ++number) {
      const core::Part& part = parts_of(row + 1)[number];
      from_card += part.producer != row;
      sum |= number > 0 && part.first_channel == 0;
    }
    // Such a reader has tiles that read nothing but kept channels beside others that do not.
    if (from_card != 0 && reader.channelwise && !sum) return;
    const std::uint32_t tiles = layer.groups * layer.rows * layer.columns;
    if (!fits(pools_().output, tiles + 1)) return;
    layer.output_pins = short_of(tiles);
    layer.waits_for_all = true;
    output_pins_ = std::max(output_pins_, tiles);
    for (std::uint32_t number = 0; number < reader.parts; ++number) {
      core::Part& part = parts_of(row + 1)[number];
      part.resident = part.producer == row;
    }
    if (from_card == 0) reader.input_buffers = 0;
    wait_for_the_others(row);
  }

  /// The pins must not wait for a reader that waits for another's pins: what else the reader reads is finished before,
  /// by parts without channels.
  void wait_for_the_others(std::size_t row) {
    std::set<core::LayerIndex> others;
    for (std::uint32_t number = 0; number < plan_.layers[row + 1].parts; ++number)
      others.insert(parts_of(row + 1)[number].producer);
    for (std::uint32_t number = 0; number < plan_.layers[row].parts; ++number)
      others.erase(parts_of(row)[number].producer);
    others.erase(static_cast<core::LayerIndex>(row));
    others.erase(core::network_input);
    for (const core::LayerIndex producer : others) {
      core::Layer& layer = plan_.layers[row];
      plan_.parts.insert(plan_.parts.begin() + layer.first_part + layer.parts, {.producer = producer});
      ++layer.parts;
      for (std::size_t later = row + 1; later < plan_.layers.size(); ++later)
        ++plan_.layers[later].first_part;
    }
    plan_.link();
  }

  PlanTables plan_;
  Random& random_;
  std::uint32_t weight_pins_ = 0, output_pins_ = 0;  ///< the most of a layer
};

}  // namespace

PlanTables random_plan_with_pins(std::uint64_t seed) {
  // Seeds of plans that random_plan() is not asked for.
  Random random(seed ^ 0x70696E7300000000U);
  while (true) {
    Pinner pinner(random_plan(random.next()), random);
    if (pinner.pin()) return pinner.take();
  }
}

}  // namespace spillway::oracle
