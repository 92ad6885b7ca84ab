// SPDX-License-Identifier: Apache-2.0
//
// What every subcommand shares: how it attaches to the command line, how it fails, and where the program's own files
// are.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace sits::cli {

/// Usage or configuration error, found before any device is touched: exit 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// No device to run on, though what was asked for exists: exit 5.
struct NothingAvailable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A baseline or report that is missing, invalid or incomparable: exit 6.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What a parsed subcommand does; returns the exit code.
using Action = std::function<int()>;

/// Each declares its options on `app` and sets `action` when it was chosen. One file per subcommand.
void attach_run(CLI::App &app, Action &action);
void attach_list(CLI::App &app, Action &action);
void attach_devices(CLI::App &app, Action &action);
void attach_explain(CLI::App &app, Action &action);
void attach_report(CLI::App &app, Action &action);
void attach_normalize(CLI::App &app, Action &action);
void attach_merge(CLI::App &app, Action &action);
void attach_validate(CLI::App &app, Action &action);
void attach_schema(CLI::App &app, Action &action);
void attach_version(CLI::App &app, Action &action);
void attach_worker(CLI::App &app, Action &action);  // hidden

}  // namespace sits::cli
