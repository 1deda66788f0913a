#include "platforms/measurements.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "platforms/catalogue.hpp"
#include "platforms/computer.hpp"
#include "platforms/nearest.hpp"
#include "platforms/yaml_reader.hpp"

namespace spillway::platforms {
namespace {

const Catalogue catalogue("measurements", "platforms/measurements");

constexpr std::int64_t most_threads = 1024;

/// What the times of one row have in common.
struct Row {
  std::string board;
  bool gpu = false;
  int threads = 0;

  friend bool operator==(const Row&, const Row&) = default;
};

void check_against_board(Fields& entry, const Row& row) {
  if (row.board.empty()) return;
  const Computer computer = load_computer(row.board);
  if (row.gpu && !computer.gpu) entry.problem("class", fmt::format("{} has no GPU; expected cpu", row.board));
  if (!row.gpu && row.threads > computer.cores)
    entry.problem("threads", fmt::format("{} threads on the {} cores of {}; expected at most one a core", row.threads,
                                         computer.cores, row.board));
}

Row read_row(Fields& entry, const std::vector<std::string>& boards) {
  Row row;
  row.board = entry.required("board", choice(boards));
  row.gpu = entry.required("class", choice({"cpu", "gpu"})) == "gpu";
  if (!row.gpu) {
    row.threads = static_cast<int>(entry.required("threads", integer(1, most_threads)));
  } else if (entry.has("threads")) {
    entry.problem("threads", "a GPU has none; expected no such key");
  }
  check_against_board(entry, row);
  return row;
}

std::vector<Measurement> read_times(Fields& entry, const Row& row) {
  std::vector<Measurement> times;
  entry.map("times", [&](Fields& map) {
    for (const std::string& network : map.names()) {
      const YamlNode* node = map.find(network);
      const double seconds = map.required(network, quantity(Unit::seconds, positive));
      times.push_back({row.board, row.gpu, row.threads, network, seconds, false, node->position});
    }
  });
  if (entry.has("outliers")) {
    for (const std::string& network : entry.one_or_more("outliers", text())) {
      const auto time = std::ranges::find(times, network, &Measurement::network);
      if (time != times.end()) {
        time->outlier = true;
        continue;
      }
      std::vector<std::string> names;
      names.reserve(times.size());
      for (const Measurement& each : times)
        names.push_back(each.network);
      entry.problem("outliers", fmt::format("no time of \"{}\"{}", network, did_you_mean(network, names)));
    }
  }
  return times;
}

Measurements read_measurements(const YamlDocument& document) {
  ProblemList problems(document);
  Measurements measurements;
  measurements.file = document.name();
  measurements.name = std::filesystem::path(document.name()).stem().string();
  const std::vector<std::string> boards = computer_names();
  std::vector<Row> seen;
  {
    Fields fields(document.root(), problems);
    measurements.description = fields.required("description", text());
    measurements.source = fields.required("source", text());
    fields.list_of_maps("rows", [&](Fields& entry) {
      const Row row = read_row(entry, boards);
      entry.optional("note", text());
      const bool is_new = row.board.empty() || std::ranges::find(seen, row) == seen.end();
      if (!is_new) entry.problem("board", "this row is given twice; expected once");
      seen.push_back(row);
      for (Measurement& time : read_times(entry, row))
        measurements.rows.push_back(std::move(time));
    });
  }
  problems.throw_if_any();
  return measurements;
}

}  // namespace

Measurements load_measurements(std::string_view name_or_path) {
  return read_measurements(YamlDocument::open(catalogue.file_of(name_or_path)));
}

Measurements parse_measurements(std::string_view yaml, const std::string& file) {
  return read_measurements(YamlDocument::from_text(yaml, file));
}

std::vector<std::string> measurement_names() {
  return catalogue.names();
}

}  // namespace spillway::platforms
