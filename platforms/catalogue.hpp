#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spillway::platforms {

/// The folder that holds the data of every room (`platforms/boards`, ...): the environment's SPILLWAY_DATA, else the
/// source tree that this was built from.
std::filesystem::path data_directory();

/// The YAML files of one folder of the data, by name.
class Catalogue {
 public:
  /// `kind` names an entry in errors ("board"); `folder` is relative to data_directory().
  Catalogue(std::string kind, std::string folder) : kind_(std::move(kind)), folder_(std::move(folder)) {}

  /// File names without .yaml, sorted. Throws InputError when the folder cannot be read.
  std::vector<std::string> names() const;

  /// The file of a name, or `name_or_path` itself when it has a slash or ends in .yaml.
  /// Throws InputError for an unknown name, with the nearest one and the list.
  std::filesystem::path file_of(std::string_view name_or_path) const;

 private:
  std::string kind_;
  std::string folder_;
};

}  // namespace spillway::platforms
