#include <utility>

#include "hw/kernels/session/prepared_layer.hpp"
#include "hw/kernels/session/session.hpp"

namespace spillway::kernels {
namespace {

/// Calls run() with the operands that the layer has.
class Call {
 public:
  Call(const float* const* operands, float* output, const Execution& execution)
      : in_(operands), output_(output), execution_(execution) {}

  void operator()(const Convolution& layer) const {
    kernels::run(layer, in_[0], {in_[1], in_[2], in_[3], in_[4]}, in_[5], output_, execution_);
  }
  void operator()(const TransposedConvolution& layer) const {
    kernels::run(layer, in_[0], in_[1], in_[2], output_, execution_);
  }
  void operator()(const Dense& layer) const {
    kernels::run(layer, in_[0], DenseWeights{in_[1], in_[2]}, output_, execution_);
  }
  void operator()(const MatrixProduct& layer) const { kernels::run(layer, in_[0], in_[1], output_, execution_); }
  void operator()(const Normalization& layer) const {
    kernels::run(layer, in_[0], in_[1], in_[2], output_, execution_);
  }
  void operator()(const InstanceNormalization& layer) const {
    kernels::run(layer, in_[0], in_[1], in_[2], output_, execution_);
  }
  void operator()(const Elementwise& layer) const { kernels::run(layer, in_, output_, execution_); }
  void operator()(const Concat& layer) const { kernels::run(layer, in_, output_, execution_); }
  template <typename OneInput>
  void operator()(const OneInput& layer) const {
    kernels::run(layer, in_[0], output_, execution_);
  }

 private:
  const float* const* in_;
  float* output_;
  const Execution& execution_;
};

class EigenLayer : public PreparedLayer {
 public:
  EigenLayer(Layer layer, int threads) : layer_(std::move(layer)), threads_(threads) {}

  void run(const float* const* operands, float* output, const Execution& execution) override {
    std::visit(Call(operands, output, execution), layer_);
  }

  std::size_t scratch_bytes() const override {
    return std::visit(
        [this](const auto& layer) -> std::size_t {
          if constexpr (requires { kernels::scratch_bytes(layer, threads_); })
            return kernels::scratch_bytes(layer, threads_);
          else
            return 0;
        },
        layer_);
  }

  std::string_view library() const override { return to_string(Backend::eigen); }

 private:
  Layer layer_;
  int threads_;
};

}  // namespace

std::unique_ptr<PreparedLayer> prepare_eigen(const Step& step, int threads) {
  return std::make_unique<EigenLayer>(step.layer, threads);
}

}  // namespace spillway::kernels
