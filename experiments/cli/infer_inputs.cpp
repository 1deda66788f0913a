#include "experiments/cli/infer_inputs.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace spillway::cli {
namespace {

static_assert(std::endian::native == std::endian::little, "raw tensors are little-endian");

std::optional<float> number_of(std::string_view text) {
  float number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// `0.5`, or a fraction, `1/255`.
std::optional<float> fraction_of(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return number_of(text);
  const std::optional<float> above = number_of(text.substr(0, slash)), below = number_of(text.substr(slash + 1));
  if (!above || !below || *below == 0) return std::nullopt;
  return *above / *below;
}

/// `0.485,0.456,0.406`.
std::vector<float> list_of(const std::string& option, const std::string& text, Request& request) {
  std::vector<float> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::optional<float> number = fraction_of(std::string_view(text).substr(begin, end - begin));
    if (!number) {
      request.problem(option,
                      fmt::format("\"{}\": expected numbers with commas between them, 0.485,0.456,0.406", text));
      return {0};
    }
    numbers.push_back(*number);
    begin = end + 1;
  }
  return numbers;
}

bool is_image(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string::npos) return false;
  std::string ending = path.substr(dot);
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".png" || ending == ".jpg" || ending == ".jpeg";
}

/// As an image sees the input: channels, height and width of one frame.
std::optional<kernels::Map> map_of(const kernels::Value& value) {
  if (value.extents.size() != 4 || value.extents[0] != 1) return std::nullopt;
  return kernels::Map{value.extents[1], value.extents[2], value.extents[3]};
}

std::vector<float> read_raw(const std::string& option, const std::string& path, const kernels::Value& value,
                            Request& request) {
  if (std::error_code error; std::filesystem::is_directory(path, error)) {
    request.problem(option, fmt::format("\"{}\" is a folder; expected a file of float32", path));
    return {};
  }
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) {
    request.problem(option, fmt::format("{}: {}", path, std::strerror(errno)));
    return {};
  }
  const std::streamoff bytes = file.tellg();
  const std::streamoff frame = value.elements() * static_cast<std::streamoff>(sizeof(float));
  if (bytes <= 0 || bytes % frame != 0) {
    request.problem(option, fmt::format("{}: {} bytes are no frames of {}; expected a multiple of {} bytes of float32",
                                        path, bytes, fmt::join(value.extents, "x"), frame));
    return {};
  }
  std::vector<float> numbers(static_cast<std::size_t>(bytes) / sizeof(float));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(numbers.data()), bytes);
  if (!file) request.problem(option, fmt::format("{}: cannot be read to its end", path));
  const auto wrong = std::ranges::find_if_not(numbers, [](float number) { return std::isfinite(number); });
  if (wrong != numbers.end()) {
    request.problem(option, fmt::format("{}: number {} is {}; expected finite float32 numbers", path,
                                        wrong - numbers.begin() + 1, *wrong));
  }
  return numbers;
}

}  // namespace

void ImageConversion::add_to(CLI::App& verb) {
  const auto add = [&verb](const std::string& name, std::string& value, const std::string& text,
                           const std::string& type) {
    verb.add_option(name, value, text)->type_name(type)->capture_default_str();
  };
  add("--scale", scale, "Image: factor of each value from 0 to 255", "NUMBER");
  add("--mean", mean, "Image: subtracted after that, for all channels or for each", "NUMBERS");
  add("--std", deviation, "Image: divisor after that, for all channels or for each", "NUMBERS");
  add("--fit", fit, "Image: resized to the input (stretch), or its middle part (crop)", "FIT");
  verb.add_flag("--bgr", bgr, "Image: blue first");
}

kernels::ImageOptions ImageConversion::read(Request& request) const {
  kernels::ImageOptions image;
  const std::optional<float> factor = fraction_of(scale);
  if (factor)
    image.scale = *factor;
  else
    request.problem("--scale", fmt::format("\"{}\": expected a number or a fraction, 1/255", scale));
  image.mean = list_of("--mean", mean, request);
  image.deviation = list_of("--std", deviation, request);
  if (std::ranges::find(image.deviation, 0.0F) != image.deviation.end())
    request.problem("--std", fmt::format("\"{}\": 0 divides nothing; expected other numbers", deviation));
  image.bgr = bgr;
  if (request.choice("--fit", "fit", fit, {"stretch", "crop"}) == 1U) image.fit = kernels::ImageFit::crop;
  return image;
}

std::vector<float> read_frames(const std::string& option, const std::string& path, const kernels::Value& value,
                               const kernels::ImageOptions& image, Request& request) {
  if (!is_image(path)) return read_raw(option, path, value, request);
  const std::optional<kernels::Map> map = map_of(value);
  if (!map) {
    request.problem(option, fmt::format("{}: input \"{}\" is {}; expected 1 x channels x height x width for an image",
                                        path, value.name, fmt::join(value.extents, "x")));
    return {};
  }
  try {
    return kernels::read_image(path, *map, image);
  } catch (const kernels::ImageError& error) {
    request.problem(option, error.what());
    return {};
  }
}

std::vector<float> noise(std::int64_t elements, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<float> numbers(static_cast<std::size_t>(elements));
  const double range = static_cast<double>(std::mt19937_64::max());
  for (float& number : numbers)
    number = static_cast<float>((static_cast<double>(generator()) / range - 0.5) * 3.4641016151377544);
  return numbers;
}

void InferInputs::add_to(CLI::App& verb) {
  verb.add_option("--input", files, "Raw float32 of one frame or several, or a PNG or JPEG; one for each input [noise]")
      ->type_name("FILE")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->expected(1);
  verb.add_option("--seed", seed, "Of the noise and of the weights of a network of the zoo")
      ->type_name("NUMBER")
      ->capture_default_str();
  conversion.add_to(verb);
}

Frames read(const InferInputs& options, std::uint64_t seed, const kernels::Program* program, Request& request) {
  const kernels::ImageOptions image = options.conversion.read(request);
  Frames frames;
  if (program == nullptr) return frames;
  if (options.files.empty()) {
    frames.origin = fmt::format("noise from seed {}", seed);
    for (const kernels::ValueId input : program->inputs)
      frames.inputs.push_back(noise(program->values[input].elements(), seed));
    return frames;
  }
  frames.origin = fmt::format("{}", fmt::join(options.files, ", "));
  if (options.files.size() != program->inputs.size()) {
    request.problem("--input", fmt::format("{} files for a network of {} inputs; expected one for each",
                                           options.files.size(), program->inputs.size()));
    return frames;
  }
  for (std::size_t position = 0; position < program->inputs.size(); ++position) {
    const kernels::Value& value = program->values[program->inputs[position]];
    frames.inputs.push_back(read_frames("--input", options.files[position], value, image, request));
    const std::size_t count = frames.inputs.back().size() / static_cast<std::size_t>(value.elements());
    if (position == 0)
      frames.count = count;
    else if (count != frames.count)
      request.problem("--input", fmt::format("{}: {} frames; expected {} as in the first file", options.files[position],
                                             count, frames.count));
  }
  return frames;
}

}  // namespace spillway::cli
