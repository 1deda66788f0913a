#include "sim/cost/layer_times.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/zoo.hpp"
#include "platforms/nearest.hpp"
#include "platforms/problems.hpp"
#include "sim/cost/fit.hpp"
#include "sim/cost/layer_cost.hpp"
#include "sim/cost/rounding.hpp"

namespace spillway::cost {
namespace {

using models::Network;
using platforms::Computer;
using platforms::InputError;
using platforms::Problem;

constexpr std::string_view heading = "network,layer,fused,threads,seconds";
constexpr std::size_t fields_of_a_line = 5;
constexpr int most_threads = 1024;

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

template <typename Number>
std::optional<Number> number_in(const std::string& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// The networks that times are of, made once each.
class Networks {
 public:
  const Network* find(const std::string& name) {
    auto known = networks_.find(name);
    if (known == networks_.end()) known = networks_.emplace(name, models::zoo(name)).first;
    return known->second ? &*known->second : nullptr;
  }

 private:
  std::map<std::string, std::optional<Network>> networks_;
};

std::string unknown(std::string_view what, const std::string& name, const std::vector<std::string>& names) {
  return fmt::format("there is no {} \"{}\"{}", what, name, platforms::did_you_mean(name, names));
}

/// Reads the lines behind the heading.
class TimesReader {
 public:
  explicit TimesReader(std::string file) : file_(std::move(file)) {}

  void read(std::string_view line, std::size_t number) {
    number_ = number;
    const std::vector<std::string> fields = split(line, ',');
    if (fields.size() != fields_of_a_line) {
      problem("", fmt::format("{} fields; expected {}: {}", fields.size(), fields_of_a_line, heading));
      return;
    }
    LayerTime time{fields[0], fields[1], {}, 0, 0};
    if (!fields[2].empty()) time.fused = split(fields[2], ' ');
    check_names(time);
    const std::optional<int> threads = number_in<int>(fields[3]);
    if (!threads || *threads < 1 || *threads > most_threads)
      problem("threads", fmt::format("expected a whole number from 1 to {}, found \"{}\"", most_threads, fields[3]));
    const std::optional<double> seconds = number_in<double>(fields[4]);
    if (!seconds || !(*seconds > 0) || *seconds > 1e6)
      problem("seconds", fmt::format("expected a number above 0, found \"{}\"", fields[4]));
    time.threads = threads.value_or(0);
    time.seconds = seconds.value_or(0);
    times_.push_back(std::move(time));
  }

  void problem(const std::string& key, std::string message) {
    problems_.push_back({file_, number_, 0, key, std::move(message)});
  }

  std::vector<LayerTime> take() {
    if (problems_.empty() && times_.empty()) problems_.push_back({file_, 0, 0, "", "has no times behind its heading"});
    if (!problems_.empty()) throw InputError(std::move(problems_));
    return std::move(times_);
  }

 private:
  void check_names(const LayerTime& time) {
    const Network* const network = networks_.find(time.network);
    if (network == nullptr) {
      std::vector<std::string> names;
      for (const std::string_view name : models::zoo_names())
        names.emplace_back(name);
      problem("network", unknown("network", time.network, names));
      return;
    }
    std::vector<std::string> layers = time.fused;
    layers.insert(layers.begin(), time.layer);
    for (const std::string& layer : layers) {
      if (network->find(layer)) continue;
      std::vector<std::string> names;
      for (const models::Node& node : network->nodes())
        names.push_back(node.name);
      problem("layer", unknown("layer of " + time.network, layer, names));
    }
  }

  std::string file_;
  std::size_t number_ = 1;
  Networks networks_;
  std::vector<LayerTime> times_;
  std::vector<Problem> problems_;
};

/// The layer's own work, and that of fused layers which layer_s charges apart.
Work work_of_call(const Network& network, const LayerTime& time) {
  Work work = work_of(network, *network.find(time.layer));
  for (const std::string& fused : time.fused) {
    const models::NodeId id = *network.find(fused);
    if (!can_fuse(network, id)) work += work_of(network, id);
  }
  return work;
}

std::vector<NetworkTime> sums_of(const std::vector<LayerTime>& times) {
  std::vector<NetworkTime> sums;
  for (const LayerTime& time : times) {
    auto sum = std::ranges::find_if(
        sums, [&](const NetworkTime& each) { return each.network == time.network && each.threads == time.threads; });
    if (sum == sums.end()) sum = sums.insert(sum, {time.network, time.threads, 0, 0});
    sum->measured_s += time.seconds;
  }
  return sums;
}

double whole_s(const std::vector<NetworkTime>& sums, const LayerTime& time) {
  return std::ranges::find_if(
             sums,
             [&](const NetworkTime& each) { return each.network == time.network && each.threads == time.threads; })
      ->measured_s;
}

void require_groups(const std::vector<LayerTime>& times, const Computer& computer) {
  for (const int threads : {1, computer.cores}) {
    if (std::ranges::find(times, threads, &LayerTime::threads) != times.end()) continue;
    throw InputError(
        {Problem{"", 0, 0, "threads",
                 fmt::format("no times with {} thread{}; expected some with one and some with all {} cores", threads,
                             threads == 1 ? "" : "s", computer.cores)}});
  }
}

platforms::CallCosts costs_of(const GroupCosts& costs, const std::string& origin) {
  return {{rounded(costs.scale), "fitted: " + origin}, {rounded(costs.launch_s), "fitted: " + origin}};
}

}  // namespace

std::string to_csv(const std::vector<LayerTime>& times) {
  std::string text = fmt::format("{}\n", heading);
  for (const LayerTime& time : times)
    text += fmt::format("{},{},{},{},{}\n", time.network, time.layer, fmt::join(time.fused, " "), time.threads,
                        time.seconds);
  return text;
}

std::vector<LayerTime> parse_layer_times(std::string_view csv, const std::string& file) {
  TimesReader reader(file);
  std::size_t number = 0;
  while (!csv.empty()) {
    const std::size_t end = std::min(csv.find('\n'), csv.size());
    std::string_view line = csv.substr(0, end);
    csv.remove_prefix(std::min(end + 1, csv.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (++number > 1) {
      reader.read(line, number);
    } else if (line != heading) {
      reader.problem("", fmt::format("no such times; expected the heading {}", heading));
      break;
    }
  }
  return reader.take();
}

Computer fit_layers(Computer computer, const std::vector<LayerTime>& times, const std::string& origin) {
  require_groups(times, computer);
  const std::vector<NetworkTime> sums = sums_of(times);
  Networks networks;
  std::vector<Sample> samples;
  for (const LayerTime& time : times) {
    if (time.threads != 1 && time.threads != computer.cores) continue;
    samples.push_back({.group = time.threads == 1 ? 0U : 1U,
                       .work = work_of_call(*networks.find(time.network), time),
                       .peak = computer.cpu.peak.value * time.threads,
                       .bandwidth = computer.cpu.bandwidth.value,
                       .seconds = time.seconds,
                       .weight = time.seconds / whole_s(sums, time)});
  }
  const std::size_t groups = computer.cores > 1 ? 2 : 1;
  const Fit found = fit(samples, groups, {.tie_kinds = false});
  platforms::Efficiency efficiency;
  for (std::size_t kind = 0; kind < found.shares.peak.size(); ++kind)
    efficiency.peak[kind] = {rounded(found.shares.peak[kind]), "fitted: " + origin};
  for (std::size_t kind = 0; kind < found.shares.bandwidth.size(); ++kind)
    efficiency.bandwidth[kind] = {rounded(found.shares.bandwidth[kind]), "fitted: " + origin};
  computer.cpu.efficiency = std::move(efficiency);
  computer.cpu.one_core = costs_of(found.groups.front(), origin);
  computer.cpu.all_cores = costs_of(found.groups.back(), origin);
  return computer;
}

std::vector<NetworkTime> judge_layers(const Computer& computer, const std::vector<LayerTime>& times) {
  std::vector<NetworkTime> sums = sums_of(times);
  Networks networks;
  for (NetworkTime& sum : sums) {
    const Rates rates = rates_of(computer, {}, {.threads = sum.threads});
    for (const LayerTime& time : times)
      if (time.network == sum.network && time.threads == sum.threads)
        sum.predicted_s += seconds_of(work_of_call(*networks.find(time.network), time), rates);
  }
  return sums;
}

double highest_rate(const std::vector<LayerTime>& times) {
  Networks networks;
  double highest = 0;
  for (const LayerTime& time : times) {
    if (time.threads != 1) continue;
    const Work work = work_of_call(*networks.find(time.network), time);
    highest = std::max(highest, std::accumulate(work.macs.begin(), work.macs.end(), 0.0) / time.seconds);
  }
  return highest;
}

}  // namespace spillway::cost
