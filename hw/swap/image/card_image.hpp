#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "hw/swap/card_header.hpp"
#include "hw/swap/card_map.hpp"
#include "hw/swap/layer_operator.hpp"
#include "models/network.hpp"
#include "sim/core/plan.hpp"

namespace spillway::execution {

/// Writes whole sectors to a card, from a sector on.
using WriteSectors = std::function<void(std::uint32_t sector, std::span<const std::uint8_t> bytes)>;
/// Reads whole sectors.
using ReadSectors = std::function<void(std::uint32_t sector, std::span<std::uint8_t> bytes)>;

/// The bytes of maps and weights, elements one after the other in the order of this machine.
using Bytes = std::span<const std::uint8_t>;

/// What a plan needs on its card, from tensors in the network's order, and back.
class CardImage {
 public:
  /// `rows` are the nodes of the plan's rows, `weights` of each row its weights by filter, channel of the filter,
  /// kernel row, kernel column (empty without weights). Tables and weights must outlive the image. Throws NotExecutable
  /// for a network without kernels (operators_of) and a card that would be too large.
  CardImage(const core::Plan& plan, const models::Network& network, std::vector<models::NodeId> rows,
            std::vector<Bytes> weights);

  const CardMap& map() const { return map_; }
  const std::vector<LayerOperator>& operators() const { return operators_; }

  /// What the header says. Reads all weights once.
  CardIdentity identity() const;

  /// Writes header, run record (zeros) and weights; the header last, so that a card without it is one that was not
  /// finished.
  void write(const WriteSectors& write) const;

  /// Writes the network's input of a frame, given by channel, row, column. Throws std::invalid_argument for another
  /// size.
  void write_input(std::uint32_t frame, Bytes values, const WriteSectors& write) const;

  /// A row's output of a frame, by channel, row, column. Only results are there for every frame of a run.
  std::vector<std::uint8_t> read_map(std::uint32_t row, std::uint32_t frame, const ReadSectors& read) const;

  /// The rows whose outputs no row reads.
  std::vector<std::uint32_t> results() const;

 private:
  template <class Take>
  void for_each_chunk(const Take& take) const;

  const core::Plan& plan_;
  std::vector<models::NodeId> rows_;
  std::vector<Bytes> weights_;
  std::vector<LayerOperator> operators_;
  std::vector<std::vector<std::uint32_t>> vector_orders_;  ///< of dense rows
  std::vector<LayerPlace> places_;
  CardMap map_;
};

}  // namespace spillway::execution
