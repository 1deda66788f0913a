#include "hw/mpi/runtime/rank.hpp"

#include <algorithm>
#include <string>

#include "hw/mpi/runtime/job.hpp"

namespace spillway::mpi {

void Inbox::expect() {
  job_->exchange.expect(number_, job_->frame());
}

const float* Inbox::wait() {
  return job_->exchange.wait(number_, job_->frame());
}

float* Outbox::reserve() {
  return job_->exchange.reserve(number_, job_->frame());
}

void Outbox::send() {
  // Reserved before, so that this waits no more.
  send(job_->exchange.reserve(number_, job_->frame()));
}

void Outbox::send(const float* numbers) {
  job_->exchange.start(number_, job_->frame(), numbers);
}

int Rank::threads() const {
  return job_->threads();
}

const float* Rank::weights(std::size_t offset, std::size_t count) const {
  return job_->weights(offset, count);
}

float* Rank::arena(std::size_t floats) {
  return job_->arena(floats);
}

void Rank::scratch(std::initializer_list<std::size_t> bytes) {
  job_->scratch(std::max(bytes));
}

int Rank::input(const char* name, std::size_t elements) {
  return job_->add_input(name, elements);
}

int Rank::output(const char* name, std::size_t elements) {
  return job_->add_output(name, elements);
}

Inbox Rank::receive(const char*, int tag, int from, std::size_t elements) {
  Inbox inbox;
  inbox.job_ = job_;
  inbox.number_ = job_->exchange.add_receive(tag, from, elements);
  return inbox;
}

Outbox Rank::send(const char*, int tag, std::initializer_list<int> to, std::size_t elements) {
  Outbox outbox;
  outbox.job_ = job_;
  outbox.number_ = job_->exchange.add_send(tag, to, elements);
  return outbox;
}

bool Rank::next_frame() {
  return job_->next_frame();
}

const float* Rank::read(int input) {
  return job_->read(input);
}

void Rank::write(int output, const float* numbers) {
  job_->write(output, numbers);
}

void Rank::layer(int number, const char* name) {
  job_->note_layer(number, name);
}

kernels::Execution Rank::execution() const {
  return job_->execution();
}

void Rank::finish_frame() {
  job_->finish_frame();
}

}  // namespace spillway::mpi
