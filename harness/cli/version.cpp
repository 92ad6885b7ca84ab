// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <iostream>

#include "harness/cli/build_info.h"
#include "harness/cli/command.h"
#include "harness/report/model.h"
#include "sits/backend.h"

namespace sits::cli {

void attach_version(CLI::App &app, Action &action) {
  CLI::App *command = app.add_subcommand("version", "Print the versions of the program, its method, schema and ABI");
  command->callback([&action] {
    action = [] {
      std::cout << "sits " << kVersion << " (" << kGit << ")\n"
                << "method version " << report::kMethodVersion << ", report schema " << report::kSchemaVersion
                << ", backend ABI " << SITS_ABI_MAJOR << '.' << SITS_ABI_MINOR << '\n';
      return 0;
    };
  });
}

}  // namespace sits::cli
