#pragma once

#include "models/network.hpp"

/// Builders behind models/zoo.hpp, one source file for each family.
namespace spillway::models::families {

Network vgg16();
Network vgg19();

Network alexnet();
Network alexnet_ungrouped();
Network alexnet_torchvision();

Network mobilenet();
Network mobilenet_dense_depthwise();
Network mobilenet_quarter_160();
Network mobilenet_quarter_96();

Network autoencoder_toyadmos();
Network ds_cnn_keywords();
Network resnet8_cifar();

Network resnet18();
Network resnet50();
Network resnet101();

Network googlenet();
Network densenet121();
Network squeezenet();
Network squeezenet_1_0();

Network tiny_chain();
Network tiny_depthwise();
Network tiny_inception();
Network tiny_residual();

}  // namespace spillway::models::families
