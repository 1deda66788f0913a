#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "platforms/problems.hpp"

namespace spillway::cli {

/// Adds a verb that leaves it to its Request to report arguments that it does not know.
CLI::App& add_verb(CLI::App& app, const std::string& name, const std::string& description);

/// The call that asks for this run, every option spelled out that is not at its default.
std::string command_line(const CLI::App& verb);

/// `unknown WHAT "NAME"; did you mean "NEAREST"? REST`.
std::string unknown(std::string_view what, const std::string& name, const std::vector<std::string>& names,
                    const std::string& rest);

/// Reads the values of a verb's options and collects everything that is wrong with them, so that one call reports all
/// mistakes. Options are taken as text from CLI11 and read here. A function that finds a mistake notes it and returns
/// a placeholder (0, nothing): what was read is to be used only after check().
class Request {
 public:
  /// Begins with the arguments that the verb does not know, and outputs that are the same file as something else.
  explicit Request(const CLI::App& verb);

  /// Notes a mistake in an option (`--sram`) or argument (`NETWORK`).
  void problem(const std::string& option, const std::string& message);

  /// Notes mistakes found elsewhere, in a file say.
  void problem(platforms::Problem found);
  void problems(const platforms::InputError& error);

  /// A size with its unit, more than zero.
  std::uint64_t bytes(const std::string& option, const std::string& text);

  /// A whole number between the bounds, both included.
  std::uint64_t number(const std::string& option, const std::string& text, std::uint64_t least, std::uint64_t most);

  /// A share, `0.164` or `16.4 %`, from 0 to below 1.
  double share(const std::string& option, const std::string& text);

  /// One of the names. `what` says what they are (`network`); the mistake names the nearest and how to see all.
  std::optional<std::size_t> choice(const std::string& option, std::string_view what, const std::string& text,
                                    const std::vector<std::string>& names);

  /// A file that can be created there: its folder exists, can be written, and the path is no folder itself.
  void writable_file(const std::string& option, const std::string& path);

  bool ok() const { return problems_.empty(); }

  /// Throws platforms::InputError with every mistake noted so far, if any.
  void check() const;

 private:
  void unknown_arguments(const CLI::App& verb);
  void outputs_apart(const CLI::App& verb);

  std::vector<platforms::Problem> problems_;
};

}  // namespace spillway::cli
