#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "models/split/split.hpp"

/// What each rank does for a frame, made once: the generated program and the simulator both carry it out.
namespace spillway::split {

/// How ranks exchange results.
enum class Communication {
  paper,    ///< AutoDiCE's: one copy of each buffer; a frame ends when its sends are complete
  overlap,  ///< two copies: the next frame is received while this one is computed, and sends go on behind its end
};

/// Copies of each buffer at each end: frame f uses copy f mod slots.
constexpr std::size_t slots(Communication communication) {
  return communication == Communication::paper ? 1 : 2;
}

/// One step of a rank. `index` is a position in Split::buffers, or a NodeId where said.
struct Step {
  enum class Kind {
    expect,   ///< post the receives of the buffer for the frames up to slots - 1 ahead that are not posted yet
    read,     ///< NodeId: take the frame's input of the network
    wait,     ///< until the buffer has arrived
    reserve,  ///< until the sends of the buffer from slots frames ago are complete, so that it may be written
    compute,  ///< NodeId: the layer
    send,     ///< begin to send the buffer to its destinations; they give back-pressure: complete when received
    write,    ///< NodeId: the frame's result of the network is there
    finish,   ///< paper: until all sends of the frame are complete; overlap: nothing
  };
  Kind kind = Kind::finish;
  std::size_t index = 0;

  friend bool operator==(const Step&, const Step&) = default;
};

std::string_view to_string(Step::Kind kind);

/// The steps of one frame, by rank. Receives are posted ahead of everything, waits stand before the first layer that
/// needs the buffer, a buffer is sent as soon as it is made. Layers are in the network's order, so that the ranks never
/// wait for each other in a circle.
using Schedule = std::vector<std::vector<Step>>;

Schedule make_schedule(const models::Network& network, const Split& split);

}  // namespace spillway::split
