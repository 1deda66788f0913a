#include "hw/mpi/package.hpp"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>

#include "hw/mpi/package_files.hpp"
#include "hw/mpi/tables.hpp"
#include "platforms/catalogue.hpp"

extern char** environ;

namespace spillway::mpi {
namespace {

namespace fs = std::filesystem;

/// A second name for the same bytes, or a copy where the file system has no second names.
void link_or_copy(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_hard_link(from, to, error);
  if (error) fs::copy_file(from, to, fs::copy_options::overwrite_existing);
}

void write_text(const fs::path& path, std::string_view text) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();
  if (!stream) throw std::system_error(errno == 0 ? EIO : errno, std::generic_category(), path.string());
}

bool is_source(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".cpp") || name.ends_with(".hpp") || name == "options.cmake";
}

/// The sources that a package ships, by their path in it: the kernels, the run-time library, and of Eigen the headers
/// behind Eigen/Core, for whatever processor.
std::vector<std::pair<fs::path, fs::path>> library_files(const ShippedSources& sources) {
  std::vector<std::pair<fs::path, fs::path>> files;
  for (const char* folder : {"hw/kernels", "hw/mpi/runtime"})
    for (const fs::directory_entry& entry : fs::directory_iterator(sources.tree / folder))
      if (entry.is_regular_file() && is_source(entry.path()))
        files.emplace_back(entry.path(), fs::path("library") / folder / entry.path().filename());
  files.emplace_back(sources.eigen / "Eigen/Core", "library/Eigen/Core");
  for (const char* folder : {"Eigen/src/Core", "Eigen/src/plugins"}) {
    if (!fs::exists(sources.eigen / folder)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(sources.eigen / folder))
      if (entry.is_regular_file())
        files.emplace_back(entry.path(), fs::path("library") / entry.path().lexically_relative(sources.eigen));
  }
  return files;
}

std::vector<split::Rank> ranks_on(const Deployment& deployment, std::size_t device) {
  std::vector<split::Rank> ranks;
  for (split::Rank rank = 0; rank < deployment.resources.size(); ++rank)
    if (deployment.resources[rank].device == device) ranks.push_back(rank);
  return ranks;
}

std::string readme(const Deployment& deployment, std::size_t device, const std::vector<split::Rank>& ranks) {
  std::string rows;
  for (const split::Rank rank : ranks)
    rows += fmt::format("- rank {}: {}, {} layers\n", rank, deployment.split.ranks[rank].key,
                        deployment.split.ranks[rank].layers.size());
  return fmt::format(fmt::runtime(package_readme()), fmt::arg("model", deployment.model),
                     fmt::arg("device", deployment.devices[device].name), fmt::arg("ranks", rows),
                     fmt::arg("count", deployment.split.ranks.size()));
}

}  // namespace

ShippedSources shipped_sources() {
  return {platforms::data_directory(), SPILLWAY_EIGEN_DIR};
}

void write_packages(const Deployment& deployment, const fs::path& folder, const ShippedSources& sources) {
  const std::vector<std::pair<fs::path, fs::path>> library = library_files(sources);
  fs::path first;
  for (std::size_t device = 0; device < deployment.devices.size(); ++device) {
    const std::vector<split::Rank> ranks = ranks_on(deployment, device);
    if (ranks.empty()) continue;
    const fs::path package = folder / "packages" / deployment.devices[device].name;
    fs::create_directories(package);
    std::set<fs::path> folders;
    for (const auto& [from, name] : library) {
      if (folders.insert(name.parent_path()).second) fs::create_directories(package / name.parent_path());
      // The first package has copies: nobody who edits one should edit the sources that Spillway was built from.
      if (first.empty())
        fs::copy_file(from, package / name, fs::copy_options::overwrite_existing);
      else
        link_or_copy(first / name, package / name);
    }
    if (first.empty()) first = package;
    for (const char* shared : {"main.cpp", "rankfile", "hostfile"})
      link_or_copy(folder / shared, package / shared);
    for (const split::Rank rank : ranks)
      for (const char* extension : {".onnx", ".weights"}) {
        const std::string name = deployment.split.ranks[rank].key + extension;
        link_or_copy(folder / name, package / name);
      }
    write_text(package / "CMakeLists.txt", package_cmake());
    write_text(package / "CMakePresets.json", package_presets());
    write_text(package / "README.md", readme(deployment, device, ranks));
  }
}

void write_package_archives(const Deployment& deployment, const fs::path& folder) {
  for (std::size_t device = 0; device < deployment.devices.size(); ++device) {
    if (ranks_on(deployment, device).empty()) continue;
    const std::string name = deployment.devices[device].name, packages = (folder / "packages").string();
    const std::string archive = (folder / "packages" / (name + ".tar")).string();
    std::vector<std::string> words = {
        "tar", "--force-local", "--format=ustar", "--hard-dereference", "-C", packages, "-cf", archive, "--", name};
    std::vector<char*> arguments;
    for (std::string& word : words)
      arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t child = 0;
    const int error = ::posix_spawnp(&child, "tar", nullptr, nullptr, arguments.data(), environ);
    if (error != 0) throw std::system_error(error, std::generic_category(), "tar cannot be started");
    int status = 0;
    if (::waitpid(child, &status, 0) < 0 || status != 0)
      throw std::system_error(EIO, std::generic_category(), archive + ": tar could not write it");
  }
}

}  // namespace spillway::mpi
