#include "platforms/catalogue.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

#include "platforms/nearest.hpp"
#include "platforms/problems.hpp"

namespace spillway::platforms {
namespace {

constexpr std::string_view extension = ".yaml";

}  // namespace

std::filesystem::path data_directory() {
  const char* chosen = std::getenv("SPILLWAY_DATA");
  return chosen && *chosen ? std::filesystem::path(chosen) : std::filesystem::path(SPILLWAY_DATA_DIR);
}

std::vector<std::string> Catalogue::names() const {
  const std::filesystem::path folder = data_directory() / folder_;
  std::error_code error;
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() == extension) names.push_back(entry->path().stem().string());
  }
  if (error) {
    throw InputError({Problem{folder.string(), 0, 0, "",
                              fmt::format("the {} files cannot be listed: {}; SPILLWAY_DATA chooses the data directory",
                                          kind_, error.message())}});
  }
  std::ranges::sort(names);
  return names;
}

std::filesystem::path Catalogue::file_of(std::string_view name_or_path) const {
  const bool is_path = name_or_path.find('/') != std::string_view::npos || name_or_path.ends_with(extension);
  if (is_path) return std::filesystem::path(name_or_path);
  const std::vector<std::string> known = names();
  if (std::ranges::find(known, name_or_path) == known.end()) {
    const std::string hint = did_you_mean(name_or_path, known);
    throw InputError({Problem{"", 0, 0, kind_,
                              fmt::format("there is no {} \"{}\"{}{} known: {}; or give a path to a .yaml file", kind_,
                                          name_or_path, hint, hint.empty() ? ";" : "", fmt::join(known, ", "))}});
  }
  return data_directory() / folder_ / (std::string(name_or_path) + std::string(extension));
}

}  // namespace spillway::platforms
