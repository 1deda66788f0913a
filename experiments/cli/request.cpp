#include "experiments/cli/request.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "platforms/nearest.hpp"
#include "platforms/units.hpp"

namespace spillway::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> option_names(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames())
      names.push_back("--" + name);
  }
  return names;
}

bool can_write(const fs::path& path) {
  return ::access(path.c_str(), W_OK) == 0;
}

/// Options of any verb that name what is written.
bool names_output(const CLI::App& verb, const CLI::Option& option) {
  constexpr std::array<std::string_view, 12> outputs = {"output",    "json",        "plot",       "trace",
                                                        "trace-csv", "trace-wire",  "layers",     "calibrate",
                                                        "program",   "write-board", "write-card", "card-file"};
  const bool reads = verb.get_name() == "calibrate" && (option.check_lname("layers") || option.check_lname("trace"));
  return !option.get_positional() && !reads &&
         std::ranges::any_of(outputs, [&](std::string_view name) { return option.check_lname(std::string(name)); });
}

std::string name_of(const CLI::Option& option) {
  return option.get_positional() ? option.get_name() : "--" + option.get_lnames().front();
}

bool same_place(const std::string& a, const std::string& b) {
  std::error_code error;
  if (fs::equivalent(a, b, error)) return true;
  return !a.empty() && !b.empty() &&
         fs::weakly_canonical(fs::absolute(a, error), error) == fs::weakly_canonical(fs::absolute(b, error), error);
}

}  // namespace

CLI::App& add_verb(CLI::App& app, const std::string& name, const std::string& description) {
  CLI::App& verb = *app.add_subcommand(name, description);
  verb.allow_extras();
  return verb;
}

std::string command_line(const CLI::App& verb) {
  std::string text = "spillway " + verb.get_name();
  for (const CLI::Option* option : verb.get_options()) {
    if (option->count() == 0) continue;
    if (!option->get_positional()) text += " --" + option->get_lnames().front();
    if (option->get_expected_max() > 0) text += ' ' + fmt::format("{}", fmt::join(option->results(), " "));
  }
  return text;
}

std::string unknown(std::string_view what, const std::string& name, const std::vector<std::string>& names,
                    const std::string& rest) {
  const std::string hint = platforms::did_you_mean(name, names);
  return fmt::format("unknown {} \"{}\"{}{} {}", what, name, hint, hint.empty() ? ";" : "", rest);
}

Request::Request(const CLI::App& verb) {
  unknown_arguments(verb);
  outputs_apart(verb);
}

void Request::outputs_apart(const CLI::App& verb) {
  const std::vector<const CLI::Option*> options = verb.get_options();
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (!names_output(verb, *options[i]) || options[i]->count() == 0) continue;
    const std::string written = options[i]->results().front();
    for (std::size_t j = 0; j < options.size(); ++j) {
      // Of two outputs the second one is named.
      if (j == i || (j > i && names_output(verb, *options[j]))) continue;
      for (const std::string& other : options[j]->results()) {
        if (!same_place(written, other)) continue;
        problem(name_of(*options[i]),
                fmt::format("\"{}\" is what {} names, too; expected a path of its own", written, name_of(*options[j])));
      }
    }
  }
}

void Request::unknown_arguments(const CLI::App& verb) {
  const std::vector<std::string> arguments = verb.remaining();
  bool unknown_option = false;
  for (const std::string& argument : arguments) {
    if (!argument.starts_with('-')) continue;
    const std::string name = argument.substr(0, argument.find('='));
    problem("", unknown("option", name, option_names(verb),
                        fmt::format("`spillway {} --help` shows all", verb.get_name())));
    unknown_option = true;
  }
  // What follows an unknown option is probably its value.
  if (unknown_option) return;
  for (const std::string& argument : arguments)
    problem("", fmt::format("unexpected argument \"{}\"; `spillway {} --help` shows what is expected", argument,
                            verb.get_name()));
}

void Request::problem(const std::string& option, const std::string& message) {
  problem(platforms::Problem{"", 0, 0, option, message});
}

void Request::problem(platforms::Problem found) {
  problems_.push_back(std::move(found));
}

void Request::problems(const platforms::InputError& error) {
  problems_.insert(problems_.end(), error.problems().begin(), error.problems().end());
}

std::uint64_t Request::bytes(const std::string& option, const std::string& text) {
  try {
    const std::uint64_t size = platforms::parse_bytes(text);
    if (size == 0) problem(option, fmt::format("\"{}\" is nothing; expected a size above 0", text));
    return size;
  } catch (const platforms::UnitError& error) {
    problem(option, error.what());
    return 0;
  }
}

std::uint64_t Request::number(const std::string& option, const std::string& text, std::uint64_t least,
                              std::uint64_t most) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end && least <= value && value <= most) return value;
  problem(option, fmt::format("\"{}\" is no whole number from {} to {}", text, least, most));
  return 0;
}

double Request::share(const std::string& option, const std::string& text) {
  try {
    const double value = platforms::parse_quantity(text, platforms::Unit::ratio);
    if (value < 1) return value;
    problem(option, fmt::format("\"{}\" is too much; expected a share from 0 to below 1", text));
  } catch (const platforms::UnitError& error) {
    problem(option, error.what());
  }
  return 0;
}

std::optional<std::size_t> Request::choice(const std::string& option, std::string_view what, const std::string& text,
                                           const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == text) return i;
  }
  problem(option, unknown(what, text, names, fmt::format("expected one of {}", fmt::join(names, ", "))));
  return std::nullopt;
}

void Request::writable_file(const std::string& option, const std::string& path) {
  std::error_code error;
  const fs::path folder = fs::absolute(path, error).parent_path();
  if (path.empty() || fs::is_directory(path, error)) {
    problem(option, fmt::format("\"{}\" is a folder; expected the path of a file", path));
  } else if (!fs::is_directory(folder, error)) {
    problem(option, fmt::format("cannot write \"{}\": there is no folder {}", path, folder.string()));
  } else if (!can_write(folder)) {
    problem(option, fmt::format("cannot write \"{}\": no permission to write in {}", path, folder.string()));
  }
}

void Request::check() const {
  if (!ok()) throw platforms::InputError(problems_);
}

}  // namespace spillway::cli
