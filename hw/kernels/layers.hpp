#pragma once

#include <cstdint>
#include <vector>

/// Float32 inference on plain arrays. C++17 and nothing but this folder, Eigen behind it, and OpenMP: the folder is
/// shipped as source with the programs that are generated for devices.
namespace spillway::kernels {

/// Number of a layer in its model, as the caller counts: it is passed with each call, so that a library of the same
/// interface that only charges time can tell the layers apart.
using LayerId = std::int32_t;

/// Feature maps of one frame: channels x height x width, row-major, width fastest.
struct Map {
  std::int64_t channels = 1, height = 1, width = 1;

  std::int64_t elements() const { return channels * height * width; }
};

/// A sliding window. Padding at the bottom and right follows from the output's size.
struct Window {
  std::int64_t kernel_height = 1, kernel_width = 1;
  std::int64_t stride_height = 1, stride_width = 1;
  std::int64_t dilation_height = 1, dilation_width = 1;
  std::int64_t pad_top = 0, pad_left = 0;
};

/// A function of one number x. a and b are its parameters.
enum class Function : std::uint8_t {
  none,            ///< x
  relu,            ///< max(x, 0)
  clip,            ///< from a to b
  leaky_relu,      ///< x below 0: a x
  elu,             ///< x below 0: a (e^x - 1)
  selu,            ///< b (x below 0: a (e^x - 1))
  celu,            ///< x below 0: a (e^(x / a) - 1)
  thresholded,     ///< 0 up to a
  shrink,          ///< x below -a: x + b; above a: x - b; otherwise 0
  sigmoid,         ///< 1 / (1 + e^-x)
  hard_sigmoid,    ///< a x + b, from 0 to 1
  hard_swish,      ///< x min(max(x / 6 + 1/2, 0), 1)
  tanh,            ///<
  softplus,        ///< ln(1 + e^x)
  softsign,        ///< x / (1 + |x|)
  exponential,     ///< e^x
  logarithm,       ///< ln x
  square_root,     ///<
  reciprocal,      ///< 1 / x
  absolute,        ///< |x|
  negative,        ///< -x
  sign,            ///< -1, 0 or 1
  floor,           ///<
  ceiling,         ///<
  round,           ///< to the nearest, halves to the even one
  error_function,  ///< erf x
  sine,
  cosine,
  tangent,
  arc_sine,
  arc_cosine,
  arc_tangent,
  hyperbolic_sine,
  hyperbolic_cosine,
  inverse_hyperbolic_sine,
  inverse_hyperbolic_cosine,
  inverse_hyperbolic_tangent,
};

struct Activation {
  Function function = Function::none;
  float a = 0, b = 0;
};

// The layers. Feature maps of several frames (`batch`) lie one behind the other. Sizes are in elements. Members stand
// in the order in which a list in braces gives them.

/// Filters [filters][input.channels / groups][kernel height][kernel width] over the input; depthwise where groups are
/// the input's channels. output.channels are the filters.
/// y = activation((sum + bias) scale + shift + residual), where what is not given is left out: a fused layer gives the
/// same bits as its parts one after the other.
struct Convolution {
  LayerId layer = 0;
  std::int64_t batch = 1, groups = 1;
  Map input, output;
  Window window;
  Activation activation;
};

/// The transpose of a convolution (a "deconvolution"): filters [input.channels][output.channels / groups][kernel
/// height] [kernel width]; the window is that of the convolution from output to input. y = activation(sum + bias).
struct TransposedConvolution {
  LayerId layer = 0;
  std::int64_t batch = 1, groups = 1;
  Map input, output;
  Window window;
  Activation activation;
};

/// Fully connected: weights [outputs][inputs]; y = activation(W x + bias).
struct Dense {
  LayerId layer = 0;
  std::int64_t batch = 1, inputs = 1, outputs = 1;
  Activation activation;
};

/// Products of matrices, [rows][inner] times [inner][columns], either stored transposed where said, `batch` of them:
/// matrix i of the result comes from the left matrix left_index[i] and the right one right_index[i] (empty: i).
struct MatrixProduct {
  LayerId layer = 0;
  std::int64_t batch = 1, rows = 1, inner = 1, columns = 1;
  bool left_transposed = false, right_transposed = false;
  std::vector<std::int64_t> left_index, right_index;
  float factor = 1;
};

enum class PoolKind : std::uint8_t {
  max,
  average,         ///< over the elements inside the map
  average_padded,  ///< over the whole window but what is behind the map and its padding
};

/// A pooling. The padding below and on the right counts for average_padded only.
struct Pool {
  LayerId layer = 0;
  std::int64_t batch = 1;
  PoolKind kind = PoolKind::max;
  Map input, output;
  Window window;
  std::int64_t pad_bottom = 0, pad_right = 0;
};

/// y = activation(scale x + shift) for each channel: batch normalization at inference.
struct Normalization {
  LayerId layer = 0;
  std::int64_t batch = 1;
  Map map;
  Activation activation;
};

/// y = scale (x - mean) / sqrt(variance + epsilon) + shift with the moments of each channel of each frame.
struct InstanceNormalization {
  LayerId layer = 0;
  std::int64_t batch = 1;
  Map map;
  float epsilon = 1e-5F;
};

/// y = x / (bias + alpha / size * sum of squares over `size` channels around) ^ beta.
struct LocalResponseNormalization {
  LayerId layer = 0;
  std::int64_t batch = 1;
  Map map;
  std::int64_t size = 1;
  float alpha = 1e-4F, beta = 0.75F, bias = 1;
};

/// A function of each number.
struct Pointwise {
  LayerId layer = 0;
  std::int64_t elements = 0;
  Activation activation;
};

enum class Operation : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  power,
  minimum,
  maximum,
  remainder,         ///< with the sign of the dividend
  slope_below_zero,  ///< x below 0: x times the second operand
  mean,              ///< the sum divided by the number of operands
};

/// Operands combined element by element, from the first to the last. Each is read with strides of its own, one for each
/// extent, 0 where it has a single element for all; an operand without strides is as the output.
struct Elementwise {
  LayerId layer = 0;
  Operation operation = Operation::add;
  std::vector<std::int64_t> extents;               ///< of the output
  std::vector<std::vector<std::int64_t>> strides;  ///< one list an operand
  Activation activation;
};

/// Softmax over the middle of [outer][axis][inner], or its logarithm.
struct Softmax {
  LayerId layer = 0;
  std::int64_t outer = 1, axis = 1, inner = 1;
  bool logarithm = false;
};

/// Inputs one behind the other in each of `outer` rows; parts: elements that each input has in a row.
struct Concat {
  LayerId layer = 0;
  std::int64_t outer = 1;
  std::vector<std::int64_t> parts;
};

/// Elements in another order: y[i0][i1]... = x[offset + i0 strides[0] + i1 strides[1] ...]. Transposition, slices,
/// expansion and channel shuffles are such.
struct Rearrangement {
  LayerId layer = 0;
  std::vector<std::int64_t> extents;  ///< of the output
  std::vector<std::int64_t> strides;  ///< in the input, one for each extent
  std::int64_t offset = 0;
};

enum class PadKind : std::uint8_t { constant, reflect, edge };

/// Margins around an array: of that value, mirrored, or of the nearest element. Negative ones cut.
struct Pad {
  LayerId layer = 0;
  std::vector<std::int64_t> extents;  ///< of the input
  std::vector<std::int64_t> before, after;
  PadKind kind = PadKind::constant;
  float value = 0;
};

enum class Reduced : std::uint8_t {
  sum,
  mean,
  maximum,
  minimum,
  product,
  l1,
  l2,
  sum_of_squares,
  log_sum,
  log_sum_exp
};

/// One number for all elements along the reduced extents.
struct Reduction {
  LayerId layer = 0;
  Reduced kind = Reduced::sum;
  std::vector<std::int64_t> extents;  ///< of the input
  std::vector<bool> reduced;          ///< one for each extent
};

/// Numbers as they are: what a shape without meaning for the data (flatten, reshape) is when it may not share memory.
struct Copy {
  LayerId layer = 0;
  std::int64_t elements = 0;
};

}  // namespace spillway::kernels
