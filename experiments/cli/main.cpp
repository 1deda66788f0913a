#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/cli/request.hpp"
#include "experiments/cli/verbs.hpp"
#include "platforms/problems.hpp"
#include "platforms/units.hpp"
#include "sim/tiling/swap_plan.hpp"
#include "sim/trace/output_file.hpp"

namespace spillway::cli {
namespace {

/// `spillway`, or `spillway swap` once the verb is known: what every message on stderr begins with.
std::string speaker(const CLI::App& app) {
  const std::vector<CLI::App*> verbs = app.get_subcommands();
  return verbs.empty() ? app.get_name() : app.get_name() + ' ' + verbs.front()->get_name();
}

/// Writes each line of `text` to stderr, with the speaker in front.
void complain(const CLI::App& app, std::string_view text) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    fmt::print(stderr, "{}: {}\n", speaker(app), text.substr(begin, end - begin));
    begin = end + 1;
  }
}

/// CLI11's message in the words of this program.
std::string reworded(const CLI::ParseError& error) {
  std::string text = error.what();
  const std::string option = text.substr(0, text.find(':'));
  if (text.find(" required ") != std::string::npos && text.ends_with(" missing")) {
    return option + ": the value is missing";
  }
  if (text.find("At Most 1 required") != std::string::npos) return option + ": given more than once; expected once";
  return text;
}

std::vector<std::string> verb_names(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(verb->get_name());
  }
  return names;
}

/// The first argument was no verb.
ExitCode refuse_without_verb(CLI::App& app) {
  const std::vector<std::string> arguments = app.remaining();
  if (arguments.empty()) {
    fmt::print(stderr, "{}: a verb is missing\n\n{}", app.get_name(), app.help());
    return ExitCode::bad_request;
  }
  const std::string& word = arguments.front();
  if (word.starts_with('-')) {
    complain(app, unknown("option", word, {"--help", "--version"}, "expected a verb, --help or --version"));
  } else {
    const std::vector<std::string> verbs = verb_names(app);
    complain(app, unknown("verb", word, verbs, fmt::format("expected one of {}", fmt::join(verbs, ", "))));
  }
  return ExitCode::bad_request;
}

ExitCode run(CLI::App& app, const Outcome& outcome, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return app.get_subcommands().empty() ? refuse_without_verb(app) : outcome.code;
  } catch (const CLI::Success& success) {
    return app.exit(success) == 0 ? ExitCode::done : ExitCode::failed;
  } catch (const CLI::ParseError& error) {
    complain(app, reworded(error));
    return ExitCode::bad_request;
  } catch (const platforms::InputError& error) {
    complain(app, error.what());
    return ExitCode::bad_request;
  } catch (const platforms::UnitError& error) {
    complain(app, error.what());
    return ExitCode::bad_request;
  } catch (const tiling::Infeasible& error) {
    complain(app, error.what());
    return ExitCode::bad_request;
  } catch (const tiling::Unsupported& error) {
    complain(app, error.what());
    return ExitCode::bad_request;
  } catch (const trace::FileError& error) {
    complain(app, error.what());
    return ExitCode::bad_request;
  } catch (const std::exception& error) {
    complain(app, error.what());
    return ExitCode::failed;
  }
}

/// A result that could not be written, on a full disk say, is a failure.
ExitCode after_writing(const CLI::App& app, ExitCode code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  complain(app, fmt::format("cannot write the result to stdout: {}", std::strerror(errno == 0 ? EIO : errno)));
  return code == ExitCode::done ? ExitCode::failed : code;
}

}  // namespace
}  // namespace spillway::cli

int main(int argc, char** argv) {
  using namespace spillway::cli;
  CLI::App app("Simulates neural networks that do not fit on their device: swapped between SRAM and SD card.",
               "spillway");
  app.set_version_flag("--version", "spillway " SPILLWAY_VERSION);
  app.require_subcommand(0, 1);
  app.allow_extras();
  app.footer(
      "`spillway VERB --help` explains a verb. Exit codes: 0 done, 1 the run failed or a target was missed,\n"
      "2 the request was wrong.");
  Outcome outcome;
  add_list(app, outcome);
  add_inspect(app, outcome);
  add_export(app, outcome);
  add_quantize(app, outcome);
  add_firmware(app, outcome);
  add_infer(app, outcome);
  add_swap(app, outcome);
  add_sweep(app, outcome);
  add_reproduce(app, outcome);
  add_split(app, outcome);
  add_run(app, outcome);
  add_run_local(app, outcome);
  add_pipeline(app, outcome);
  add_explore(app, outcome);
  add_hil(app, outcome);
  add_compare(app, outcome);
  add_calibrate(app, outcome);
  add_measure(app, outcome);
  return static_cast<int>(after_writing(app, run(app, outcome, argc, argv)));
}
