#pragma once

#include <cstddef>
#include <memory>

#include "hw/kernels/session/prepared_layer.hpp"

namespace spillway::kernels {

/// The steps of a program, one after the other, as primitives of oneDNN. Maps that travel from one primitive to the
/// next keep the layout that oneDNN chose (channels in blocks of a vector); they are put in order where the kernels
/// beside this room, a view with other extents or the caller reads them. Of the room's own.
class OneDnn {
 public:
  /// The program must outlive this object.
  OneDnn(const Program& program, int threads);
  ~OneDnn();

  /// The next step. What oneDNN does not have, or is no better at, goes to the kernels.
  std::unique_ptr<PreparedLayer> prepare(const Step& step);

  /// Bytes of a value in its layout; of one that is no map of four extents, those of its elements.
  std::size_t bytes_of(ValueId value) const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace spillway::kernels
