#pragma once

#include <filesystem>
#include <stdexcept>
#include <vector>

#include "hw/kernels/layers.hpp"

namespace spillway::kernels {

/// A file that is no image, or an image that cannot become the map that is wanted.
class ImageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class ImageFit {
  stretch,  ///< to the map's size
  crop,     ///< the shorter side to the map's, then the middle
};

/// How an image becomes the input of a network: (x * scale - mean) / deviation, x from 0 to 255.
struct ImageOptions {
  float scale = 1.0F / 255;
  std::vector<float> mean = {0};       ///< one for all channels, or one for each
  std::vector<float> deviation = {1};  ///< likewise
  bool bgr = false;                    ///< blue first
  ImageFit fit = ImageFit::stretch;
};

/// Reads a PNG or JPEG image and resizes it: a map of three channels holds red, green and blue, one of a single channel
/// its brightness. Throws ImageError.
std::vector<float> read_image(const std::filesystem::path& path, const Map& map, const ImageOptions& options);

}  // namespace spillway::kernels
