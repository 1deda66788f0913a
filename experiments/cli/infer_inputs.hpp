#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "experiments/cli/request.hpp"
#include "hw/kernels/session/image.hpp"
#include "hw/kernels/session/program.hpp"

namespace spillway::cli {

/// The options that say how an image becomes numbers.
struct ImageConversion {
  std::string scale = "1/255";
  std::string mean = "0", deviation = "1";
  std::string fit = "stretch";
  bool bgr = false;

  /// The object must outlive the parsing.
  void add_to(CLI::App& verb);

  /// Notes every mistake in `request`.
  kernels::ImageOptions read(Request& request) const;
};

/// The options that say what a network computes on.
struct InferInputs {
  std::vector<std::string> files;
  std::string seed = "1";
  ImageConversion conversion;

  /// Adds --input and how an image becomes numbers; the object must outlive the parsing.
  void add_to(CLI::App& verb);
};

/// Reads a file that `option` names: raw float32 (little-endian) of one frame or several of `value`, or an image. Notes
/// every mistake in `request`.
std::vector<float> read_frames(const std::string& option, const std::string& path, const kernels::Value& value,
                               const kernels::ImageOptions& image, Request& request);

/// Numbers of mean 0 and variance 1, the same on every machine for the same seed.
std::vector<float> noise(std::int64_t elements, std::uint64_t seed);

/// The frames that were given for each input of a program.
struct Frames {
  std::vector<std::vector<float>> inputs;  ///< by input, frame after frame
  std::size_t count = 1;                   ///< the same for every input
  std::string origin;                      ///< for people
};

/// Reads the files: raw float32 (little-endian) of one frame or several, or an image; without any, noise from `seed`.
/// Notes every mistake in `request`; without a program, those of the options.
Frames read(const InferInputs& options, std::uint64_t seed, const kernels::Program* program, Request& request);

}  // namespace spillway::cli
