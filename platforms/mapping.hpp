#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "platforms/devices.hpp"
#include "platforms/resource.hpp"
#include "platforms/yaml_document.hpp"

namespace spillway::platforms {

/// A layer as a mapping names it.
struct MappedLayer {
  std::string name;
  Position position;
};

/// One key of a mapping: an MPI process.
struct MappedRank {
  std::string key;
  Position position;
  Resource resource;
  std::vector<MappedLayer> layers;
};

/// AutoDiCE's mapping specification: which layers run on which resource. The order of the keys gives the ranks.
struct Mapping {
  std::string file;  ///< as the user named it, for errors
  std::vector<MappedRank> ranks;
};

struct MappingOptions {
  bool oversubscribe = false;  ///< allow several ranks on one core or GPU
};

/// Reads `{"KEY": ["LAYER", ...], ...}`. `file` stands for the file in errors.
/// Throws InputError with every problem: no JSON, another structure, keys that name no resource or are given twice,
/// ranks without layers, a layer that one rank has twice, two ranks on one core or GPU. Whether the layers exist is the
/// network's to say.
Mapping parse_mapping(std::string_view text, const std::string& file, const std::vector<Device>& devices,
                      const MappingOptions& options = {});

/// The same from a file.
Mapping load_mapping(const std::string& path, const std::vector<Device>& devices, const MappingOptions& options = {});

}  // namespace spillway::platforms
