// SPDX-License-Identifier: Apache-2.0
//
// Probes: how fast the machine was next to a case (docs/method.md §3).
#pragma once

#include <optional>
#include <span>

#include "harness/measure/result.h"

namespace sits {

/// A probe this much slower than the best one of its kind in the run says that the machine was not quiet.
inline constexpr double kQuietProbe = 1.10;

/// Fastest finite, positive probe time; absent when there is none.
std::optional<double> best_probe_ns(std::span<const double> medians_ns);

/// case median × best probe ÷ this probe: what the case would have taken at the speed of the best moment of the run.
/// Absent when a time is not finite and positive.
std::optional<double> probe_normalized_ns(double case_median_ns, double probe_ns, double best_ns);

bool is_quiet(double probe_ns, double best_ns);

/// For all rows of one run: sets normalized_median_ns of each probe that has a case time, and the flag not_quiet, each
/// against the best probe of the same device and kind. May be repeated when rows have been added.
void normalize_probes(std::span<CaseResult> rows);

/// The same through pointers, where rows lie inside something else.
void normalize_probes(std::span<CaseResult *const> rows);

}  // namespace sits
