#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/network.hpp"

namespace spillway::pipeline {

/// What a simulation needs to know of a network, made once for all its mappings.
class Workload {
 public:
  explicit Workload(const models::Network& network);

  /// How a layer's work can become part of another call, or take others in (hw/kernels: fuse).
  enum class Call : std::uint8_t {
    alone,
    convolution,    ///< takes in a normalization, then an addition, then an activation
    normalization,  ///< joins a convolution; takes in an activation
    addition,       ///< of two results of its own shape: joins the later convolution; takes in an activation
    activation,     ///< joins what makes its operand
    other,          ///< takes in an activation
  };

  struct Node {
    std::uint64_t bytes = 0;         ///< of the result, float32
    std::uint64_t weight_bytes = 0;  ///< with biases, float32
    bool input = false;              ///< of the network
    bool output = false;             ///< of the network: nobody reads it
    bool in_place = false;           ///< its result may lie where its operand lay
    Call call = Call::alone;
  };

  std::size_t size() const { return nodes_.size(); }
  const Node& node(models::NodeId id) const { return nodes_[id]; }
  std::span<const models::NodeId> operands(models::NodeId id) const { return operands_.of(id); }
  /// In ascending order, each once.
  std::span<const models::NodeId> readers(models::NodeId id) const { return readers_.of(id); }
  const std::string& name(models::NodeId id) const { return names_[id]; }

 private:
  /// Lists of all nodes behind each other.
  struct Lists {
    std::vector<models::NodeId> items;
    std::vector<std::size_t> begins = {0};

    void append(std::span<const models::NodeId> list);
    std::span<const models::NodeId> of(models::NodeId id) const {
      return std::span(items).subspan(begins[id], begins[id + 1] - begins[id]);
    }
  };

  std::vector<Node> nodes_;
  Lists operands_, readers_;
  std::vector<std::string> names_;
};

}  // namespace spillway::pipeline
