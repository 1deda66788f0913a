#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "hw/kernels/run.hpp"
#include "hw/kernels/session/program.hpp"

/// What a back-end is to a session. Of the room's own.
namespace spillway::kernels {

/// A step made ready once for many frames.
class PreparedLayer {
 public:
  virtual ~PreparedLayer() = default;

  /// operands: in the order of Step::inputs; null: not given.
  virtual void run(const float* const* operands, float* output, const Execution& execution) = 0;
  virtual std::size_t scratch_bytes() const = 0;
  /// Bytes of weights that it keeps in an order of its own.
  virtual std::size_t prepared_bytes() const { return 0; }
  virtual std::string_view library() const = 0;
};

/// The kernels beside this room: any step.
std::unique_ptr<PreparedLayer> prepare_eigen(const Step& step, int threads);

}  // namespace spillway::kernels
