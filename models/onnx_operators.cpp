#include <algorithm>
#include <array>

#include "models/onnx_translation.hpp"

namespace spillway::models::onnx_file {
namespace {

constexpr std::array table = {
    Translator{{"Add", "add; with a constant: batch_normalization, or the bias of the layer before it"},
               read_sum_or_product},
    Translator{{"AveragePool", "average_pool"}, read_average_pool},
    Translator{{"BatchNormalization", "batch_normalization"}, read_batch_normalization},
    Translator{{"Cast", "folded, of constants; identity, to float32"}, read_cast},
    Translator{{"Clip", "relu6 from 0 to 6, clip otherwise"}, read_clip},
    Translator{{"Concat", "concat, along the channels; folded, of constants"}, read_concat},
    Translator{{"Constant", "folded"}, read_constant},
    Translator{{"ConstantOfShape", "folded"}, read_constant_of_shape},
    Translator{{"Conv", "convolution, of two axes, with constant filters"}, read_convolution},
    Translator{{"Div", "batch_normalization, by a constant"}, read_difference_or_quotient},
    Translator{{"Dropout", "dropout"}, read_dropout},
    Translator{{"Flatten", "flatten, into a single row"}, read_flatten},
    Translator{{"Gather", "folded, of constants"}, read_gather},
    Translator{{"Gemm", "dense, with a constant matrix"}, read_gemm},
    Translator{{"GlobalAveragePool", "average_pool"}, read_global_pool},
    Translator{{"GlobalMaxPool", "max_pool"}, read_global_pool},
    Translator{{"HardSigmoid", "hard_sigmoid"}, read_activation},
    Translator{{"HardSwish", "hard_swish"}, read_activation},
    Translator{{"Identity", "identity; folded, of constants"}, read_identity},
    Translator{{"LRN", "local_response_normalization"}, read_local_response_normalization},
    Translator{{"LeakyRelu", "leaky_relu"}, read_activation},
    Translator{{"MatMul", "dense, of a single row and a constant matrix"}, read_matmul},
    Translator{{"MaxPool", "max_pool"}, read_max_pool},
    Translator{{"Mul", "multiply; with a constant: batch_normalization"}, read_sum_or_product},
    Translator{{"Pad", "merged into the convolution or pooling behind it"}, read_pad},
    Translator{{"ReduceMean", "average_pool, over height and width"}, read_reduce_mean},
    Translator{{"Relu", "relu"}, read_activation},
    Translator{{"Reshape", "reshape; folded, of constants"}, read_reshape},
    Translator{{"Shape", "folded"}, read_shape},
    Translator{{"Sigmoid", "sigmoid"}, read_activation},
    Translator{{"Softmax", "softmax, over the channels"}, read_softmax},
    Translator{{"Squeeze", "reshape; folded, of constants"}, read_squeeze},
    Translator{{"Sub", "batch_normalization, of a constant"}, read_difference_or_quotient},
    Translator{{"Sum", "add"}, read_sum_or_product},
    Translator{{"Tanh", "tanh"}, read_activation},
    Translator{{"Transpose", "transpose, of three axes at most; reshape where no data moves"}, read_transpose},
    Translator{{"Unsqueeze", "reshape; folded, of constants"}, read_unsqueeze},
};
constexpr auto type_of = [](const Translator& translator) { return translator.description.type; };
static_assert(std::ranges::is_sorted(table, {}, type_of));

}  // namespace

std::span<const Translator> translators() {
  return table;
}

const Translator* translator_of(const onnx::NodeProto& node) {
  if (!node.domain().empty() && node.domain() != "ai.onnx") return nullptr;
  const auto found = std::ranges::lower_bound(table, std::string_view(node.op_type()), {}, type_of);
  return found != table.end() && type_of(*found) == node.op_type() ? &*found : nullptr;
}

}  // namespace spillway::models::onnx_file
