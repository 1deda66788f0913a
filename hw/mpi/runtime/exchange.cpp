#include "hw/mpi/runtime/exchange.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <unistd.h>

#include "hw/mpi/runtime/options.hpp"

namespace spillway::mpi {
namespace {

constexpr std::size_t floats_in_line = 16;
/// Frames that a tag tells apart: more than the copies, so that a message of a wrong frame is never taken.
constexpr long numbered_frames = 4;

/// A few looks without sleep, for what is about to arrive; then sleeps that grow to a bound.
class Patience {
 public:
  void sleep() {
    if (looks_++ < quick_looks) return;
    ::usleep(microseconds_);
    microseconds_ = std::min(microseconds_ * 2, most_microseconds);
  }

 private:
  static constexpr int quick_looks = 8;
  static constexpr useconds_t most_microseconds = 500;
  int looks_ = 0;
  useconds_t microseconds_ = 20;
};

}  // namespace

void wait_asleep(MPI_Request request) {
  Patience patience;
  for (int done = 0;; patience.sleep()) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
  }
}

Copies::Copies(std::size_t floats, std::size_t copies)
    : copies_(copies),
      stride_((floats + floats_in_line - 1) / floats_in_line * floats_in_line),
      offset_(0),
      numbers_(stride_ * copies + floats_in_line) {
  const std::size_t over = reinterpret_cast<std::uintptr_t>(numbers_.data()) / sizeof(float) % floats_in_line;
  offset_ = (floats_in_line - over) % floats_in_line;
}

Exchange::Exchange(MPI_Comm communicator, std::size_t copies, int buffers, bool synchronous, long frames)
    : communicator_(communicator), copies_(copies), buffers_(buffers), synchronous_(synchronous), frames_(frames) {
  int* largest = nullptr;
  int known = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest, &known);
  const int most = known != 0 ? *largest : 32767;
  if (buffers > most / numbered_frames)
    throw JobError(1, "the MPI library has " + std::to_string(most) + " tags, too few for " + std::to_string(buffers) +
                          " buffers");
}

int Exchange::tag_of(int tag, long frame) const {
  return static_cast<int>(frame % numbered_frames) * buffers_ + tag;
}

std::size_t Exchange::add_receive(int tag, int from, std::size_t floats) {
  receives_.push_back({tag, from, floats, Copies(floats, copies_), requests_.size()});
  requests_.resize(requests_.size() + copies_, MPI_REQUEST_NULL);
  completed_.resize(requests_.size());
  return receives_.size() - 1;
}

std::size_t Exchange::add_send(int tag, std::vector<int> to, std::size_t floats) {
  const std::size_t destinations = to.size();
  sends_.push_back({tag, std::move(to), floats, Copies(floats, copies_), requests_.size()});
  requests_.resize(requests_.size() + copies_ * destinations, MPI_REQUEST_NULL);
  completed_.resize(requests_.size());
  return sends_.size() - 1;
}

void Exchange::expect(std::size_t number, long frame) {
  Receive& receive = receives_[number];
  const long ahead = std::min(frame + static_cast<long>(copies_), frames_);
  for (; receive.posted < ahead; ++receive.posted)
    MPI_Irecv(receive.copies.of(receive.posted), static_cast<int>(receive.floats), MPI_FLOAT, receive.from,
              tag_of(receive.tag, receive.posted), communicator_,
              &requests_[receive.requests + static_cast<std::size_t>(receive.posted) % copies_]);
}

const float* Exchange::wait(std::size_t number, long frame) {
  Receive& receive = receives_[number];
  wait_for(receive.requests + static_cast<std::size_t>(frame) % copies_, 1, receive_wait_);
  return receive.copies.of(frame);
}

float* Exchange::reserve(std::size_t number, long frame) {
  Send& send = sends_[number];
  wait_for(send.requests + static_cast<std::size_t>(frame) % copies_ * send.to.size(), send.to.size(), send_wait_);
  return send.copies.of(frame);
}

void Exchange::start(std::size_t number, long frame, const float* numbers) {
  const Send& send = sends_[number];
  MPI_Request* request = &requests_[send.requests + static_cast<std::size_t>(frame) % copies_ * send.to.size()];
  // A send that completes only when it is received keeps a fast rank from running ahead of a slow one.
  const auto begin = synchronous_ ? MPI_Issend : MPI_Isend;
  for (const int destination : send.to)
    begin(const_cast<float*>(numbers), static_cast<int>(send.floats), MPI_FLOAT, destination, tag_of(send.tag, frame),
          communicator_, request++);
}

void Exchange::wait_for_sends() {
  for (const Send& send : sends_)
    wait_for(send.requests, copies_ * send.to.size(), send_wait_);
}

void Exchange::progress() {
  int count = 0;
  MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, completed_.data(), MPI_STATUSES_IGNORE);
}

bool Exchange::complete(std::size_t first, std::size_t count) const {
  return std::all_of(requests_.begin() + static_cast<std::ptrdiff_t>(first),
                     requests_.begin() + static_cast<std::ptrdiff_t>(first + count),
                     [](MPI_Request request) { return request == MPI_REQUEST_NULL; });
}

void Exchange::wait_for(std::size_t first, std::size_t count, double& waited) {
  if (complete(first, count)) return;
  const double begin = MPI_Wtime();
  Patience patience;
  for (progress(); !complete(first, count); progress())
    patience.sleep();
  waited += MPI_Wtime() - begin;
}

}  // namespace spillway::mpi
