// SPDX-License-Identifier: Apache-2.0
//
// From suites, filter and options to the plan of a run. Pure: touches no device and no file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/worker/supervisor.h"
#include "microbench/suite.h"

namespace sits::cli {

struct PlanOptions {
  std::string filter;                 // regular expression over canonical ids, "" all
  std::optional<std::uint32_t> runs;  // over the suites' own
  std::optional<double> budget_ns;    // of each case, over the suites' own
  std::optional<std::string> provider;
  std::uint64_t seed = 1;
  bool shuffle = false;
};

/// The cases of the suites that the filter ("" all) matches; one that stands in two suites is taken once, from the
/// first. Throws UsageError: bad filter, empty selection ("0 of N cases match", with the nearest id).
std::vector<microbench::SuiteCase> chosen_cases(const std::vector<microbench::Suite> &suites,
                                                const std::string &filter);

/// The chosen cases on every device, in every run. Order: run by run, device by device, suite order (or shuffled by the
/// seed). Throws as chosen_cases.
worker::RunPlan make_plan(const std::vector<microbench::Suite> &suites, std::vector<worker::PlannedDevice> devices,
                          const PlanOptions &options);

/// Rough duration of the plan in seconds from the roofs the devices state; absent where they state none.
std::optional<double> predicted_seconds(const worker::RunPlan &plan);

/// Program defaults, overlaid by what the suite says, overlaid by --budget.
Policy policy_of(const microbench::Effort &effort, std::optional<double> budget_ns);

}  // namespace sits::cli
