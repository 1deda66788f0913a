#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/network.hpp"
#include "platforms/computer.hpp"
#include "sim/cost/work.hpp"

/// Times of single layers, as `spillway measure` writes them, and the figures of a computer that follow.
namespace spillway::cost {

/// One call of one layer.
struct LayerTime {
  std::string network;             ///< name of a network of the zoo
  std::string layer;               ///< name of a node
  std::vector<std::string> fused;  ///< nodes whose work the call did as well
  int threads = 1;
  double seconds = 0;

  friend bool operator==(const LayerTime&, const LayerTime&) = default;
};

/// Comma-separated values with the heading `network,layer,fused,threads,seconds`; fused nodes are separated by spaces.
std::string to_csv(const std::vector<LayerTime>& times);

/// Reads what to_csv writes; `file` stands for the file in errors. Throws InputError with every problem: another
/// heading, missing fields, unknown networks and layers, threads or seconds that are not positive.
std::vector<LayerTime> parse_layer_times(std::string_view csv, const std::string& file);

/// A computer with call costs and CPU efficiencies of its own, fitted to the times with one thread and with all cores;
/// other numbers of threads are left out. A layer counts by its share of its network's time. The peak of `computer` is
/// kept; `origin` says in every source what was measured. Values are rounded to four digits.
/// Throws platforms::InputError when there are no times for one thread or for all cores.
platforms::Computer fit_layers(platforms::Computer computer, const std::vector<LayerTime>& times,
                               const std::string& origin);

/// The time of a whole network beside the predicted one.
struct NetworkTime {
  std::string network;
  int threads = 1;
  double measured_s = 0, predicted_s = 0;  ///< sums over the calls
};

/// For each network and number of threads, in the order of the times.
std::vector<NetworkTime> judge_layers(const platforms::Computer& computer, const std::vector<LayerTime>& times);

/// The highest rate of multiply-accumulates of a call with one thread, in MAC/s: what a peak may be taken from where no
/// data sheet gives one. 0 without such a time.
double highest_rate(const std::vector<LayerTime>& times);

}  // namespace spillway::cost
