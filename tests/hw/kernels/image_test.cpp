#include "hw/kernels/session/image.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stb/stb_image_write.h>
#include <unistd.h>

namespace spillway::kernels {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;

/// 2 x 2, 8 bits of red, green and blue: red, green; blue, white.
const std::vector<unsigned char> four_colours_bytes = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00,
    0x02, 0x00, 0x00, 0x00, 0x02, 0x08, 0x02, 0x00, 0x00, 0x00, 0xfd, 0xd4, 0x9a, 0x73, 0x00, 0x00, 0x00, 0x12, 0x49,
    0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0xf8, 0xcf, 0xc0, 0xc0, 0x00, 0xc2, 0x0c, 0xff, 0x81, 0x00, 0x00, 0x1f, 0xee,
    0x05, 0xfb, 0xf1, 0xab, 0xba, 0x77, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
const std::string four_colours(four_colours_bytes.begin(), four_colours_bytes.end());

class Image : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  std::string write(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
    return path_;
  }

  std::string path_ = testing::TempDir() + "image_test_" + std::to_string(getpid()) + ".png";
};

TEST_F(Image, BecomesPlanesOfRedGreenAndBlue) {
  EXPECT_THAT(read_image(write(four_colours), {3, 2, 2}, {}), ElementsAre(1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1));
}

TEST_F(Image, IsNormalizedChannelByChannel) {
  ImageOptions options;
  options.scale = 1;
  options.mean = {55, 155, 255};
  options.deviation = {2, 4, 5};
  EXPECT_THAT(read_image(write(four_colours), {3, 2, 2}, options),
              ElementsAre(100, -27.5F, -27.5F, 100, -38.75F, 25, -38.75F, 25, -51, -51, 0, 0));
}

TEST_F(Image, MayHaveBlueFirst) {
  ImageOptions options;
  options.bgr = true;
  EXPECT_THAT(read_image(write(four_colours), {3, 2, 2}, options), ElementsAre(0, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1));
}

TEST_F(Image, IsResized) {
  const std::vector<float> small = read_image(write(four_colours), {3, 1, 1}, {});
  EXPECT_THAT(small, Each(FloatNear(0.5F, 0.01F)));
  const std::vector<float> large = read_image(path_, {3, 6, 6}, {});
  EXPECT_NEAR(large[0], 1, 1e-3);       // red stays in its corner
  EXPECT_NEAR(large[36 + 0], 0, 1e-3);  // and green out of it
}

TEST_F(Image, OfOneChannelIsItsBrightness) {
  const std::vector<float> grey = read_image(write(four_colours), {1, 2, 2}, {});
  EXPECT_NEAR(grey[0], 0.30F, 0.01F);
  EXPECT_NEAR(grey[1], 0.59F, 0.01F);
  EXPECT_NEAR(grey[2], 0.11F, 0.01F);
  EXPECT_NEAR(grey[3], 1.00F, 0.01F);
}

TEST_F(Image, MayBeAJpeg) {
  std::vector<unsigned char> pixels;
  for (int pixel = 0; pixel < 16 * 16; ++pixel)
    pixels.insert(pixels.end(), {200, 100, 50});
  ASSERT_NE(stbi_write_jpg(path_.c_str(), 16, 16, 3, pixels.data(), 95), 0);
  ImageOptions options;
  options.scale = 1;
  const std::vector<float> planes = read_image(path_, {3, 16, 16}, options);
  EXPECT_NEAR(planes[0], 200, 3);
  EXPECT_NEAR(planes[256], 100, 3);
  EXPECT_NEAR(planes[512], 50, 3);
}

TEST_F(Image, CropsItsMiddle) {
  std::vector<unsigned char> pixels;
  for (int pixel = 0; pixel < 12; ++pixel)
    pixels.insert(pixels.end(), 3, static_cast<unsigned char>(pixel % 6 * 50));
  ASSERT_NE(stbi_write_png(path_.c_str(), 6, 2, 3, pixels.data(), 0), 0);
  ImageOptions options;
  options.scale = 1;
  options.fit = ImageFit::crop;
  EXPECT_THAT(read_image(path_, {1, 2, 2}, options), ElementsAre(100, 150, 100, 150));
}

TEST_F(Image, RefusesWhatIsNone) {
  const auto message = [](const std::string& path, const Map& map, const ImageOptions& options) -> std::string {
    try {
      read_image(path, map, options);
      return "accepted";
    } catch (const ImageError& error) {
      return error.what();
    }
  };
  EXPECT_THAT(message("nowhere.png", {3, 2, 2}, {}), HasSubstr("nowhere.png"));
  EXPECT_THAT(message(write("no image"), {3, 2, 2}, {}), HasSubstr("no PNG or JPEG"));
  EXPECT_THAT(message(write(four_colours.substr(0, 40)), {3, 2, 2}, {}), HasSubstr("no PNG or JPEG"));
  EXPECT_THAT(message(write(four_colours), {2, 2, 2}, {}), HasSubstr("1 or 3 channels"));
  ImageOptions two_means;
  two_means.mean = {1, 2};
  EXPECT_THAT(message(path_, {3, 2, 2}, two_means), HasSubstr("2 numbers for 3 channels"));
}

}  // namespace
}  // namespace spillway::kernels
