#include "models/onnx_writer.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "models/onnx_constants.hpp"
#include "models/onnx_file.hpp"
#include "models/onnx_graph.hpp"
#include "models/seeded_weights.hpp"

namespace spillway::models {
namespace {

namespace fs = std::filesystem;
using onnx_file::Refusal;

/// A folder beside the result in which it is made; gone at the end, with what is left in it.
class Workshop {
 public:
  explicit Workshop(const fs::path& path) {
    std::string name = path.string() + ".XXXXXX";
    if (::mkdtemp(name.data()) == nullptr)
      throw Refusal(fmt::format("cannot be written: {}", std::generic_category().message(errno)));
    folder_ = name;
  }
  ~Workshop() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  fs::path at(const fs::path& name) const { return folder_ / name; }

 private:
  fs::path folder_;
};

class Output {
 public:
  explicit Output(const fs::path& path) : stream_(path, std::ios::binary | std::ios::trunc) { check(); }

  std::ofstream& stream() { return stream_; }

  void close() {
    stream_.close();
    check();
  }

  void check() const {
    if (!stream_)
      throw Refusal(fmt::format("cannot be written: {}", std::generic_category().message(errno == 0 ? EIO : errno)));
  }

 private:
  std::ofstream stream_;
};

/// Numbers in the model itself; or, from a size on that is worth it, in a second file.
class NumberStore {
 public:
  NumberStore(std::string location, Output* data) : location_(std::move(location)), data_(data) {}

  void operator()(onnx::TensorProto& tensor, std::span<const float> values) {
    constexpr std::size_t worth_it = 1024;
    const std::size_t bytes = values.size_bytes();
    if (data_ == nullptr || bytes < worth_it) {
      inside_ += bytes;
      if (inside_ > onnx_file::most_file_bytes)
        throw Refusal("more than 2 GiB of weights; expected external data for so many");
      tensor.set_raw_data(values.data(), bytes);
      return;
    }
    constexpr std::size_t alignment = 64;
    static constexpr std::array<char, alignment> padding{};
    const std::size_t gap = (alignment - offset_ % alignment) % alignment;
    data_->stream().write(padding.data(), static_cast<std::streamsize>(gap));
    data_->stream().write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(bytes));
    data_->check();
    offset_ += gap;
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    add(tensor, "location", location_);
    add(tensor, "offset", std::to_string(offset_));
    add(tensor, "length", std::to_string(bytes));
    offset_ += bytes;
  }

 private:
  static void add(onnx::TensorProto& tensor, const char* key, const std::string& value) {
    onnx::StringStringEntryProto& entry = *tensor.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  }

  std::string location_;
  Output* data_;
  std::size_t inside_ = 0, offset_ = 0;
};

void write(const Network& network, const std::function<LayerWeights(NodeId)>& weights_of, const fs::path& path,
           const OnnxWriteOptions& options) {
  try {
    if (fs::is_directory(path)) throw Refusal("cannot be written: it is a folder");
    const Workshop workshop(path);
    const fs::path model_name = path.filename();
    const fs::path data_name = model_name.string() + ".data";
    std::optional<Output> data;
    if (options.external_data) data.emplace(workshop.at(data_name));
    const onnx::ModelProto model = onnx_file::model_of(network, options.outputs, weights_of,
                                                       NumberStore(data_name.string(), data ? &*data : nullptr));
    if (data) data->close();
    onnx_file::check_with_libonnx(model, workshop.at(model_name));
    Output file(workshop.at(model_name));
    if (!model.SerializeToOstream(&file.stream())) file.check();
    file.close();
    if (data) fs::rename(workshop.at(data_name), path.string() + ".data");
    fs::rename(workshop.at(model_name), path);
  } catch (const Refusal& refusal) {
    throw OnnxError(path, {{"", "", refusal.what()}});
  } catch (const fs::filesystem_error& error) {
    throw OnnxError(path, {{"", "", fmt::format("cannot be written: {}", error.code().message())}});
  }
}

}  // namespace

void write_onnx(const Network& network, const Weights& weights, const std::filesystem::path& path,
                const OnnxWriteOptions& options) {
  const auto weights_of = [&](NodeId id) {
    const auto found = weights.find(network.node(id).name);
    if (found == weights.end())
      throw Refusal(
          fmt::format("no weights for node '{}'; expected them for each convolution, dense layer and "
                      "batch normalization",
                      network.node(id).name));
    return found->second;
  };
  write(network, weights_of, path, options);
}

void write_onnx(const Network& network, const std::filesystem::path& path, const OnnxWriteOptions& options) {
  const SeededWeights seeded(network, options.seed);
  write(
      network, [&seeded](NodeId id) { return seeded.of(id); }, path, options);
}

}  // namespace spillway::models
