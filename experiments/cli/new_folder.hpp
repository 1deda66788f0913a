#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

namespace spillway::cli {

/// A folder beside the wanted one, in which everything is made; it becomes the wanted one, or nothing is left of it.
class NewFolder {
 public:
  explicit NewFolder(std::filesystem::path wanted) : wanted_(std::move(wanted)) {
    std::string name = wanted_.string() + ".XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), wanted_.string());
    folder_ = name;
    std::filesystem::permissions(folder_, std::filesystem::perms::owner_all | std::filesystem::perms::group_read |
                                              std::filesystem::perms::group_exec | std::filesystem::perms::others_read |
                                              std::filesystem::perms::others_exec);
  }
  ~NewFolder() {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  const std::filesystem::path& path() const { return folder_; }

  void keep() {
    std::filesystem::remove_all(wanted_);
    std::filesystem::rename(folder_, wanted_);
    folder_.clear();
  }

 private:
  std::filesystem::path wanted_, folder_;
};

}  // namespace spillway::cli
