// SPDX-License-Identifier: Apache-2.0
//
// A measured latency over the baseline's (docs/method.md, "Normalization"). Below 1 is faster than the baseline.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/measure/result.h"
#include "harness/normalize/lookup.h"

namespace sits::normalize {

struct Options {
  std::optional<Kind> kind = std::nullopt;            // use only baseline values of this kind
  std::optional<Headline> convention = std::nullopt;  // use only baseline values in this convention
  int method_version = 1;                             // of the result; `measured` values of another one are refused
};

/// The baselines used when none is asked for; the file of each is <id>.json.
std::span<const std::string_view> default_baselines();

/// One entry per baseline, in their order: the ratio with its interval, or the reason there is none. Reasons: those of
/// Found, "not_ok" (the result's status is not ok), "simulated", "no_latency_measured" (no usable time in the
/// convention of the baseline's value), "other_method".
///
/// The baseline value's convention decides which of the result's two latencies is taken; its statistic is the
/// headline's. The interval joins that of the measured median and the uncertainty u of the value in log space: the
/// ratio divided and multiplied by exp(sqrt(a² + ln(1+u)²)), a being the log distance of the median to the near end of
/// its 95 % interval. Absent when the measurement has no interval.
std::vector<Normalized> normalize(const CaseResult &result, std::span<const Baseline> baselines,
                                  const Options &options = {});

}  // namespace sits::normalize
