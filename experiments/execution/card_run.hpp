#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "experiments/execution/quantized_run.hpp"
#include "hw/linux/card_file.hpp"
#include "hw/linux/runtime.hpp"

namespace spillway::experiments {

/// How a run's outputs compare with those of the network in one piece.
struct Verdict {
  std::uint32_t frames = 0;
  std::uint64_t numbers = 0, different = 0;
  std::uint32_t first_frame = 0;  ///< with a difference

  bool same() const { return different == 0; }
};

/// A quantised network run from a card's file.
class CardRun {
 public:
  /// Throws execution::NotExecutable where an output would not be there for every frame.
  CardRun(const QuantizedRun& program, std::filesystem::path path, execution::Access access);

  /// Makes the card anew. `frames` are the inputs, one after the other, by channel, row, column; the plan's frames take
  /// them in turn, from the first again behind the last. Throws execution::CardError.
  void write(std::span<const float> frames) const;

  /// Throws execution::CardError.
  execution::RunResult run(const execution::RunOptions& options) const;

  std::uint32_t frames() const { return program_.plan().frames; }
  std::size_t outputs() const { return program_.table().outputs().size(); }

  /// The numbers of an output of a frame after run(), by channel, row, column. Throws execution::CardError.
  std::vector<float> output(std::size_t output, std::uint32_t frame) const;

  /// Computes all frames in one piece and compares. Throws execution::CardError.
  Verdict compare_in_core(std::span<const float> frames) const;

  /// Writes all frames' outputs as raw float32. Throws execution::CardError, trace::FileError.
  void write_outputs(const std::filesystem::path& path) const;

 private:
  std::vector<std::int8_t> raw_output(std::size_t output, std::uint32_t frame) const;
  std::span<const float> input_of(std::span<const float> frames, std::uint32_t frame) const;

  const QuantizedRun& program_;
  std::filesystem::path path_;
  execution::Access access_;
};

}  // namespace spillway::experiments
