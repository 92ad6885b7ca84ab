// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/devices_of.h"
#include "harness/cli/plan.h"

namespace CLI {
class App;
}

namespace sits::cli {

/// Everything `sits run` takes.
struct RunOptions {
  std::vector<std::string> suites, cases, baselines;
  std::string baseline_kind, budget, output;
  DeviceOptions which;
  PlanOptions plan;
  bool concurrent = false, force = false, resume = false, dry_run = false, anonymize = false, no_lock = false,
       quiet = false;
};

void add_run_options(CLI::App &app, RunOptions &options);

/// Parses texts into numbers and refuses contradictions. Throws UsageError.
void complete(RunOptions &options);

/// The options that decide what is measured, as a command line: for `reproduce` and the journal.
std::vector<std::string> decisive_arguments(const RunOptions &options);

}  // namespace sits::cli
