// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/combine_runs.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "harness/measure/statistics.h"

namespace sits {
namespace {

bool has_time(const CaseResult &row) {
  return row.status == Status::ok && row.timing && row.timing->headline_statistics().n > 0;
}

void widen(std::optional<Interval> &all, const std::optional<Interval> &one) {
  if (!one) return;
  all = all ? Interval{std::min(all->low, one->low), std::max(all->high, one->high)} : *one;
}

bool by_p95(const Timing &timing) { return timing.headline_statistic == "p95" && timing.headline_statistics().p95; }

/// The headline value of a row: its median, or the P95 where that is the headline and known.
double headline_ns(const Timing &timing) {
  return by_p95(timing) ? *timing.headline_statistics().p95 : timing.headline_statistics().median;
}

}  // namespace

CombinedRuns combine_runs(std::span<const CaseResult *const> rows) {
  CombinedRuns combined;
  std::vector<double> values;
  for (const CaseResult *row : rows) {
    combined.id = row->id;
    combined.device = row->device;
    if (!has_time(*row)) {
      ++combined.runs_other;
      continue;
    }
    ++combined.runs_ok;
    values.push_back(headline_ns(*row->timing));
    if (!by_p95(*row->timing)) widen(combined.ci95, row->timing->headline_statistics().median_ci95);
  }
  if (values.empty()) return combined;
  std::sort(values.begin(), values.end());
  combined.median_ns = median_of_sorted(values);
  if (values.size() >= 2 && combined.median_ns > 0)
    combined.between_run_spread = (values.back() - values.front()) / combined.median_ns;
  return combined;
}

void set_between_run_spread(std::span<CaseResult> rows) {
  std::map<std::pair<std::string, std::string>, std::vector<CaseResult *>> runs;
  for (CaseResult &row : rows) runs[{row.id, row.device}].push_back(&row);
  for (const auto &[key, same] : runs) {
    const auto spread = combine_runs(std::vector<const CaseResult *>(same.begin(), same.end())).between_run_spread;
    for (CaseResult *row : same)
      if (row->timing) row->timing->between_run_spread = spread;
  }
}

}  // namespace sits
