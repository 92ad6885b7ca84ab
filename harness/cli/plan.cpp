// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/plan.h"

#include <algorithm>
#include <map>
#include <random>
#include <regex>
#include <set>

#include "harness/cli/command.h"
#include "microbench/predict.h"

namespace sits::cli {
namespace {

std::vector<microbench::SuiteCase> united(const std::vector<microbench::Suite> &suites) {
  std::vector<microbench::SuiteCase> cases;
  std::set<std::string> seen;
  for (const auto &suite : suites)
    for (const auto &entry : suite.cases)
      if (seen.insert(entry.id).second) cases.push_back(entry);
  return cases;
}

std::regex compile_filter(const std::string &filter) {
  try {
    return std::regex(filter, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error &error) {
    throw UsageError("--filter '" + filter + "' is not a regular expression: " + error.what());
  }
}

}  // namespace

std::vector<microbench::SuiteCase> chosen_cases(const std::vector<microbench::Suite> &suites,
                                                const std::string &filter) {
  auto cases = united(suites);
  if (cases.empty()) throw UsageError("the suite holds no case");
  if (filter.empty()) return cases;
  const std::regex pattern = compile_filter(filter);
  std::vector<std::string> ids;
  for (const auto &entry : cases) ids.push_back(entry.id);
  std::erase_if(cases, [&](const auto &entry) { return !std::regex_search(entry.id, pattern); });
  if (cases.empty()) {
    const std::string near = microbench::nearest(filter, ids);
    throw UsageError("--filter '" + filter + "' matches 0 of " + std::to_string(ids.size()) + " cases" +
                     (near.empty() ? "" : "; the nearest is '" + near + "'") + ". 'sits list' prints them.");
  }
  return cases;
}

namespace {

void add_items(worker::RunPlan &plan, std::uint32_t runs, bool shuffle) {
  std::mt19937_64 random(plan.seed);
  for (std::uint32_t run = 0; run < runs; ++run)
    for (std::size_t device = 0; device < plan.devices.size(); ++device) {
      std::vector<std::size_t> order(plan.cases.size());
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
      if (shuffle) std::ranges::shuffle(order, random);
      for (const std::size_t test_case : order)
        plan.items.push_back({device, test_case, run, static_cast<std::uint32_t>(plan.items.size())});
    }
}

std::uint32_t runs_of(const std::vector<microbench::Suite> &suites, std::optional<std::uint32_t> asked) {
  if (asked) return *asked;
  std::uint32_t runs = 1;
  for (const auto &suite : suites) runs = std::max(runs, suite.runs);
  return runs;
}

}  // namespace

Policy policy_of(const microbench::Effort &effort, std::optional<double> budget_ns) {
  Policy policy;
  policy.min_samples = effort.min_samples.value_or(policy.min_samples);
  policy.max_samples = std::max(effort.max_samples.value_or(policy.max_samples), policy.min_samples);
  policy.warmup_min = effort.warmup_iterations.value_or(policy.warmup_min);
  policy.warmup_max = std::max(policy.warmup_max, policy.warmup_min);
  policy.exact_iterations = effort.exact_iterations.value_or(policy.exact_iterations);
  policy.ci_relative = effort.ci_relative.value_or(policy.ci_relative);
  policy.budget_ns = budget_ns.value_or(effort.budget_ns.value_or(policy.budget_ns));
  policy.soak_ns = effort.soak_ns.value_or(policy.soak_ns);
  return policy;
}

worker::RunPlan make_plan(const std::vector<microbench::Suite> &suites, std::vector<worker::PlannedDevice> devices,
                          const PlanOptions &options) {
  worker::RunPlan plan;
  plan.devices = std::move(devices);
  plan.seed = options.seed;
  plan.provider = options.provider;
  for (const auto &entry : chosen_cases(suites, options.filter))
    plan.cases.push_back({entry.test_case, entry.id, entry.required, policy_of(entry.effort, options.budget_ns)});
  add_items(plan, runs_of(suites, options.runs), options.shuffle);
  return plan;
}

namespace {

/// Share of its roof that a case is assumed to reach, for a prediction that is rather too long than too short.
constexpr double kAssumedEfficiency = 0.5;
/// Fixed cost of a case: prepare, verify twice, probes.
constexpr double kCaseOverheadS = 0.4;

microbench::Roofs roofs_of(const plugin::Device &device) {
  microbench::Roofs roofs;
  for (const auto &peak : device.peaks) {
    double &best = roofs.flops_per_s[peak.type];
    best = std::max(best, plugin::ops_per_s(peak, device));
  }
  roofs.bytes_per_s = device.bandwidth_bytes_per_s;
  return roofs;
}

}  // namespace

std::optional<double> predicted_seconds(const worker::RunPlan &plan) {
  double total = 0;
  for (const auto &item : plan.items) {
    const auto &planned = plan.cases[item.test_case];
    const auto iteration_ns = microbench::predicted_ns(planned.test_case, roofs_of(plan.devices[item.device].device));
    if (!iteration_ns) return std::nullopt;
    const double iterations = planned.policy.min_samples + planned.policy.warmup_min;
    const double case_ns = *iteration_ns / kAssumedEfficiency * iterations;
    total += std::min(case_ns, planned.policy.budget_ns) / 1e9 + kCaseOverheadS;
  }
  return total;
}

}  // namespace sits::cli
