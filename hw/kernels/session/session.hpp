#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hw/kernels/run.hpp"
#include "hw/kernels/session/program.hpp"

namespace spillway::kernels {

/// Who computes.
enum class Backend {
  eigen,   ///< the kernels beside this room: the same bits for any number of threads
  onednn,  ///< oneDNN for convolutions and dense layers where it is installed; equal to 1e-5 of the largest output
};

/// `eigen`, `onednn`.
std::string_view to_string(Backend backend);

/// Those that this build has, the default one first.
std::span<const Backend> backends();

struct SessionOptions {
  int threads = 1;
  Backend backend = backends().front();
};

/// Memory of a session, in bytes.
struct SessionMemory {
  std::size_t weights = 0;       ///< constants that the steps read, as given
  std::size_t prepared = 0;      ///< copies of weights in the order that the back-end wants
  std::size_t arena = 0;         ///< feature maps, shared by those that are never needed at once
  std::size_t largest_live = 0;  ///< what the feature maps of one step need at least
  std::size_t scratch = 0;
};

/// A program ready to run: memory planned, nothing allocated for a frame.
class Session {
 public:
  /// Throws std::invalid_argument for a program without its constants, and for a back-end that this build does not
  /// have.
  explicit Session(Program program, const SessionOptions& options = {});
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  const Program& program() const;
  const SessionMemory& memory() const;

  /// Where the numbers of an input (by its position in Program::inputs) belong, and an output's are after run(). The
  /// inputs must be written before each run: their memory is used again.
  std::span<float> input(std::size_t position);
  std::span<const float> output(std::size_t position) const;

  /// Computes one frame.
  void run();
  /// The same; adds the seconds of each step to `seconds`, which has one number a step.
  void run(std::span<double> seconds);

  /// Which library computes a step: `eigen` or `onednn`.
  std::string_view computed_by(std::size_t step) const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace spillway::kernels
