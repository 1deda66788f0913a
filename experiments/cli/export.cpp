#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "experiments/cli/network_option.hpp"
#include "experiments/cli/request.hpp"
#include "experiments/cli/table.hpp"
#include "experiments/cli/verbs.hpp"
#include "models/onnx_writer.hpp"

namespace spillway::cli {
namespace {

struct Options {
  NetworkOption network;
  std::string file;
  bool external_data = false;
  std::string seed = "1";
};

void print_file(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  fmt::print("{}: {} bytes\n", path, with_thousands(error ? 0 : size));
}

void write(const CLI::App& verb, const Options& options) {
  Request request(verb);
  const std::optional<models::LoadedNetwork> loaded = read(options.network, request);
  const std::uint64_t seed = request.number("--seed", options.seed, 0, std::numeric_limits<std::uint64_t>::max());
  if (options.file.empty())
    request.problem("FILE", "the file to write is missing; expected a path that ends in .onnx");
  else if (!models::is_model_file(options.file))
    request.problem("FILE", fmt::format("\"{}\" is no model file; expected a path that ends in .onnx", options.file));
  else
    request.writable_file("FILE", options.file);
  request.check();

  const models::Network& network = loaded->network;
  models::write_onnx(network, options.file, {.external_data = options.external_data, .seed = seed, .outputs = {}});
  print_file(options.file);
  if (options.external_data) print_file(options.file + ".data");
  fmt::print("{} nodes, {} MACs, {} weights and {} biases from seed {}\n", network.nodes().size(),
             with_thousands(static_cast<std::uint64_t>(network.total_macs())),
             with_thousands(static_cast<std::uint64_t>(network.total_weights())),
             with_thousands(static_cast<std::uint64_t>(network.total_biases())), seed);
}

}  // namespace

void add_export(CLI::App& app, Outcome& outcome) {
  CLI::App& verb = add_verb(app, "export", "Writes a network as an ONNX model with seeded, calibrated weights");
  const auto options = std::make_shared<Options>();
  options->network.add_to(verb);
  verb.add_option("FILE", options->file, "The file to write; it ends in .onnx")->type_name("");
  verb.add_flag("--external-data", options->external_data, "Puts the numbers into a second file, FILE.data");
  verb.add_option("--seed", options->seed, "Of the weights: the same seed gives the same numbers anywhere")
      ->type_name("NUMBER")
      ->capture_default_str();
  verb.footer(
      "Nobody trained the weights: each layer is scaled so that its output has a variance of about 1.\n"
      "The file appears whole or not at all, and ONNX's own checker has accepted it.");
  verb.callback([&verb, options, &outcome] {
    write(verb, *options);
    outcome.code = ExitCode::done;
  });
}

}  // namespace spillway::cli
