#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "platforms/yaml_document.hpp"

namespace spillway::platforms {

/// The time of one whole network on one board.
struct Measurement {
  std::string board;    ///< name of a computer
  bool gpu = false;     ///< computed on the GPU
  int threads = 1;      ///< of the CPU; 0 for a GPU
  std::string network;  ///< name of a network of the zoo
  double seconds = 0;
  bool outlier =
      false;          ///< kept, but contradicts its neighbours: never fitted, errors are reported with and without it
  Position position;  ///< of the time in the file
};

/// Published times of networks on boards.
struct Measurements {
  std::string name;  ///< file name without .yaml
  std::string file;  ///< for errors
  std::string description;
  std::string source;
  std::vector<Measurement> rows;
};

/// Reads measurements by the name of a file in platforms/measurements, or by a path.
/// Throws InputError with every problem of the file: a board that does not exist, more threads than its cores, a GPU
/// that it has not, a row that is given twice, an outlier without a time. Whether the networks exist is for the caller
/// to check.
Measurements load_measurements(std::string_view name_or_path);

/// The same from text; `file` stands for the file in errors and gives the measurements their name.
Measurements parse_measurements(std::string_view yaml, const std::string& file);

/// The names that load_measurements knows, sorted.
std::vector<std::string> measurement_names();

}  // namespace spillway::platforms
