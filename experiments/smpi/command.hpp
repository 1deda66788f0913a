#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// Programs of others. Of the room's own.
namespace spillway::smpi {

/// Where a program lies that the environment's PATH leads to.
std::optional<std::filesystem::path> find_program(const std::string& name);

/// The last lines of a command's output.
std::string end_of(const std::filesystem::path& log);

/// Runs a command, its output and errors into a file. Throws std::runtime_error with the end of that file: the command
/// failed; std::system_error: it cannot be started.
void run_command(std::vector<std::string> words, const std::filesystem::path& log);

}  // namespace spillway::smpi
