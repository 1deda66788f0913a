#include "hw/kernels/session/onednn_layer.hpp"

#include <algorithm>

#include <omp.h>

#include "hw/kernels/session/session.hpp"

namespace spillway::kernels::onednn {
namespace {

using dnnl::memory;

/// Whole lines of the cache, so that nothing in the scratch shares one.
std::size_t aligned(std::size_t bytes) {
  constexpr std::size_t alignment = 64;
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

const dnnl::engine& cpu() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

void Primitive::add_operand(int argument, std::size_t position, const Description& given, const Description& expected) {
  Operand operand{position, memory(given, cpu(), nullptr), {}, {}, 0};
  if (given == expected) {
    operand.expected = operand.given;
  } else {
    operand.expected = memory(expected, cpu(), nullptr);
    operand.reorder.emplace(operand.given, operand.expected);
    operand.scratch_offset = take_scratch(expected);
  }
  arguments_.emplace(argument, operand.expected);
  operands_.push_back(std::move(operand));
}

void Primitive::set_output(const Description& made, const Description& wanted,
                           const std::optional<std::pair<std::size_t, Description>>& accumulated) {
  wanted_ = memory(wanted, cpu(), nullptr);
  made_ = wanted_;
  if (made != wanted) {
    made_ = memory(made, cpu(), nullptr);
    after_.emplace(made_, wanted_);
    made_offset_ = take_scratch(made);
  }
  if (accumulated) {
    accumulated_position_ = accumulated->first;
    accumulated_ = memory(accumulated->second, cpu(), nullptr);
    before_.emplace(accumulated_, made_);
  }
  arguments_.emplace(DNNL_ARG_DST, made_);
}

void Primitive::add_constant(int argument, memory numbers) {
  prepared_bytes_ += numbers.get_desc().get_size();
  arguments_.emplace(argument, std::move(numbers));
}

void Primitive::run(const float* const* operands, float* output, const Execution& execution) {
  omp_set_num_threads(threads_);
  char* scratch = static_cast<char*>(execution.scratch);
  for (Operand& operand : operands_) {
    operand.given.set_data_handle(const_cast<float*>(operands[operand.position]));
    if (!operand.reorder) continue;
    operand.expected.set_data_handle(scratch + operand.scratch_offset);
    operand.reorder->execute(stream_, operand.given, operand.expected);
  }
  wanted_.set_data_handle(output);
  if (after_) made_.set_data_handle(scratch + made_offset_);
  if (before_) {
    accumulated_.set_data_handle(const_cast<float*>(operands[accumulated_position_]));
    before_->execute(stream_, accumulated_, made_);
  }
  primitive_.execute(stream_, arguments_);
  if (after_) after_->execute(stream_, made_, wanted_);
  stream_.wait();
  if (execution.progress != nullptr) execution.progress(execution.progress_argument);
}

std::string_view Primitive::library() const {
  return to_string(Backend::onednn);
}

std::size_t Primitive::take_scratch(const Description& description) {
  const std::size_t offset = scratch_bytes_;
  scratch_bytes_ += aligned(description.get_size());
  return offset;
}

ReorderedLayer::ReorderedLayer(std::unique_ptr<PreparedLayer> inner, std::size_t operands, int threads)
    : inner_(std::move(inner)),
      threads_(threads),
      stream_(cpu()),
      pointers_(operands),
      scratch_bytes_(aligned(inner_->scratch_bytes())) {}

void ReorderedLayer::add_operand(std::size_t position, const Description& given, const Description& expected) {
  Operand operand{position, memory(given, cpu(), nullptr), memory(expected, cpu(), nullptr), {}, scratch_bytes_};
  operand.reorder.emplace(operand.given, operand.expected);
  scratch_bytes_ += aligned(expected.get_size());
  operands_.push_back(std::move(operand));
}

void ReorderedLayer::run(const float* const* operands, float* output, const Execution& execution) {
  omp_set_num_threads(threads_);
  std::copy_n(operands, pointers_.size(), pointers_.begin());
  for (Operand& operand : operands_) {
    char* ordered = static_cast<char*>(execution.scratch) + operand.scratch_offset;
    operand.given.set_data_handle(const_cast<float*>(operands[operand.position]));
    operand.expected.set_data_handle(ordered);
    operand.reorder->execute(stream_, operand.given, operand.expected);
    pointers_[operand.position] = reinterpret_cast<const float*>(ordered);
  }
  stream_.wait();
  inner_->run(pointers_.data(), output, execution);
}

}  // namespace spillway::kernels::onednn
