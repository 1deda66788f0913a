#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <dnnl.hpp>

#include "hw/kernels/session/prepared_layer.hpp"

/// Steps that oneDNN computes, or the kernels on operands that oneDNN has laid out. Inside the back-end only.
namespace spillway::kernels::onednn {

using Description = dnnl::memory::desc;

/// One for the process: primitives made with it are shared by nobody else.
const dnnl::engine& cpu();

/// An operand of a step, put in order before the step runs where its layout is not the one expected.
struct Operand {
  std::size_t position = 0;      ///< among the step's inputs
  dnnl::memory given, expected;  ///< the same object where no reorder is needed
  std::optional<dnnl::reorder> reorder;
  std::size_t scratch_offset = 0;  ///< of `expected`, in bytes
};

/// A primitive, with the reorders around it.
class Primitive : public PreparedLayer {
 public:
  explicit Primitive(int threads) : threads_(threads), stream_(cpu()) {}

  void add_operand(int argument, std::size_t position, const Description& given, const Description& expected);

  /// `accumulated`: the operand that the primitive adds to what the output holds before.
  void set_output(const Description& made, const Description& wanted,
                  const std::optional<std::pair<std::size_t, Description>>& accumulated = std::nullopt);

  /// Numbers that the primitive keeps.
  void add_constant(int argument, dnnl::memory numbers);

  void set_primitive(dnnl::primitive primitive) { primitive_ = std::move(primitive); }

  void run(const float* const* operands, float* output, const Execution& execution) override;

  std::size_t scratch_bytes() const override { return scratch_bytes_; }
  std::size_t prepared_bytes() const override { return prepared_bytes_; }
  std::string_view library() const override;

 private:
  std::size_t take_scratch(const Description& description);

  int threads_;
  dnnl::stream stream_;
  dnnl::primitive primitive_;
  std::unordered_map<int, dnnl::memory> arguments_;
  std::vector<Operand> operands_;
  dnnl::memory made_, wanted_, accumulated_;
  std::optional<dnnl::reorder> before_, after_;
  std::size_t accumulated_position_ = 0, made_offset_ = 0, scratch_bytes_ = 0, prepared_bytes_ = 0;
};

/// A step of the kernels with operands that lie in oneDNN's layouts.
class ReorderedLayer : public PreparedLayer {
 public:
  ReorderedLayer(std::unique_ptr<PreparedLayer> inner, std::size_t operands, int threads);

  void add_operand(std::size_t position, const Description& given, const Description& expected);

  void run(const float* const* operands, float* output, const Execution& execution) override;

  std::size_t scratch_bytes() const override { return scratch_bytes_; }
  std::string_view library() const override { return inner_->library(); }

 private:
  std::unique_ptr<PreparedLayer> inner_;
  int threads_;
  dnnl::stream stream_;
  std::vector<Operand> operands_;
  std::vector<const float*> pointers_;
  std::size_t scratch_bytes_;
};

}  // namespace spillway::kernels::onednn
