#include "models/zoo.hpp"

#include <algorithm>
#include <array>

#include "models/zoo_families.hpp"

namespace spillway::models {
namespace {

struct Entry {
  std::string_view name;
  std::string_view description;
  Network (*build)();
};

constexpr std::array entries = {
    Entry{"alexnet", "AlexNet as published: 227x227, two groups in conv2, conv4 and conv5, two LRN layers",
          families::alexnet},
    Entry{"alexnet-torchvision", "AlexNet as in torchvision: 224x224, 64-192-384-256-256 filters, no groups, no LRN",
          families::alexnet_torchvision},
    Entry{"alexnet-ungrouped", "AlexNet as a single tower: 227x227, 96-256-384-384-256 filters, no groups, no LRN",
          families::alexnet_ungrouped},
    Entry{"autoencoder-toyadmos", "MLPerf Tiny, anomaly detection: 640, ten dense layers",
          families::autoencoder_toyadmos},
    Entry{"densenet121", "DenseNet-121: 224x224, growth 32, blocks of 6, 12, 24 and 16 layers", families::densenet121},
    Entry{"ds-cnn-keywords", "MLPerf Tiny, keyword spotting: 49x10, four depthwise-separable blocks of 64",
          families::ds_cnn_keywords},
    Entry{"googlenet", "GoogLeNet (Inception v1): 224x224, 5x5 branches, no LRN, no auxiliary classifiers",
          families::googlenet},
    Entry{"mobilenet", "MobileNet v1 1.0: 224x224, true depthwise convolutions, symmetric padding",
          families::mobilenet},
    Entry{"mobilenet-0.25-160", "MobileNet v1 0.25: 160x160, as measured on an STM32H743",
          families::mobilenet_quarter_160},
    Entry{"mobilenet-0.25-96", "MLPerf Tiny, visual wake words: MobileNet v1 0.25, 96x96, two classes",
          families::mobilenet_quarter_96},
    Entry{"mobilenet-dense-depthwise",
          "MobileNet v1 with depthwise weights counted as dense k x k x C x C, as SwapNN's counts need",
          families::mobilenet_dense_depthwise},
    Entry{"resnet101", "ResNet-101: 224x224, bottlenecks with the stride in the 3x3 convolution (v1.5)",
          families::resnet101},
    Entry{"resnet18", "ResNet-18: 224x224, two 3x3 convolutions a block", families::resnet18},
    Entry{"resnet50", "ResNet-50: 224x224, bottlenecks with the stride in the 3x3 convolution (v1.5)",
          families::resnet50},
    Entry{"resnet8-cifar", "MLPerf Tiny, image classification: 32x32, three blocks of 16, 32 and 64",
          families::resnet8_cifar},
    Entry{"squeezenet", "SqueezeNet 1.1: 224x224, 64 filters of 3x3 first, early pooling (0.349 G MACs)",
          families::squeezenet},
    Entry{"squeezenet-1.0", "SqueezeNet 1.0: 224x224, 96 filters of 7x7 first, late pooling", families::squeezenet_1_0},
    Entry{"tiny-chain", "for tests: 16x16, three convolutions, two poolings, a dense layer", families::tiny_chain},
    Entry{"tiny-depthwise", "for tests: 16x16, two depthwise-separable blocks", families::tiny_depthwise},
    Entry{"tiny-inception", "for tests: 16x16, four branches concatenated, then pooled", families::tiny_inception},
    Entry{"tiny-residual", "for tests: 16x16, an identity block and a block with a projection",
          families::tiny_residual},
    Entry{"vgg16", "VGG-16 (configuration D): 224x224, 13 convolutions of 3x3, 3 dense layers", families::vgg16},
    Entry{"vgg19", "VGG-19 (configuration E): 224x224, 16 convolutions of 3x3, 3 dense layers", families::vgg19},
};
static_assert(std::ranges::is_sorted(entries, {}, &Entry::name));

const Entry* find(std::string_view name) {
  const auto entry = std::ranges::lower_bound(entries, name, {}, &Entry::name);
  return entry != entries.end() && entry->name == name ? &*entry : nullptr;
}

}  // namespace

std::vector<std::string_view> zoo_names() {
  std::vector<std::string_view> names;
  for (const Entry& entry : entries)
    names.push_back(entry.name);
  return names;
}

std::optional<Network> zoo(std::string_view name) {
  const Entry* const entry = find(name);
  if (entry == nullptr) return std::nullopt;
  return entry->build();
}

std::optional<std::string_view> zoo_description(std::string_view name) {
  const Entry* const entry = find(name);
  if (entry == nullptr) return std::nullopt;
  return entry->description;
}

}  // namespace spillway::models
