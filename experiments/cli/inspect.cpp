#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "experiments/cli/plan_options.hpp"
#include "experiments/cli/request.hpp"
#include "experiments/cli/table.hpp"
#include "experiments/cli/verbs.hpp"
#include "experiments/csv.hpp"
#include "experiments/intensity.hpp"
#include "platforms/units.hpp"
#include "sim/tiling/counts.hpp"
#include "sim/tiling/lower.hpp"
#include "sim/trace/output_file.hpp"

namespace spillway::cli {
namespace {

using experiments::Intensity;

struct Options {
  PlanOptions plan;
  std::optional<std::string> csv;
};

/// One layer with everything that is shown of it.
struct Row {
  const tiling::SwapLayer* layer = nullptr;
  const models::Node* node = nullptr;
  models::Shape input;
  std::uint64_t macs = 0;
  Intensity intensity;
  const core::Layer* cut = nullptr;  ///< null: no buffer was given, or the rule makes no tasks of this layer
  tiling::TaskCounts tasks;
};

std::vector<Row> rows_of(const models::Network& network, const std::vector<tiling::SwapLayer>& layers,
                         const std::vector<Intensity>& intensity, const std::optional<tiling::SwapPlan>& plan) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const tiling::SwapLayer& layer = layers[i];
    Row row;
    row.layer = &layer;
    row.node = &network.node(layer.node);
    row.input = network.input_shape(layer.node);
    row.macs = static_cast<std::uint64_t>(network.macs(layer.node));
    row.intensity = intensity[i];
    if (plan) {
      const auto place = std::ranges::find(plan->layer_nodes, layer.node);
      if (place != plan->layer_nodes.end()) {
        const auto index = static_cast<core::LayerIndex>(place - plan->layer_nodes.begin());
        row.cut = &plan->layers[index];
        row.tasks = tiling::count_tasks(plan->view(), index);
      }
    }
    rows.push_back(row);
  }
  return rows;
}

std::string window_of(const models::Node& node) {
  const models::Window& window = node.window;
  if (window.kernel_height == 1 && window.kernel_width == 1 && window.stride_height == 1) return "";
  return fmt::format("{}x{}/{}", window.kernel_height, window.kernel_width, window.stride_height);
}

std::string kind_of(const Row& row) {
  return row.layer->work_class == core::WorkClass::depthwise ? "depthwise"
                                                             : std::string(models::to_string(row.node->op));
}

std::string class_of(const Intensity& intensity) {
  return intensity.compute_bound() ? "compute-bound" : "IO-bound";
}

Table table_of(const std::vector<Row>& rows, bool cut) {
  std::vector<Table::Column> columns = {{"layer"},        {"operator"},   {"window"},           {"input", true},
                                        {"output", true}, {"MACs", true}, {"weights, B", true}, {"output, B", true}};
  if (cut) {
    for (const char* heading : {"tile", "tiles", "chunks", "IO tasks", "compute tasks"})
      columns.push_back({heading, true});
  }
  for (const char* heading : {"W", "Q, B", "N"})
    columns.push_back({heading, true});
  columns.push_back({"class"});
  Table table(columns);
  for (const Row& row : rows) {
    std::vector<std::string> cells = {row.layer->name,
                                      kind_of(row),
                                      window_of(*row.node),
                                      models::to_string(row.input),
                                      models::to_string(row.node->output),
                                      with_thousands(row.macs),
                                      with_thousands(row.intensity.weight_bytes),
                                      with_thousands(row.intensity.output_bytes)};
    if (cut && row.cut != nullptr) {
      const core::Layer& layer = *row.cut;
      cells.push_back(fmt::format("{}x{}x{}", layer.tile_channels, layer.tile_height, layer.tile_width));
      cells.push_back(with_thousands(layer.tiles()));
      cells.push_back(layer.has_weights() ? with_thousands(layer.chunks) : "0");
      cells.push_back(with_thousands(row.tasks.io()));
      cells.push_back(with_thousands(row.tasks.compute));
    } else if (cut) {
      cells.insert(cells.end(), {"-", "-", "-", "0", "0"});
    }
    cells.push_back(with_thousands(row.intensity.work));
    cells.push_back(with_thousands(row.intensity.moved_bytes()));
    cells.push_back(fmt::format("{:.3g}", row.intensity.normalized()));
    cells.push_back(class_of(row.intensity));
    table.row(cells);
  }
  return table;
}

void print_totals(const models::Network& network, const std::vector<Row>& rows, const PlanRequest& asked,
                  const std::optional<tiling::SwapPlan>& plan) {
  Intensity sum;
  std::size_t compute_bound = 0, compute_bound_weighted = 0, weighted = 0;
  for (const Row& row : rows) {
    const Intensity& one = row.intensity;
    sum.work += one.work;
    sum.input_bytes += one.input_bytes;
    sum.weight_bytes += one.weight_bytes;
    sum.output_bytes += one.output_bytes;
    sum.compute_s += one.compute_s;
    sum.io_s += one.io_s;
    compute_bound += one.compute_bound();
    weighted += row.layer->has_weights();
    compute_bound_weighted += row.layer->has_weights() && one.compute_bound();
  }
  fmt::print("{} layers, {} of them with weights; {} MACs, {} weights\n", rows.size(), weighted,
             with_thousands(static_cast<std::uint64_t>(network.total_macs())),
             with_thousands(static_cast<std::uint64_t>(network.total_weights())));
  fmt::print("each tensor moved once ({}): W/S_CPU {} on {}, Q/S_IO {} with card {}, N {:.3g}\n",
             models::to_string(asked.tiling.element), platforms::format_seconds(sum.compute_s), asked.board->name,
             platforms::format_seconds(sum.io_s), asked.card->name, sum.normalized());
  fmt::print("compute-bound / IO-bound: {} / {} of the layers with weights, {} / {} of all\n", compute_bound_weighted,
             weighted - compute_bound_weighted, compute_bound, rows.size() - compute_bound);
  if (!plan) return;
  const tiling::TaskCounts tasks = tiling::count_tasks(plan->view());
  const tiling::Traffic traffic = tiling::traffic(plan->view());
  fmt::print("rule {}, {} buffers of {}: {} IO tasks and {} compute tasks a frame; {} read, {} written\n",
             tiling::to_string(plan->request.rule), plan->pools.total(),
             platforms::format_bytes(plan->request.buffer_bytes), with_thousands(tasks.io()),
             with_thousands(tasks.compute), platforms::format_bytes(traffic.read_bytes()),
             platforms::format_bytes(traffic.output_bytes));
  fmt::print("{}\n", plan->counting_only.empty() ? "the plan can be executed on hardware"
                                                 : "the plan counts only: " + plan->counting_only);
}

void write_csv(const std::string& path, const std::vector<Row>& rows) {
  trace::OutputFile file(path);
  file.write(experiments::csv_line(std::vector<std::string>{"layer",         "operator",     "input_channels",
                                                            "input_height",  "input_width",  "output_channels",
                                                            "output_height", "output_width", "macs",
                                                            "weight_bytes",  "output_bytes", "tile_channels",
                                                            "tile_height",   "tile_width",   "tiles",
                                                            "weight_chunks", "io_tasks",     "compute_tasks",
                                                            "work",          "moved_bytes",  "normalized_intensity",
                                                            "class"}));
  for (const Row& row : rows) {
    std::vector<std::string> cells = {row.layer->name, kind_of(row)};
    const auto number = [&cells](auto value) { cells.push_back(fmt::format("{}", value)); };
    for (const models::Shape& shape : {row.input, row.node->output}) {
      number(shape.channels);
      number(shape.height);
      number(shape.width);
    }
    number(row.macs);
    number(row.intensity.weight_bytes);
    number(row.intensity.output_bytes);
    if (row.cut != nullptr) {
      const core::Layer& layer = *row.cut;
      number(layer.tile_channels);
      number(layer.tile_height);
      number(layer.tile_width);
      number(layer.tiles());
      number(layer.has_weights() ? layer.chunks : 0);
      number(row.tasks.io());
      number(row.tasks.compute);
    } else {
      cells.insert(cells.end(), 7, "");
    }
    number(row.intensity.work);
    number(row.intensity.moved_bytes());
    number(row.intensity.normalized());
    cells.push_back(class_of(row.intensity));
    file.write(experiments::csv_line(cells));
  }
  file.commit();
}

void inspect(const CLI::App& verb, const Options& options) {
  Request request(verb);
  const PlanRequest asked = read(options.plan, request);
  if (options.csv) request.writable_file("--csv", *options.csv);
  request.check();

  const models::Network& network = *asked.network;
  const std::vector<tiling::SwapLayer> layers = tiling::lower(network);
  std::optional<tiling::SwapPlan> plan;
  if (options.plan.buffer) plan = plan_for(network, asked.tiling);
  const std::vector<Row> rows =
      rows_of(network, layers,
              experiments::intensities(network, layers, asked.tiling.element, *asked.board, *asked.card), plan);

  fmt::print("{}\n", table_of(rows, plan.has_value()).text());
  print_totals(network, rows, asked, plan);
  if (options.csv) write_csv(*options.csv, rows);
}

}  // namespace

void add_inspect(CLI::App& app, Outcome& outcome) {
  CLI::App& verb =
      add_verb(app, "inspect", "Shows a network's layers: shapes, MACs, bytes, and how a buffer cuts them");
  const auto options = std::make_shared<Options>();
  options->plan.add_to(verb);
  verb.add_option("--buffer", options->plan.buffer, "Size of one buffer: shows tiles and tasks")->type_name("SIZE");
  verb.add_option("--csv", options->csv, "Writes the layers to a CSV file")->type_name("FILE");
  verb.footer(
      "W: multiply-accumulates (pooling: elements read). Q: bytes moved when each tensor is moved once.\n"
      "N = (W/S_CPU) / (Q/S_IO): above 1 a layer is compute-bound, below 1 IO-bound.");
  verb.callback([&verb, options, &outcome] {
    inspect(verb, *options);
    outcome.code = ExitCode::done;
  });
}

}  // namespace spillway::cli
