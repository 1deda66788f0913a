#include "experiments/cli/calibrate_card.hpp"

#include <vector>

#include <fmt/format.h>

#include "experiments/cli/compare_report.hpp"
#include "experiments/cli/request.hpp"
#include "experiments/cli/table.hpp"
#include "experiments/traces/card_fit.hpp"
#include "experiments/traces/error_statistics.hpp"
#include "platforms/units.hpp"
#include "sim/trace/output_file.hpp"

namespace spillway::cli {
namespace {

using platforms::Unit;

void print(const traces::CardFit& fit) {
  Table table(
      {{"operation"}, {"size", true}, {"measured", true}, {"time", true}, {"fitted", true}, {"from the others", true}});
  std::vector<traces::Compared> fitted, left_out;
  for (const traces::JudgedOperation& each : fit.operations) {
    const traces::Compared all{each.fitted_s, each.measured_s};
    std::string other = "-";
    if (each.left_out_s) {
      left_out.push_back({*each.left_out_s, each.measured_s});
      other = signed_percent(left_out.back().relative_error());
    }
    if (each.measured.fitted) fitted.push_back(all);
    table.row({fmt::format("{}{}", each.write ? "write" : "read", each.measured.fitted ? "" : ", not fitted"),
               platforms::format_bytes(each.measured.size),
               platforms::format_quantity(each.measured.rate, Unit::bytes_per_second),
               platforms::format_seconds(each.measured_s), signed_percent(all.relative_error()), other});
  }
  fmt::print("{}\n", table.text());
  const auto mean = [](const std::vector<traces::Compared>& times) {
    const auto error = statistics_of(times).mean_absolute;
    return error ? fmt::format("{:.2f} %", *error * 100) : std::string("-");
  };
  fmt::print("{}", report_line("mean error", fmt::format("{} of the fitted, {} where each is predicted from the others",
                                                         mean(fitted), mean(left_out))));
  const auto direction = [](const platforms::Figure& overhead, const platforms::Figure& bandwidth) {
    return fmt::format("{} and {}", platforms::format_seconds(overhead.value),
                       platforms::format_quantity(bandwidth.value, Unit::bytes_per_second));
  };
  fmt::print("{}", report_line("write", direction(fit.card.write_overhead, fit.card.write_bandwidth)));
  fmt::print("{}", report_line("read", direction(fit.card.read_overhead, fit.card.read_bandwidth)));
}

}  // namespace

void calibrate_card(const CLI::App& verb, const std::string& card, const std::optional<std::string>& write) {
  Request request(verb);
  std::optional<platforms::Card> loaded;
  try {
    loaded = platforms::load_card(card);
    if (loaded->measured.source.empty())
      request.problem("--transfers", fmt::format("card {} has nothing measured", loaded->name));
  } catch (const platforms::InputError& error) {
    for (platforms::Problem problem : error.problems()) {
      if (problem.file.empty()) problem.key = "--transfers";
      request.problem(problem);
    }
  }
  if (write) request.writable_file("--write-card", *write);
  request.check();
  const traces::CardFit fit = traces::fit_card(std::move(*loaded));
  print(fit);
  if (!write) return;
  trace::write_file(*write, to_yaml(fit.card));
  fmt::print("{}", report_line("card", *write));
}

}  // namespace spillway::cli
