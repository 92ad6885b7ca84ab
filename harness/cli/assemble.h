// SPDX-License-Identifier: Apache-2.0
//
// Small decisions of `sits run` around the measuring: names, texts, facts of the run.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/run_options.h"
#include "harness/report/model.h"
#include "harness/worker/supervisor.h"

namespace sits::cli {

/// A suite made of --case ids. Throws UsageError.
microbench::Suite suite_of_cases(const std::vector<std::string> &ids);

/// "report-20260131T120000Z.json", or with "-2" … when that exists.
std::string unused_report_name();

/// "48 cases on 1 device, 1 run: about 45 s (within budgets of at most 8 min)".
std::string plan_summary(const worker::RunPlan &plan);

/// Throws UsageError unless it is "", measured, published or modelled.
void check_baseline_kind(const std::string &kind);

/// "sits run --threads 2": what the reproduce command of each row begins with.
std::string reproduce_prefix(const RunOptions &options);

/// RFC 3339, UTC, whole seconds.
std::string utc_now();

std::string new_run_id();

/// The part of a report that is known before its rows: run, host, devices as the workers saw them.
report::Report empty_report(const worker::RunPlan &plan, const RunOptions &options,
                            const std::vector<microbench::Suite> &suites);

/// Sets devices from what the workers saw, with the best rate each probe and peak case reached.
void add_devices(report::Report &report, const worker::RunPlan &plan, const std::map<std::string, plugin::Device> &seen,
                 const std::vector<worker::FinishedCase> &finished);

}  // namespace sits::cli
