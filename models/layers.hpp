#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/network.hpp"

/// Short forms of Network::add for building networks in code. Each appends and returns the (last) new node; each
/// throws NetworkError as Network::add does.
namespace spillway::models {

/// A square window with the same stride and padding on both axes.
Window square(std::int64_t kernel, std::int64_t stride = 1, std::int64_t padding = 0);

/// What a convolution has besides its window.
struct ConvolutionOptions {
  std::int64_t groups = 1;
  bool bias = true;
  bool dense_weight_bytes = false;  ///< see Node
};

/// An operator without attributes: activations, add, concat, batch normalization, dropout, flatten, softmax.
NodeId append(Network& network, Operator op, std::string name, std::vector<NodeId> inputs);

NodeId input(Network& network, Shape shape);
NodeId convolution(Network& network, std::string name, NodeId from, std::int64_t filters, const Window& window,
                   const ConvolutionOptions& options = {});
NodeId dense(Network& network, std::string name, NodeId from, std::int64_t outputs);
NodeId max_pool(Network& network, std::string name, NodeId from, const Window& window);
NodeId average_pool(Network& network, std::string name, NodeId from, const Window& window);
NodeId global_average_pool(Network& network, std::string name, NodeId from);
NodeId local_response_normalization(Network& network, std::string name, NodeId from, std::int64_t size);

/// Convolution with bias, then `<name>_relu`.
NodeId convolution_relu(Network& network, const std::string& name, NodeId from, std::int64_t filters,
                        const Window& window, std::int64_t groups = 1);

/// Convolution without bias, then `<name>_bn`.
NodeId convolution_normalized(Network& network, const std::string& name, NodeId from, std::int64_t filters,
                              const Window& window, ConvolutionOptions options = {});

/// The usual end of a classifier: `flatten`, `<name>` (dense), `softmax`.
NodeId classifier(Network& network, const std::string& name, NodeId from, std::int64_t classes);

}  // namespace spillway::models
