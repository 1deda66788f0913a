#include "experiments/cli/split_inputs.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hw/mpi/assignment.hpp"
#include "models/seeded_weights.hpp"
#include "platforms/mapping.hpp"

namespace spillway::cli {
namespace {

constexpr std::string_view automatic = "auto:";
constexpr std::uint64_t most_parts = 1024;

/// The network, its weights and the names of its layers.
struct Model {
  models::Network network;
  models::Weights weights;
  mpi::NamedLayers layers;
  std::vector<models::NodeId> outputs;
};

class ModelReader {
 public:
  ModelReader(const SplitInputs& inputs, Request& request, std::uint64_t seed)
      : inputs_(inputs), request_(request), seed_(seed) {
    if (models::is_model_file(inputs.network.network)) dimensions_ = read_dimensions(inputs.network, request);
  }

  std::optional<Model> read(const std::set<std::string>& apart) {
    const std::string& name = inputs_.network.network;
    if (!models::is_model_file(name)) return of_zoo();
    try {
      models::OnnxReadOptions options;
      options.dimensions = dimensions_.dimensions;
      options.weights = inputs_.weights;
      options.apart = apart;
      models::OnnxModel model = models::read_onnx_model(name, options);
      mpi::NamedLayers layers = mpi::named_layers(model);
      std::vector<models::NodeId> outputs;
      for (const std::string& output : model.outputs)
        outputs.push_back(*model.network.find(output));
      return Model{std::move(model.network), std::move(model.weights), std::move(layers), std::move(outputs)};
    } catch (const models::OnnxError& error) {
      note(error, request_);
      return std::nullopt;
    }
  }

 private:
  std::optional<Model> of_zoo() {
    std::optional<models::LoadedNetwork> loaded = cli::read(inputs_.network, request_);
    if (!loaded) return std::nullopt;
    models::Weights weights;
    if (inputs_.weights) weights = models::SeededWeights(loaded->network, seed_).all();
    mpi::NamedLayers layers = mpi::named_layers(loaded->network);
    return Model{std::move(loaded->network), std::move(weights), std::move(layers), {}};
  }

  const SplitInputs& inputs_;
  Request& request_;
  std::uint64_t seed_;
  models::LoadOptions dimensions_;
};

/// Devices and keys for a network that is cut by itself.
struct Automatic {
  std::vector<platforms::Device> devices;
  std::vector<platforms::Resource> resources;
};

/// Parts go to the devices in their order, as many to each as to any other; the cores of a device are shared out among
/// its parts.
std::optional<Automatic> share_out(std::vector<platforms::Device> devices, std::size_t parts, Request& request) {
  Automatic result{std::move(devices), {}};
  const std::size_t count = std::min(result.devices.size(), parts);
  for (std::size_t device = 0; device < count; ++device) {
    const std::vector<int>& cores = result.devices[device].cores;
    const std::size_t here = parts * (device + 1) / count - parts * device / count;
    if (here > cores.size()) {
      request.problem("--vertical", fmt::format("{} parts for {}, which has {} cores; expected at most one part a core",
                                                here, result.devices[device].name, cores.size()));
      return std::nullopt;
    }
    for (std::size_t part = 0; part < here; ++part) {
      const auto begin = cores.begin() + static_cast<std::ptrdiff_t>(cores.size() * part / here);
      const auto end = cores.begin() + static_cast<std::ptrdiff_t>(cores.size() * (part + 1) / here);
      result.resources.push_back({device, false, {begin, end}});
    }
  }
  return result;
}

std::vector<platforms::Device> read_devices(const std::string& platform, std::size_t parts, Request& request) {
  if (!platform.empty()) {
    try {
      return platforms::load_devices(platform);
    } catch (const platforms::InputError& error) {
      request.problems(error);
      return {};
    }
  }
  if (parts == 0) {
    request.problem("--platform", "is missing; expected a platform file (platform.txt) or a cluster");
    return {};
  }
  platforms::Device here{"localhost", "cpu", {}, std::nullopt, {}};
  for (std::size_t core = 0; core < parts; ++core)
    here.cores.push_back(static_cast<int>(core));
  return {std::move(here)};
}

std::size_t read_parts(const SplitInputs& inputs, Request& request) {
  if (inputs.vertical.empty() && inputs.mapping.empty())
    request.problem("--mapping", "is missing; expected a mapping file, or --vertical auto:N");
  if (inputs.vertical.empty()) return 0;
  if (!inputs.mapping.empty())
    request.problem("--vertical", "makes a mapping, but --mapping gives one; expected one of them");
  if (!inputs.vertical.starts_with(automatic)) {
    request.problem("--vertical", fmt::format("\"{}\" is unknown; expected auto:N", inputs.vertical));
    return 0;
  }
  return request.number("--vertical", inputs.vertical.substr(automatic.size()), 1, most_parts);
}

std::optional<platforms::Mapping> read_mapping(const SplitInputs& inputs, const std::vector<platforms::Device>& devices,
                                               Request& request) {
  if (inputs.mapping.empty() || devices.empty()) return std::nullopt;
  try {
    return platforms::load_mapping(inputs.mapping, devices, {.oversubscribe = inputs.oversubscribe});
  } catch (const platforms::InputError& error) {
    request.problems(error);
    return std::nullopt;
  }
}

mpi::Deployment deploy(const std::string& name, Model model, split::Request wanted,
                       std::vector<platforms::Device> devices, std::vector<platforms::Resource> resources) {
  wanted.tensors = std::move(model.layers.tensors);
  wanted.outputs = std::move(model.outputs);
  split::Split split = split::split(model.network, std::move(wanted));
  split::Schedule schedule = split::make_schedule(model.network, split);
  return {std::filesystem::path(name).stem().string(),
          std::move(model.network),
          std::move(model.weights),
          std::move(split),
          std::move(schedule),
          std::move(devices),
          std::move(resources)};
}

std::optional<mpi::Deployment> cut(const std::string& name, Model model, std::vector<platforms::Device> devices,
                                   std::size_t parts, Request& request) {
  std::optional<Automatic> automatic_cut = share_out(std::move(devices), parts, request);
  if (!automatic_cut) return std::nullopt;
  split::Request wanted;
  try {
    wanted.rank_of_node = split::balanced_cut(model.network, parts);
  } catch (const split::SplitError& error) {
    request.problem("--vertical", error.what());
    return std::nullopt;
  }
  for (const platforms::Resource& resource : automatic_cut->resources)
    wanted.keys.push_back(platforms::key_of(resource, automatic_cut->devices));
  return deploy(name, std::move(model), std::move(wanted), std::move(automatic_cut->devices),
                std::move(automatic_cut->resources));
}

std::optional<mpi::Deployment> map(const std::string& name, ModelReader& reader, Model model,
                                   const platforms::Mapping& mapping, std::vector<platforms::Device> devices,
                                   Request& request) {
  try {
    mpi::Assignment assignment = mpi::assign(mapping, model.layers, model.network);
    if (!assignment.apart.empty()) {
      std::optional<Model> again = reader.read(assignment.apart);
      if (!again) return std::nullopt;
      model = std::move(*again);
      assignment = mpi::assign(mapping, model.layers, model.network);
    }
    split::Request wanted;
    wanted.rank_of_node = std::move(assignment.rank_of_node);
    std::vector<platforms::Resource> resources;
    for (const platforms::MappedRank& rank : mapping.ranks) {
      wanted.keys.push_back(rank.key);
      resources.push_back(rank.resource);
    }
    return deploy(name, std::move(model), std::move(wanted), std::move(devices), std::move(resources));
  } catch (const platforms::InputError& error) {
    request.problems(error);
    return std::nullopt;
  }
}

}  // namespace

void SplitInputs::add_to(CLI::App& verb) {
  network.add_to(verb);
  verb.add_option("--mapping", mapping, "Which layers run where: {\"KEY\": [\"LAYER\", ...], ...}")->type_name("FILE");
  verb.add_option("--platform", platform, "The devices: a platform file, or a cluster (name or .yaml file)")
      ->type_name("FILE");
  verb.add_option("--vertical", vertical, "Without a mapping: N runs of layers with about the same work")
      ->type_name("auto:N");
  verb.add_flag("--oversubscribe", oversubscribe, "Allows several ranks on one core");
  if (weights)
    verb.add_option("--seed", seed, "Of the weights of a network of the zoo")
        ->type_name("NUMBER")
        ->capture_default_str();
}

std::optional<mpi::Deployment> read(const SplitInputs& inputs, Request& request) {
  const std::size_t parts = read_parts(inputs, request);
  const std::uint64_t seed = request.number("--seed", inputs.seed, 0, std::numeric_limits<std::uint64_t>::max());
  std::vector<platforms::Device> devices = read_devices(inputs.platform, parts, request);
  const std::optional<platforms::Mapping> mapping = read_mapping(inputs, devices, request);
  ModelReader reader(inputs, request, seed);
  std::optional<Model> model = reader.read({});
  if (!model || devices.empty() || (!mapping && parts == 0) || !request.ok()) return std::nullopt;
  const std::string& name = inputs.network.network;
  if (parts > 0) return cut(name, std::move(*model), std::move(devices), parts, request);
  return map(name, reader, std::move(*model), *mapping, std::move(devices), request);
}

std::string mapping_text(const mpi::Deployment& deployment) {
  nlohmann::ordered_json mapping = nlohmann::ordered_json::object();
  for (const split::SubModel& rank : deployment.split.ranks) {
    nlohmann::ordered_json& layers = mapping[rank.key] = nlohmann::ordered_json::array();
    for (const models::NodeId layer : rank.layers)
      layers.push_back(deployment.network.node(layer).name);
  }
  return mapping.dump(2) + "\n";
}

std::string platform_text(const mpi::Deployment& deployment) {
  std::string text;
  for (const platforms::Device& device : deployment.devices) {
    text +=
        fmt::format("{}, {}, slots={}-{}", device.name, device.architecture, device.cores.front(), device.cores.back());
    if (device.gpu) text += fmt::format(", gpu={} ({})", device.gpu->architecture, device.gpu->api);
    text += '\n';
  }
  return text;
}

}  // namespace spillway::cli
