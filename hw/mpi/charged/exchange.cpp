#include "hw/mpi/charged/exchange.hpp"

#include <algorithm>
#include <utility>

namespace spillway::mpi {
namespace {

/// Frames that a tag tells apart: more than the copies.
constexpr long numbered_frames = 4;

}  // namespace

std::size_t Exchange::add(std::vector<Tensor>& tensors, int tag, std::vector<Peer> peers, std::size_t floats) {
  const std::size_t requests = copies_ * peers.size();
  tensors.push_back({tag, std::move(peers), floats, std::vector<MPI_Request>(requests, MPI_REQUEST_NULL)});
  // Before the first message: no request knows the memory yet.
  numbers_.resize(std::max(numbers_.size(), floats));
  return tensors.size() - 1;
}

std::size_t Exchange::add_receive(int tag, Peer from, std::size_t floats) {
  return add(receives_, tag, {from}, floats);
}

std::size_t Exchange::add_send(int tag, std::vector<Peer> to, std::size_t floats) {
  return add(sends_, tag, std::move(to), floats);
}

MPI_Request* Exchange::requests_of(Tensor& tensor, long frame) const {
  return &tensor.requests[static_cast<std::size_t>(frame) % copies_ * tensor.peers.size()];
}

int Exchange::tag_of(const Tensor& tensor, long frame) const {
  return static_cast<int>(frame % numbered_frames) * buffers_ + tensor.tag;
}

void Exchange::expect(std::size_t number, long frame) {
  Tensor& tensor = receives_[number];
  const long ahead = std::min(frame + static_cast<long>(copies_), frames_);
  for (; tensor.posted < ahead; ++tensor.posted)
    MPI_Irecv(numbers_.data(), static_cast<int>(tensor.floats), MPI_FLOAT, tensor.peers.front().rank,
              tag_of(tensor, tensor.posted), MPI_COMM_WORLD, requests_of(tensor, tensor.posted));
}

const float* Exchange::wait(std::size_t number, long frame) {
  Tensor& tensor = receives_[number];
  MPI_Wait(requests_of(tensor, frame), MPI_STATUS_IGNORE);
  processor_.call(tensor.peers.front().call_ns);
  return numbers_.data();
}

float* Exchange::reserve(std::size_t number, long frame) {
  Tensor& tensor = sends_[number];
  MPI_Waitall(static_cast<int>(tensor.peers.size()), requests_of(tensor, frame), MPI_STATUSES_IGNORE);
  return numbers_.data();
}

void Exchange::start(std::size_t number, long frame) {
  Tensor& tensor = sends_[number];
  double call_ns = 0;
  for (const Peer& peer : tensor.peers)
    call_ns += peer.call_ns;
  processor_.call(call_ns);
  const auto begin = synchronous_ ? MPI_Issend : MPI_Isend;
  MPI_Request* request = requests_of(tensor, frame);
  for (const Peer& peer : tensor.peers)
    begin(numbers_.data(), static_cast<int>(tensor.floats), MPI_FLOAT, peer.rank, tag_of(tensor, frame), MPI_COMM_WORLD,
          request++);
}

void Exchange::wait_for_sends() {
  for (Tensor& tensor : sends_)
    MPI_Waitall(static_cast<int>(tensor.requests.size()), tensor.requests.data(), MPI_STATUSES_IGNORE);
}

}  // namespace spillway::mpi
