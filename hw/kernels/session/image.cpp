#include "hw/kernels/session/image.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <stb/stb_image.h>
#include <stb/stb_image_resize.h>

namespace spillway::kernels {
namespace {

struct Image {
  std::unique_ptr<unsigned char, decltype(&stbi_image_free)> pixels{nullptr, stbi_image_free};
  int width = 0, height = 0;
};

/// Rows and columns of an image that are used.
struct Part {
  int left = 0, top = 0, width = 0, height = 0;
};

Part part_of(const Image& image, const Map& map, ImageFit fit) {
  if (fit == ImageFit::stretch) return {0, 0, image.width, image.height};
  const double ratio = std::min(static_cast<double>(image.width) / static_cast<double>(map.width),
                                static_cast<double>(image.height) / static_cast<double>(map.height));
  const int width = std::clamp(static_cast<int>(std::lround(ratio * static_cast<double>(map.width))), 1, image.width);
  const int height =
      std::clamp(static_cast<int>(std::lround(ratio * static_cast<double>(map.height))), 1, image.height);
  return {(image.width - width) / 2, (image.height - height) / 2, width, height};
}

float of_channel(const std::vector<float>& numbers, std::int64_t channel) {
  return numbers.size() == 1 ? numbers.front() : numbers[static_cast<std::size_t>(channel)];
}

void check(const Map& map, const ImageOptions& options) {
  if (map.channels != 1 && map.channels != 3)
    throw ImageError(fmt::format("an image has 1 or 3 channels; the network's input has {}", map.channels));
  for (const std::vector<float>* numbers : {&options.mean, &options.deviation})
    if (numbers->size() != 1 && static_cast<std::int64_t>(numbers->size()) != map.channels)
      throw ImageError(fmt::format("{} numbers for {} channels; expected one for all or one for each", numbers->size(),
                                   map.channels));
}

}  // namespace

std::vector<float> read_image(const std::filesystem::path& path, const Map& map, const ImageOptions& options) {
  check(map, options);
  const int channels = static_cast<int>(map.channels);
  Image image;
  image.pixels.reset(stbi_load(path.c_str(), &image.width, &image.height, nullptr, channels));
  if (image.pixels == nullptr)
    throw ImageError(fmt::format("{}: no PNG or JPEG image: {}", path.string(), stbi_failure_reason()));

  const Part part = part_of(image, map, options.fit);
  const int width = static_cast<int>(map.width), height = static_cast<int>(map.height);
  std::vector<float> decoded(static_cast<std::size_t>(part.width) * static_cast<std::size_t>(part.height) *
                             static_cast<std::size_t>(channels));
  for (int y = 0; y < part.height; ++y) {
    const std::size_t row = static_cast<std::size_t>(part.top + y) * static_cast<std::size_t>(image.width);
    const unsigned char* from = image.pixels.get() + (row + static_cast<std::size_t>(part.left)) * channels;
    std::copy_n(from, part.width * channels, decoded.begin() + static_cast<std::ptrdiff_t>(y) * part.width * channels);
  }
  std::vector<float> resized(static_cast<std::size_t>(map.elements()));
  const int done = stbir_resize_float_generic(decoded.data(), part.width, part.height, 0, resized.data(), width, height,
                                              0, channels, STBIR_ALPHA_CHANNEL_NONE, 0, STBIR_EDGE_CLAMP,
                                              STBIR_FILTER_TRIANGLE, STBIR_COLORSPACE_LINEAR, nullptr);
  if (done == 0)
    throw ImageError(fmt::format("{}: cannot be resized from {}x{} to {}x{}", path.string(), part.width, part.height,
                                 width, height));

  std::vector<float> input(resized.size());
  const std::int64_t plane = map.height * map.width;
  for (std::int64_t channel = 0; channel < map.channels; ++channel) {
    const std::int64_t source = options.bgr ? map.channels - 1 - channel : channel;
    const float mean = of_channel(options.mean, channel), deviation = of_channel(options.deviation, channel);
    for (std::int64_t i = 0; i < plane; ++i) {
      const float number = resized[static_cast<std::size_t>(i * map.channels + source)];
      input[static_cast<std::size_t>(channel * plane + i)] = (number * options.scale - mean) / deviation;
    }
  }
  return input;
}

}  // namespace spillway::kernels
