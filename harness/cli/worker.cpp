// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/worker.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "harness/cli/command.h"

namespace sits::cli {

void attach_worker(CLI::App &app, Action &action) {
  CLI::App *command = app.add_subcommand("worker", "");
  command->group("");  // hidden: the supervisor starts it
  command->prefix_command();
  command->callback([&action, command] { action = [command] { return worker::worker_main(command->remaining()); }; });
}

}  // namespace sits::cli
