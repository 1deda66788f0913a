// Trains the wide classifier of Fashion-MNIST whose int8 form is tests/models/data/fmnist_wide_int8.onnx: two small
// convolutions and a dense layer that no microcontroller holds. scripts/train-wide-network calls it.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "models/layers.hpp"
#include "models/onnx_writer.hpp"

namespace spillway {
namespace {

using Matrix = Eigen::MatrixXf;
using Random = std::mt19937;

constexpr int side = 28, classes = 10, batch = 64, epochs = 3;
constexpr int first_filters = 16, second_filters = 32, hidden = 700;
constexpr float peak_rate = 0.03F, momentum = 0.9F, decay = 1e-4F;

/// The bytes behind the header of an IDX file.
std::vector<std::uint8_t> read_idx(const std::string& path, std::size_t header) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
  if (bytes.size() <= header) throw std::runtime_error(path + ": no IDX file");
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(header));
  return bytes;
}

struct Data {
  std::vector<std::uint8_t> pixels, labels;

  Data(const std::string& folder, const std::string& name)
      : pixels(read_idx(folder + "/" + name + "-images-idx3-ubyte", 16)),
        labels(read_idx(folder + "/" + name + "-labels-idx1-ubyte", 8)) {}
};

/// Weights (outputs x inputs) and bias with their gradients and momenta.
struct Parameters {
  Matrix weights, weights_gradient, weights_momentum;
  Eigen::VectorXf bias, bias_gradient, bias_momentum;

  Parameters(int outputs, int inputs, Random& random)
      : weights(outputs, inputs),
        weights_momentum(Matrix::Zero(outputs, inputs)),
        bias(Eigen::VectorXf::Zero(outputs)),
        bias_momentum(Eigen::VectorXf::Zero(outputs)) {
    std::normal_distribution<float> normal(0, std::sqrt(2.0F / static_cast<float>(inputs)));
    for (float& weight : weights.reshaped())
      weight = normal(random);
  }

  void step(float rate) {
    weights_momentum = momentum * weights_momentum + weights_gradient + decay * weights;
    bias_momentum = momentum * bias_momentum + bias_gradient;
    weights -= rate * weights_momentum;
    bias -= rate * bias_momentum;
  }
};

/// Maps of a batch: a row for each channel, a column for each position of each image.
/// 3x3 convolution with padding 1 as a product with the windows, [row][column][channel] each.
class Convolution {
 public:
  Convolution(int filters, int channels, int size, Random& random)
      : parameters(filters, 9 * channels, random), channels_(channels), size_(size) {}

  Matrix forward(const Matrix& input) {
    windows_ = Matrix::Zero(9 * channels_, input.cols());
    for_each_tap(input.cols(), [&](Eigen::Index to, Eigen::Index from, int row) {
      windows_.block(row, to, channels_, 1) = input.col(from);
    });
    return (parameters.weights * windows_).colwise() + parameters.bias;
  }

  Matrix backward(const Matrix& gradient) {
    parameters.weights_gradient = gradient * windows_.transpose();
    parameters.bias_gradient = gradient.rowwise().sum();
    const Matrix windows = parameters.weights.transpose() * gradient;
    Matrix input = Matrix::Zero(channels_, gradient.cols());
    for_each_tap(gradient.cols(), [&](Eigen::Index to, Eigen::Index from, int row) {
      input.col(from) += windows.block(row, to, channels_, 1);
    });
    return input;
  }

  Parameters parameters;

 private:
  template <typename Visit>
  void for_each_tap(Eigen::Index columns, Visit visit) const {
    const int positions = size_ * size_;
    for (Eigen::Index at = 0; at < columns; ++at) {
      const int y = static_cast<int>(at) % positions / size_, x = static_cast<int>(at) % size_;
      for (int i = -1; i <= 1; ++i)
        for (int j = -1; j <= 1; ++j)
          if (y + i >= 0 && y + i < size_ && x + j >= 0 && x + j < size_)
            visit(at, at + i * size_ + j, ((i + 1) * 3 + j + 1) * channels_);
    }
  }

  int channels_, size_;
  Matrix windows_;
};

/// ReLU, then the largest of 2x2.
class Pool {
 public:
  explicit Pool(int size) : size_(size) {}

  Matrix forward(const Matrix& input) {
    const int half = size_ / 2;
    Matrix output(input.rows(), input.cols() / 4);
    from_.resize(input.rows(), output.cols());
    columns_ = input.cols();
    for (Eigen::Index at = 0; at < output.cols(); ++at) {
      const Eigen::Index image = at / (half * half), y = at % (half * half) / half, x = at % half;
      const Eigen::Index corner = (image * size_ + 2 * y) * size_ + 2 * x;
      for (Eigen::Index c = 0; c < input.rows(); ++c) {
        float most = 0;
        from_(c, at) = -1;
        for (const Eigen::Index tap : {corner, corner + 1, corner + size_, corner + size_ + 1}) {
          if (input(c, tap) <= most) continue;
          most = input(c, tap);
          from_(c, at) = tap;
        }
        output(c, at) = most;
      }
    }
    return output;
  }

  Matrix backward(const Matrix& gradient) const {
    Matrix input = Matrix::Zero(gradient.rows(), columns_);
    for (Eigen::Index at = 0; at < gradient.cols(); ++at)
      for (Eigen::Index c = 0; c < gradient.rows(); ++c)
        if (from_(c, at) >= 0) input(c, from_(c, at)) += gradient(c, at);
    return input;
  }

 private:
  int size_;
  Eigen::Index columns_ = 0;
  Eigen::Matrix<Eigen::Index, Eigen::Dynamic, Eigen::Dynamic> from_;
};

class Classifier {
 public:
  explicit Classifier(Random& random)
      : first_(first_filters, 1, side, random),
        second_(second_filters, first_filters, side / 2, random),
        hidden_(hidden, vector, random),
        last_(classes, hidden, random) {}

  /// Logits, a column for each image.
  Matrix forward(const Matrix& images) {
    const Matrix maps = pool_second_.forward(second_.forward(pool_first_.forward(first_.forward(images))));
    vectors_ = maps.reshaped(vector, maps.size() / vector);
    hidden_out_ = ((hidden_.weights * vectors_).colwise() + hidden_.bias).cwiseMax(0);
    return (last_.weights * hidden_out_).colwise() + last_.bias;
  }

  void backward(const Matrix& gradient, float rate) {
    last_.weights_gradient = gradient * hidden_out_.transpose();
    last_.bias_gradient = gradient.rowwise().sum();
    const Matrix before =
        ((last_.weights.transpose() * gradient).array() * (hidden_out_.array() > 0).cast<float>()).matrix();
    hidden_.weights_gradient = before * vectors_.transpose();
    hidden_.bias_gradient = before.rowwise().sum();
    const Matrix vectors = hidden_.weights.transpose() * before;
    const Matrix maps = vectors.reshaped(second_filters, vectors.size() / second_filters);
    first_.backward(pool_first_.backward(second_.backward(pool_second_.backward(maps))));
    for (Parameters* parameters : {&first_.parameters, &second_.parameters, &hidden_, &last_})
      parameters->step(rate);
  }

  void write(const std::string& path) const {
    models::Network network("fmnist_wide");
    models::NodeId at = models::input(network, {1, side, side});
    at = models::convolution_relu(network, "conv1", at, first_filters, models::square(3, 1, 1));
    at = models::max_pool(network, "pool1", at, models::square(2, 2));
    at = models::convolution_relu(network, "conv2", at, second_filters, models::square(3, 1, 1));
    at = models::max_pool(network, "pool2", at, models::square(2, 2));
    at = models::append(network, models::Operator::flatten, "flatten", {at});
    at = models::dense(network, "hidden", at, hidden);
    at = models::append(network, models::Operator::relu, "hidden_relu", {at});
    models::dense(network, "logits", at, classes);
    models::write_onnx(network,
                       {{"conv1", numbers(first_.parameters, {first_filters, 1, 3, 3})},
                        {"conv2", numbers(second_.parameters, {second_filters, first_filters, 3, 3})},
                        {"hidden", numbers(hidden_, {hidden, second_filters, side / 4, side / 4})},
                        {"logits", numbers(last_, {classes, hidden, 1, 1})}},
                       path);
  }

 private:
  static constexpr int vector = second_filters * (side / 4) * (side / 4);

  /// From [row][column][channel] to the order of models, [channel][row][column].
  static models::LayerWeights numbers(const Parameters& parameters, const std::vector<std::int64_t>& extents) {
    const auto channels = static_cast<Eigen::Index>(extents[1]);
    const Eigen::Index taps = parameters.weights.cols() / channels;
    std::vector<float> weights;
    for (Eigen::Index filter = 0; filter < parameters.weights.rows(); ++filter)
      for (Eigen::Index c = 0; c < channels; ++c)
        for (Eigen::Index tap = 0; tap < taps; ++tap)
          weights.push_back(parameters.weights(filter, tap * channels + c));
    const bool is_dense = extents[2] != 3;
    return {
        models::Tensor(is_dense ? std::vector<std::int64_t>{extents[0], extents[1] * extents[2] * extents[3]} : extents,
                       std::move(weights)),
        models::Tensor({extents[0]}, {parameters.bias.begin(), parameters.bias.end()})};
  }

  Convolution first_, second_;
  Pool pool_first_{side}, pool_second_{side / 2};
  Parameters hidden_, last_;
  Matrix vectors_, hidden_out_;
};

Matrix images_of(const Data& data, const std::vector<std::size_t>& order, std::size_t first, std::size_t count) {
  constexpr int positions = side * side;
  Matrix images(1, static_cast<Eigen::Index>(count) * positions);
  for (std::size_t i = 0; i < count; ++i)
    for (int p = 0; p < positions; ++p)
      images(0, static_cast<Eigen::Index>(i) * positions + p) =
          static_cast<float>(data.pixels[order[first + i] * positions + static_cast<std::size_t>(p)]) / 255;
  return images;
}

double accuracy(Classifier& classifier, const Data& data) {
  std::vector<std::size_t> order(data.labels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  constexpr std::size_t count = 500;
  std::size_t right = 0;
  for (std::size_t first = 0; first + count <= order.size(); first += count) {
    const Matrix logits = classifier.forward(images_of(data, order, first, count));
    for (std::size_t i = 0; i < count; ++i) {
      Eigen::Index best = 0;
      logits.col(static_cast<Eigen::Index>(i)).maxCoeff(&best);
      right += best == data.labels[first + i] ? 1 : 0;
    }
  }
  return static_cast<double>(right) / static_cast<double>(order.size());
}

void train(const std::string& folder, const std::string& path) {
  const Data training(folder, "train"), test(folder, "t10k");
  Random random(1);
  Classifier classifier(random);
  std::vector<std::size_t> order(training.labels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t steps = order.size() / batch;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    std::ranges::shuffle(order, random);
    for (std::size_t step = 0; step < steps; ++step) {
      Matrix gradient = classifier.forward(images_of(training, order, step * batch, batch));
      for (Eigen::Index i = 0; i < gradient.cols(); ++i) {  // of softmax and cross entropy
        Eigen::ArrayXf share = (gradient.col(i).array() - gradient.col(i).maxCoeff()).exp();
        share /= share.sum();
        share(training.labels[order[step * batch + static_cast<std::size_t>(i)]]) -= 1;
        gradient.col(i) = share / batch;
      }
      const float done = (static_cast<float>(epoch) + static_cast<float>(step) / static_cast<float>(steps)) / epochs;
      classifier.backward(gradient, peak_rate * std::min(1.0F, done * 10) * (1 + std::cos(3.1415927F * done)) / 2);
    }
    std::printf("epoch %d: %.2f %% of the test images\n", epoch + 1, 100 * accuracy(classifier, test));
    std::fflush(stdout);
  }
  classifier.write(path);
}

}  // namespace
}  // namespace spillway

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "train_wide: expected the folder of the IDX files and the ONNX file to write\n");
    return 2;
  }
  spillway::train(arguments[1], arguments[2]);
}
