// SPDX-License-Identifier: Apache-2.0
//
// Dispatch only: declares the subcommands, parses, runs the chosen one, turns what it throws into one message and an
// exit code (docs/method.md, "Exit codes").
#include <CLI/CLI.hpp>
#include <iostream>

#include "harness/cli/command.h"
#include "harness/cli/suggest.h"
#include "harness/measure/exit_code.h"

namespace {

int fail(int code, const std::string &message) {
  std::cerr << "sits: " << message << '\n';
  return code;
}

int dispatch(int argc, char **argv) {
  CLI::App app{
      "SITS Bench measures what an accelerator machine delivers for LLM inference, verifies every result, says how "
      "sure\n"
      "each time is, and expresses it as a ratio to an H100."};
  app.name("sits");
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "Help of every subcommand");
  app.footer(
      "Exit codes: 0 ok, 1 gate failed, 2 usage, 3 wrong or impossible result, 4 failure, 5 nothing ran,\n"
      "6 baseline or report unusable, 130 interrupted.");
  sits::cli::Action action;
  sits::cli::attach_run(app, action);
  sits::cli::attach_list(app, action);
  sits::cli::attach_devices(app, action);
  sits::cli::attach_explain(app, action);
  sits::cli::attach_report(app, action);
  sits::cli::attach_normalize(app, action);
  sits::cli::attach_merge(app, action);
  sits::cli::attach_validate(app, action);
  sits::cli::attach_schema(app, action);
  sits::cli::attach_version(app, action);
  sits::cli::attach_worker(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &help) {
    return app.exit(help);
  } catch (const CLI::ParseError &error) {
    return fail(sits::kExitUsage, sits::cli::explain_parse_error(app, error, argc, argv));
  }
  return action();
}

}  // namespace

int main(int argc, char **argv) {
  try {
    return dispatch(argc, argv);
  } catch (const sits::cli::UsageError &error) {
    return fail(sits::kExitUsage, error.what());
  } catch (const sits::cli::NothingAvailable &error) {
    return fail(sits::kExitNothingRan, error.what());
  } catch (const sits::cli::InputError &error) {
    return fail(sits::kExitIncomparable, error.what());
  } catch (const std::exception &error) {
    return fail(sits::kExitFailed, error.what());
  }
}
