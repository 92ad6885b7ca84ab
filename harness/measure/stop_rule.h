// SPDX-License-Identifier: Apache-2.0
//
// When to stop sampling (docs/method.md §3). Looks at the samples only now and then, because every look is one more
// chance to stop by luck.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/measure/policy.h"
#include "harness/measure/result.h"

namespace sits {

class StopRule {
 public:
  /// With policy.exact_iterations the rule is that number alone (and the time).
  explicit StopRule(const Policy &policy);

  /// Number of accepted samples at which the next decision falls: 20 (or min_samples), then × 1.5, at most max_samples.
  std::uint64_t next_look() const { return next_look_; }
  /// How many samples end it in any case.
  std::uint64_t most_samples() const;

  /// accepted: valid samples so far, in order of time. attempted: these and the invalid ones (never those that a gate
  /// rejected), so that a stream of NaN ends at max_samples. Times on one clock; deadline 0: none.
  std::optional<StopReason> decide(std::span<const double> accepted, std::uint64_t attempted, double now_ns,
                                   double deadline_ns);

 private:
  std::optional<StopReason> look(std::span<const double> accepted);

  Policy policy_;
  std::uint64_t next_look_;
  std::vector<double> half_widths_;  // relative, one per look
};

/// Half-width of the 95 % interval of the median, relative to the median; absent below 6 samples.
std::optional<double> relative_half_width(std::span<const double> samples);
std::optional<double> relative_half_width(const Statistics &statistics);

}  // namespace sits
