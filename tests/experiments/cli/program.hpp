#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// Runs the real program, as a user does.
namespace spillway::cli_test {

/// What a call of the program left.
struct Call {
  std::string command;  ///< for messages
  int exit_code = 0;    ///< 128 + signal where one ended it
  std::string out, err;
};

/// Runs `spillway` with these arguments in a folder and waits for it.
Call spillway(const std::vector<std::string>& arguments, const std::filesystem::path& folder = ".");

/// The same, arguments separated by single spaces.
Call spillway(std::string_view arguments);

/// The lines of a text.
std::vector<std::string> lines(const std::string& text);

/// The whole file.
std::string contents(const std::filesystem::path& file);

/// An empty folder that goes with its object.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace spillway::cli_test
