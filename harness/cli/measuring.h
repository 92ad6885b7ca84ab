// SPDX-License-Identifier: Apache-2.0
//
// Carries out a plan under the journal and makes the report of it.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/run_options.h"
#include "harness/report/model.h"
#include "harness/worker/journal.h"

namespace sits::cli {

struct Measured {
  report::Report report;    // rows, devices, host, run; not normalized
  worker::Journal journal;  // holds every row; to be removed once the report stands
};

/// Runs what the journal does not hold yet. Throws UsageError for a journal that is in the way, missing or of another
/// plan.
Measured measure_plan(const worker::RunPlan &plan, const RunOptions &options,
                      const std::vector<microbench::Suite> &suites, const std::string &output);

/// Every item of the plan, one device after the other, or all devices at once, each on a thread.
worker::RunOutcome execute(const worker::RunPlan &plan, const worker::RunEvents &events, bool concurrent);

}  // namespace sits::cli
