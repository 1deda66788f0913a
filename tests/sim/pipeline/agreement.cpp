#include "agreement.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>

#include "random_mapping.hpp"

#include "models/zoo.hpp"
#include "sim/pipeline/simulate.hpp"

namespace spillway::pipeline {
namespace {

std::vector<double> ranks_of(const std::vector<Agreement>& agreements, double Agreement::*makespan) {
  std::vector<std::size_t> order(agreements.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::size_t i) { return agreements[i].*makespan; });
  std::vector<double> ranks(agreements.size());
  for (std::size_t position = 0; position < order.size(); ++position)
    ranks[order[position]] = static_cast<double>(position);
  return ranks;
}

}  // namespace

std::vector<Agreement> agreements(std::size_t count, std::uint32_t seed, Progress progress) {
  constexpr std::array names = {"densenet121", "resnet101", "vgg19"};
  std::mt19937 random(seed);
  const Machine machine = test_machine(8);
  std::vector<Agreement> result;
  for (std::size_t network_number = 0; network_number < names.size(); ++network_number) {
    const models::Network network = *models::zoo(names[network_number]);
    const Workload workload(network);
    const TestTimes times(network);
    Simulator simulate(workload, machine);
    for (std::size_t i = network_number; i < count; i += names.size()) {
      const Shape shape = i % 4 < 3 ? Shape::contiguous : Shape::scattered;
      const RandomMapping mapping = random_mapping(network, machine, times, shape, random);
      Options options;
      options.progress = progress;
      options.communication = i % 2 == 0 ? Communication::overlap : Communication::paper;
      const auto seconds = [&](Driver driver) {
        options.driver = driver;
        return static_cast<double>(simulate(mapping.rank_of_node, mapping.placements, options).run.makespan_ns) * 1e-9;
      };
      result.push_back({std::string(names[network_number]) +
                            (shape == Shape::contiguous ? " contiguous" : " scattered") + ", number " +
                            std::to_string(i) + ", " + std::to_string(mapping.placements.size()) + " ranks",
                        seconds(Driver::virtual_clock), seconds(Driver::simgrid)});
    }
  }
  return result;
}

double rank_correlation(const std::vector<Agreement>& agreements) {
  const std::vector<double> a = ranks_of(agreements, &Agreement::virtual_clock_s);
  const std::vector<double> b = ranks_of(agreements, &Agreement::simgrid_s);
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    squares += (a[i] - b[i]) * (a[i] - b[i]);
  const auto n = static_cast<double>(a.size());
  return 1 - 6 * squares / (n * (n * n - 1));
}

double error_quantile(const std::vector<Agreement>& agreements, double share) {
  std::vector<double> errors;
  for (const Agreement& agreement : agreements)
    errors.push_back(std::abs(agreement.error()));
  std::ranges::sort(errors);
  const auto position = static_cast<std::size_t>(std::ceil(share * static_cast<double>(errors.size())));
  return errors[std::max<std::size_t>(position, 1) - 1];
}

}  // namespace spillway::pipeline
