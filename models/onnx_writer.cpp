#include "models/onnx_writer.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

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

  void operator()(onnx::TensorProto& tensor, const Tensor& numbers) {
    constexpr std::size_t worth_it = 1024;
    const std::span<const float> values = numbers.values();
    const std::size_t bytes = values.size_bytes();
    if (data_ == nullptr || bytes < worth_it) {
      inside_ += bytes;
      if (inside_ > onnx_file::most_file_bytes)
        throw Refusal("more than 2 GiB of weights; expected external data for so many");
      if (bytes < worth_it)
        tensor.set_raw_data(values.data(), bytes);
      else
        large_.emplace(tensor.name(), numbers);
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

  /// Numbers of the model itself that are written from where they are, by the name of the tensor.
  const std::map<std::string, Tensor>& large() const { return large_; }

 private:
  static void add(onnx::TensorProto& tensor, const char* key, const std::string& value) {
    onnx::StringStringEntryProto& entry = *tensor.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  }

  std::string location_;
  Output* data_;
  std::size_t inside_ = 0, offset_ = 0;
  std::map<std::string, Tensor> large_;
};

/// Takes the tensors without numbers out of the model, in their order.
std::vector<onnx::TensorProto> take_large(onnx::ModelProto& model, const std::map<std::string, Tensor>& large) {
  std::vector<onnx::TensorProto> taken;
  auto& all = *model.mutable_graph()->mutable_initializer();
  std::vector<onnx::TensorProto> kept;
  for (onnx::TensorProto& tensor : all)
    (large.contains(tensor.name()) ? taken : kept).push_back(std::move(tensor));
  all.Clear();
  for (onnx::TensorProto& tensor : kept)
    *all.Add() = std::move(tensor);
  return taken;
}

/// The checker wants to know of every name: tensors whose numbers are elsewhere stand in for inputs.
void check(onnx::ModelProto model, const std::vector<onnx::TensorProto>& large, const fs::path& path) {
  for (const onnx::TensorProto& tensor : large) {
    onnx::ValueInfoProto& value = *model.mutable_graph()->add_input();
    value.set_name(tensor.name());
    onnx::TypeProto::Tensor& type = *value.mutable_type()->mutable_tensor_type();
    type.set_elem_type(tensor.data_type());
    for (const std::int64_t extent : tensor.dims())
      type.mutable_shape()->add_dim()->set_dim_value(extent);
  }
  onnx_file::check_with_libonnx(model, path);
}

/// A field of protobuf's wire format that holds bytes: its number and their count.
void append_header(std::string& text, int field, std::uint64_t bytes) {
  constexpr unsigned length_delimited = 2, more = 0x80;
  text += static_cast<char>(static_cast<unsigned>(field) << 3 | length_delimited);
  for (; bytes >= more; bytes >>= 7)
    text += static_cast<char>(bytes | more);
  text += static_cast<char>(bytes);
}

/// Serializes the model with its large tensors from where their numbers are: protobuf would copy them twice.
void serialize(onnx::ModelProto& model, const std::vector<onnx::TensorProto>& large,
               const std::map<std::string, Tensor>& numbers, std::ostream& stream) {
  std::string graph;
  model.graph().SerializeToString(&graph);
  model.clear_graph();
  std::string text;
  model.SerializeToString(&text);

  std::vector<std::string> headers;
  std::uint64_t total = graph.size();
  for (const onnx::TensorProto& tensor : large) {
    const std::uint64_t bytes = numbers.at(tensor.name()).values().size_bytes();
    std::string inner;
    tensor.SerializeToString(&inner);
    append_header(inner, onnx::TensorProto::kRawDataFieldNumber, bytes);
    std::string& header = headers.emplace_back();
    append_header(header, onnx::GraphProto::kInitializerFieldNumber, inner.size() + bytes);
    header += inner;
    total += header.size() + bytes;
  }
  append_header(text, onnx::ModelProto::kGraphFieldNumber, total);
  if (text.size() + total > onnx_file::most_file_bytes)
    throw Refusal("more than 2 GiB of weights; expected external data for so many");
  const auto write = [&stream](const char* data, std::size_t bytes) {
    stream.write(data, static_cast<std::streamsize>(bytes));
  };
  write(text.data(), text.size());
  write(graph.data(), graph.size());
  for (std::size_t i = 0; i < large.size(); ++i) {
    const std::span<const float> values = numbers.at(large[i].name()).values();
    write(headers[i].data(), headers[i].size());
    write(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  }
}

void write(const Network& network, const std::function<LayerWeights(NodeId)>& weights_of, const fs::path& path,
           const OnnxWriteOptions& options) {
  try {
    if (fs::is_directory(path)) throw Refusal("cannot be written: it is a folder");
    const Workshop workshop(path);
    const fs::path model_name = path.filename();
    const fs::path data_name = model_name.string() + ".data";
    std::optional<Output> data;
    if (options.external_data) data.emplace(workshop.at(data_name));
    NumberStore store(data_name.string(), data ? &*data : nullptr);
    onnx::ModelProto model = onnx_file::model_of(network, options, weights_of, std::ref(store));
    if (data) data->close();
    const std::vector<onnx::TensorProto> large = take_large(model, store.large());
    check(model, large, workshop.at(model_name));
    Output file(workshop.at(model_name));
    serialize(model, large, store.large(), file.stream());
    file.check();
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
