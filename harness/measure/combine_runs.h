// SPDX-License-Identifier: Apache-2.0
//
// Several runs of one case on one device: what is known between fresh processes (docs/method.md §3).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "harness/measure/result.h"

namespace sits {

struct CombinedRuns {
  std::string id, device;
  std::uint32_t runs_ok = 0, runs_other = 0;  // over the ok ones is computed, the others are counted
  double median_ns = 0;                       // median of the runs' headlines (medians, or P95s); 0 without an ok run
  std::optional<Interval> ci95;               // of medians: what the intervals of all runs cover together
  std::optional<double> between_run_spread;   // (largest - smallest headline) ÷ median_ns; two runs or more
};

/// Combines the headline of rows of one case and device. Rows that are not ok or have no samples count as `other`.
CombinedRuns combine_runs(std::span<const CaseResult *const> rows);

/// Sets Timing::between_run_spread of every row that has a time, from the runs of its case on its device; takes it back
/// where there is only one.
void set_between_run_spread(std::span<CaseResult> rows);

}  // namespace sits
