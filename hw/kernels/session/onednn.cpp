#include "hw/kernels/session/onednn.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <dnnl.hpp>
#include <omp.h>

#include "hw/kernels/session/onednn_layer.hpp"
#include "hw/kernels/session/session.hpp"

namespace spillway::kernels {
namespace {

using dnnl::algorithm;
using dnnl::memory;
using dnnl::prop_kind;
using onednn::cpu;
using onednn::Description;
using onednn::Primitive;
using onednn::ReorderedLayer;

constexpr auto f32 = memory::data_type::f32;

Description plain(const memory::dims& dims) {
  return {dims, f32, memory::format_tag::abcd};
}

Description any_layout(const memory::dims& dims) {
  return {dims, f32, memory::format_tag::any};
}

Description vector_of(std::int64_t count) {
  return {{count}, f32, memory::format_tag::a};
}

memory::dims dims_of(std::int64_t batch, const Map& map) {
  return {batch, map.channels, map.height, map.width};
}

/// Padding behind the map on one axis that makes the output's extent come out.
std::int64_t padding_behind(std::int64_t output, std::int64_t stride, std::int64_t span, std::int64_t input,
                            std::int64_t before) {
  return std::max<std::int64_t>(0, (output - 1) * stride + span - input - before);
}

/// Appends the activation; false: oneDNN has none like it.
bool append(dnnl::post_ops& operations, const Activation& activation) {
  switch (activation.function) {
    case Function::none:
      return true;
    case Function::relu:
      operations.append_eltwise(1, algorithm::eltwise_relu, 0, 0);
      return true;
    case Function::leaky_relu:
      operations.append_eltwise(1, algorithm::eltwise_relu, activation.a, 0);
      return true;
    case Function::clip:
      operations.append_eltwise(1, algorithm::eltwise_clip, activation.a, activation.b);
      return true;
    case Function::sigmoid:
      operations.append_eltwise(1, algorithm::eltwise_logistic, 0, 0);
      return true;
    case Function::tanh:
      operations.append_eltwise(1, algorithm::eltwise_tanh, 0, 0);
      return true;
    case Function::elu:
      operations.append_eltwise(1, algorithm::eltwise_elu, activation.a, 0);
      return true;
    case Function::hard_sigmoid:
      operations.append_eltwise(1, algorithm::eltwise_linear, activation.a, activation.b);
      operations.append_eltwise(1, algorithm::eltwise_clip, 0, 1);
      return true;
    default:
      return false;
  }
}

}  // namespace

class OneDnn::Implementation {
 public:
  Implementation(const Program& program, int threads)
      : program_(program), threads_(threads), layouts_(program.values.size()), ordered_(program.values.size(), false) {
    omp_set_num_threads(threads);
    for (const Value& value : program.values)
      if (value.same_as != no_value) ordered_[program.storage_of(value.same_as)] = true;
    for (const ValueId output : program.outputs)
      ordered_[program.storage_of(output)] = true;
  }

  std::unique_ptr<PreparedLayer> prepare(const Step& step) {
    std::unique_ptr<PreparedLayer> layer = std::visit([&](const auto& any) { return make(any, step); }, step.layer);
    return layer != nullptr ? std::move(layer) : kernel(step);
  }

  std::size_t bytes_of(ValueId value) const {
    return layouts_[value] ? layouts_[value]->get_size()
                           : static_cast<std::size_t>(program_.values[value].elements()) * sizeof(float);
  }

 private:
  using Layered = std::unique_ptr<PreparedLayer>;

  /// The layout of an input that has these extents.
  Description layout(ValueId value, const memory::dims& dims) const {
    return layouts_[value] ? *layouts_[value] : plain(dims);
  }

  /// The layout that the output is to have when the primitive would make it in `made`.
  Description choose(ValueId value, const Description& made, const memory::dims& dims) {
    if (ordered_[value] || made == plain(dims)) return plain(dims);
    layouts_[value] = made;
    return made;
  }

  bool is_constant(ValueId value) const {
    return value == no_value || program_.values[program_.storage_of(value)].is_constant;
  }

  std::span<const float> numbers(ValueId value) const {
    return program_.values[program_.storage_of(value)].numbers.values();
  }

  static memory copy_of(const std::vector<float>& numbers) {
    memory made(vector_of(static_cast<std::int64_t>(numbers.size())), cpu());
    std::ranges::copy(numbers, static_cast<float*>(made.get_data_handle()));
    return made;
  }

  template <typename Other>
  Layered make(const Other&, const Step&) {
    return nullptr;
  }

  Layered make(const Convolution& layer, const Step& step) {
    if (!std::all_of(step.inputs.begin() + 1, step.inputs.begin() + 5, [&](ValueId id) { return is_constant(id); }))
      return nullptr;
    const ValueId residual = step.inputs[5];
    dnnl::post_ops operations;
    if (residual != no_value) operations.append_sum(1);
    if (!append(operations, layer.activation)) return nullptr;
    dnnl::primitive_attr attributes;
    attributes.set_post_ops(operations);

    const Window& window = layer.window;
    const memory::dims input = dims_of(layer.batch, layer.input), output = dims_of(layer.batch, layer.output);
    const std::int64_t channels = layer.input.channels / layer.groups, filters = layer.output.channels / layer.groups;
    const memory::dims filter_dims =
        layer.groups == 1 ? memory::dims{filters, channels, window.kernel_height, window.kernel_width}
                          : memory::dims{layer.groups, filters, channels, window.kernel_height, window.kernel_width};
    const std::int64_t span_height = (window.kernel_height - 1) * window.dilation_height + 1;
    const std::int64_t span_width = (window.kernel_width - 1) * window.dilation_width + 1;
    const memory::dims behind = {
        padding_behind(layer.output.height, window.stride_height, span_height, layer.input.height, window.pad_top),
        padding_behind(layer.output.width, window.stride_width, span_width, layer.input.width, window.pad_left)};
    const dnnl::convolution_forward::desc description(
        prop_kind::forward_inference, algorithm::convolution_direct, any_layout(input), any_layout(filter_dims),
        vector_of(layer.output.channels), any_layout(output), {window.stride_height, window.stride_width},
        {window.dilation_height - 1, window.dilation_width - 1}, {window.pad_top, window.pad_left}, behind);
    const dnnl::convolution_forward::primitive_desc choice(description, attributes, cpu());

    auto made = std::make_unique<Primitive>(threads_);
    made->add_operand(DNNL_ARG_SRC, 0, layout(step.inputs[0], input), choice.src_desc());
    add_filters(*made, layer, step, filter_dims, choice.weights_desc());
    std::optional<std::pair<std::size_t, Description>> accumulated;
    if (residual != no_value) accumulated.emplace(5, layout(residual, output));
    made->set_output(choice.dst_desc(), choose(step.output, choice.dst_desc(), output), accumulated);
    made->set_primitive(dnnl::convolution_forward(choice));
    return made;
  }

  /// Filters and bias with the normalization folded in.
  void add_filters(Primitive& made, const Convolution& layer, const Step& step, const memory::dims& dims,
                   const Description& wanted) {
    const std::span<const float> filters = numbers(step.inputs[1]);
    const std::size_t count = static_cast<std::size_t>(layer.output.channels), size = filters.size() / count;
    std::vector<float> bias(count, 0.0F);
    if (step.inputs[2] != no_value) std::ranges::copy(numbers(step.inputs[2]), bias.begin());
    memory ordered({dims, f32, dims.size() == 5 ? memory::format_tag::abcde : memory::format_tag::abcd}, cpu());
    float* const to = static_cast<float*>(ordered.get_data_handle());
    std::ranges::copy(filters, to);
    if (step.inputs[3] != no_value) {
      const std::span<const float> scale = numbers(step.inputs[3]), shift = numbers(step.inputs[4]);
      for (std::size_t filter = 0; filter < count; ++filter) {
        bias[filter] = bias[filter] * scale[filter] + shift[filter];
        for (std::size_t i = 0; i < size; ++i)
          to[filter * size + i] *= scale[filter];
      }
    }
    memory prepared(wanted, cpu());
    dnnl::stream stream(cpu());
    dnnl::reorder(ordered, prepared).execute(stream, ordered, prepared);
    stream.wait();
    made.add_constant(DNNL_ARG_WEIGHTS, std::move(prepared));
    made.add_constant(DNNL_ARG_BIAS, copy_of(bias));
  }

  Layered make(const Pool& layer, const Step& step) {
    const Window& window = layer.window;
    const Map& map = layer.input;
    const memory::dims behind = {
        padding_behind(layer.output.height, window.stride_height, window.kernel_height, map.height, window.pad_top),
        padding_behind(layer.output.width, window.stride_width, window.kernel_width, map.width, window.pad_left)};
    const bool beyond_padding = behind[0] > layer.pad_bottom || behind[1] > layer.pad_right;
    if (window.dilation_height != 1 || window.dilation_width != 1 ||
        (layer.kind == PoolKind::average_padded && beyond_padding))
      return nullptr;
    const algorithm kind = layer.kind == PoolKind::max              ? algorithm::pooling_max
                           : layer.kind == PoolKind::average_padded ? algorithm::pooling_avg_include_padding
                                                                    : algorithm::pooling_avg_exclude_padding;
    const memory::dims input = dims_of(layer.batch, map), output = dims_of(layer.batch, layer.output);
    const Description given = layout(step.inputs[0], input);
    const dnnl::pooling_forward::desc description(
        prop_kind::forward_inference, kind, given, any_layout(output), {window.stride_height, window.stride_width},
        {window.kernel_height, window.kernel_width}, {window.pad_top, window.pad_left}, behind);
    const dnnl::pooling_forward::primitive_desc choice(description, cpu());
    return simple(step, dnnl::pooling_forward(choice), given, choice.dst_desc(), output);
  }

  Layered make(const Normalization& layer, const Step& step) {
    const bool relu = layer.activation.function == Function::relu;
    if ((!relu && layer.activation.function != Function::none) || !is_constant(step.inputs[1]) ||
        !is_constant(step.inputs[2]))
      return nullptr;
    using Flags = dnnl::normalization_flags;
    Flags flags = Flags::use_global_stats | Flags::use_scale | Flags::use_shift;
    if (relu) flags |= Flags::fuse_norm_relu;
    const memory::dims dims = dims_of(layer.batch, layer.map);
    const Description given = layout(step.inputs[0], dims);
    const dnnl::batch_normalization_forward::desc description(prop_kind::forward_inference, given, 0, flags);
    const dnnl::batch_normalization_forward::primitive_desc choice(description, cpu());
    auto made = std::make_unique<Primitive>(threads_);
    made->add_operand(DNNL_ARG_SRC, 0, given, given);
    const std::size_t count = static_cast<std::size_t>(layer.map.channels);
    made->add_constant(DNNL_ARG_MEAN, copy_of(std::vector<float>(count, 0.0F)));
    made->add_constant(DNNL_ARG_VARIANCE, copy_of(std::vector<float>(count, 1.0F)));
    const std::span<const float> scale = numbers(step.inputs[1]), shift = numbers(step.inputs[2]);
    made->add_constant(DNNL_ARG_SCALE, copy_of({scale.begin(), scale.end()}));
    made->add_constant(DNNL_ARG_SHIFT, copy_of({shift.begin(), shift.end()}));
    made->set_output(choice.dst_desc(), choose(step.output, choice.dst_desc(), dims));
    made->set_primitive(dnnl::batch_normalization_forward(choice));
    return made;
  }

  Layered make(const LocalResponseNormalization& layer, const Step& step) {
    if (layer.size % 2 == 0) return nullptr;
    const memory::dims dims = dims_of(layer.batch, layer.map);
    const Description given = layout(step.inputs[0], dims);
    const dnnl::lrn_forward::desc description(prop_kind::forward_inference, algorithm::lrn_across_channels, given,
                                              layer.size, layer.alpha, layer.beta, layer.bias);
    const dnnl::lrn_forward::primitive_desc choice(description, cpu());
    return simple(step, dnnl::lrn_forward(choice), given, choice.dst_desc(), dims);
  }

  /// The sum of two maps that no convolution could take.
  Layered make(const Elementwise& layer, const Step& step) {
    const bool plain_sum = layer.operation == Operation::add && layer.strides.size() == 2 && layer.strides[0].empty() &&
                           layer.strides[1].empty() && layer.extents.size() == 3;
    if (!plain_sum || (!layouts_[step.inputs[0]] && !layouts_[step.inputs[1]])) return nullptr;
    dnnl::post_ops operations;
    if (!append(operations, layer.activation)) return nullptr;
    dnnl::primitive_attr attributes;
    attributes.set_post_ops(operations);
    const memory::dims dims = {1, layer.extents[0], layer.extents[1], layer.extents[2]};
    const Description left = layout(step.inputs[0], dims), right = layout(step.inputs[1], dims);
    const Description common = layouts_[step.inputs[0]] ? left : right;
    const dnnl::binary::desc description(algorithm::binary_add, common, common, common);
    const dnnl::binary::primitive_desc choice(description, attributes, cpu());
    auto made = std::make_unique<Primitive>(threads_);
    made->add_operand(DNNL_ARG_SRC_0, 0, left, common);
    made->add_operand(DNNL_ARG_SRC_1, 1, right, common);
    made->set_output(common, choose(step.output, common, dims));
    made->set_primitive(dnnl::binary(choice));
    return made;
  }

  Layered make(const Concat&, const Step& step) {
    const bool any_blocked = std::ranges::any_of(step.inputs, [&](ValueId id) { return layouts_[id].has_value(); });
    // Along the channels of maps: a program read from ONNX joins other arrays and axes, too.
    const memory::dims& output = program_.values[step.output].extents;
    const bool of_channels = std::ranges::all_of(step.inputs, [&](ValueId id) {
      const memory::dims& part = program_.values[id].extents;
      return part.size() == 4 && output.size() == 4 && part[0] == 1 && output[0] == 1 && part[2] == output[2] &&
             part[3] == output[3];
    });
    if (!of_channels || !any_blocked) return nullptr;
    std::vector<Description> given;
    for (const ValueId input : step.inputs)
      given.push_back(layout(input, program_.values[input].extents));
    const dnnl::concat::primitive_desc choice(1, given, cpu());
    auto made = std::make_unique<Primitive>(threads_);
    for (std::size_t input = 0; input < given.size(); ++input)
      made->add_operand(DNNL_ARG_MULTIPLE_SRC + static_cast<int>(input), input, given[input], given[input]);
    made->set_output(choice.dst_desc(), choose(step.output, choice.dst_desc(), output));
    made->set_primitive(dnnl::concat(choice));
    return made;
  }

  Layered simple(const Step& step, dnnl::primitive primitive, const Description& given, const Description& made_layout,
                 const memory::dims& output) {
    auto made = std::make_unique<Primitive>(threads_);
    made->add_operand(DNNL_ARG_SRC, 0, given, given);
    made->set_output(made_layout, choose(step.output, made_layout, output));
    made->set_primitive(std::move(primitive));
    return made;
  }

  Layered kernel(const Step& step) {
    Layered inner = prepare_eigen(step, threads_);
    const auto blocked = [&](ValueId id) { return id != no_value && layouts_[program_.storage_of(id)].has_value(); };
    if (std::ranges::none_of(step.inputs, blocked)) return inner;
    auto made = std::make_unique<ReorderedLayer>(std::move(inner), step.inputs.size(), threads_);
    for (std::size_t input = 0; input < step.inputs.size(); ++input) {
      if (!blocked(step.inputs[input])) continue;
      const Description& given = *layouts_[program_.storage_of(step.inputs[input])];
      made->add_operand(input, given, plain(given.dims()));
    }
    return made;
  }

  const Program& program_;
  int threads_;
  std::vector<std::optional<Description>> layouts_;  ///< by value; empty: row-major
  std::vector<bool> ordered_;                        ///< values that must be row-major
};

OneDnn::OneDnn(const Program& program, int threads)
    : implementation_(std::make_unique<Implementation>(program, threads)) {}
OneDnn::~OneDnn() = default;

std::unique_ptr<PreparedLayer> OneDnn::prepare(const Step& step) {
  return implementation_->prepare(step);
}

std::size_t OneDnn::bytes_of(ValueId value) const {
  return implementation_->bytes_of(value);
}

}  // namespace spillway::kernels
