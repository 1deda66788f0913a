#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "experiments/intensity.hpp"
#include "experiments/parameters.hpp"
#include "models/network.hpp"
#include "platforms/board.hpp"
#include "platforms/card.hpp"
#include "platforms/endurance.hpp"
#include "sim/swap/simulate.hpp"
#include "sim/tiling/swap_plan.hpp"

namespace spillway::experiments {

/// What points refer to by name, loaded once before any thread starts and only read afterwards.
class Material {
 public:
  /// Throws InputError when a board, a card or the table of endurance cannot be read.
  explicit Material(std::span<const Point> points);

  const models::Network& network(const Point& point) const;
  const platforms::Card& card(const Point& point) const;
  /// The board with the point's contention.
  platforms::Board board(const Point& point) const;
  const platforms::EnduranceTable& endurance() const { return endurance_; }

 private:
  std::map<std::string, models::Network> networks_;
  std::map<std::string, platforms::Board> boards_;
  std::map<std::string, platforms::Card> cards_;
  platforms::EnduranceTable endurance_;
};

// What a point asks of the tiling and of the simulator.
tiling::Request request_of(const Point& point);
swap::Options options_of(const Point& point);

}  // namespace spillway::experiments
