#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "hw/linux/runtime.hpp"
#include "hw/swap/card_header.hpp"
#include "hw/swap/layer_operator.hpp"
#include "sim/core/plan.hpp"

/// An int8 plan with its tables as a file: what a board needs beside the card to run it, without the host's libraries.
namespace spillway::execution {

/// A program file that cannot be read; the message names it and the reason.
class ProgramError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The numbers of a row, QuantizedLayer with memory of its own.
struct StoredNumbers {
  std::vector<int8::OutputChannel> channels;
  std::vector<int8::Rescale> rescales;
  int8::Rescale result;
  int8::Clamp clamp;
};

/// Everything that a run needs and that is not on the card.
struct StoredProgram {
  CardIdentity card;
  core::Plan scalars;  ///< the plan without its tables
  std::vector<core::Layer> layers;
  std::vector<core::Part> parts;
  std::vector<core::LayerIndex> consumers;
  std::vector<std::string> layer_names;
  std::vector<LayerOperator> operators;
  std::vector<StoredNumbers> numbers;

  /// The plan with its tables; valid as long as this object stays where it is.
  core::Plan plan() const;
  /// Valid likewise.
  std::vector<QuantizedLayer> quantized_layers() const;
};

/// Gathers a program of the parts of a run; `channels` of a row's OutputChannels are the row's channels.
StoredProgram stored_program(const core::Plan& plan, std::vector<std::string> layer_names,
                             const std::vector<LayerOperator>& operators, const std::vector<QuantizedLayer>& layers,
                             const CardIdentity& card);

/// "SPILLRUN", version, then every number as 8 bytes, lowest first; names as length and bytes; CRC-32 of all behind the
/// magic. Throws trace::FileError.
void write_program(const std::filesystem::path& path, const StoredProgram& program);

/// Throws ProgramError: no such file, another kind or version, a CRC that does not hold, tables that do not fit
/// together.
StoredProgram read_program(const std::filesystem::path& path);

}  // namespace spillway::execution
