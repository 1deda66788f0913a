#pragma once

#include <CLI/CLI.hpp>

/// The command line: one program, `spillway`, with verbs; each verb is one file beside this one.
namespace spillway::cli {

/// What the program tells its caller.
enum class ExitCode : int {
  done = 0,
  failed = 1,       ///< the run failed or a target was missed
  bad_request = 2,  ///< the request was wrong; nothing was run
};

/// Set by the callback of the verb that ran.
struct Outcome {
  ExitCode code = ExitCode::done;
};

// Each adds one verb to the program. Both arguments must outlive the parsing. What is wrong with the request is
// collected in a Request (request.hpp) and thrown by it; main turns what a callback throws into a message on stderr and
// an exit code: platforms::InputError, UnitError, tiling::Infeasible and trace::FileError into bad_request, anything
// else into failed. Results go to stdout; progress, notes and errors to stderr.
void add_list(CLI::App& app, Outcome& outcome);
void add_inspect(CLI::App& app, Outcome& outcome);
void add_export(CLI::App& app, Outcome& outcome);
void add_quantize(CLI::App& app, Outcome& outcome);
void add_firmware(CLI::App& app, Outcome& outcome);
void add_infer(CLI::App& app, Outcome& outcome);
void add_swap(CLI::App& app, Outcome& outcome);
void add_sweep(CLI::App& app, Outcome& outcome);
void add_reproduce(CLI::App& app, Outcome& outcome);
void add_split(CLI::App& app, Outcome& outcome);
void add_run(CLI::App& app, Outcome& outcome);
void add_run_local(CLI::App& app, Outcome& outcome);
void add_pipeline(CLI::App& app, Outcome& outcome);
void add_explore(CLI::App& app, Outcome& outcome);
void add_hil(CLI::App& app, Outcome& outcome);
void add_compare(CLI::App& app, Outcome& outcome);
void add_calibrate(CLI::App& app, Outcome& outcome);
void add_measure(CLI::App& app, Outcome& outcome);

}  // namespace spillway::cli
