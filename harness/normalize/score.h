// SPDX-License-Identifier: Apache-2.0
//
// From ratios to one number (docs/method.md, "Normalization").
#pragma once

#include <span>
#include <vector>

#include "harness/measure/result.h"
#include "harness/measure/score.h"

namespace sits::normalize {

struct Scores {
  std::vector<Score> scores;      // per device and baseline, in order of first appearance
  std::vector<LeftOut> left_out;  // results without a ratio, once per case, device and reason
};

/// Reads the `normalized` rows of the results. A case counts once: the runs of it are averaged in log space first.
/// Geometric means go over all cases of an op that have a ratio of that kind; the overall score over the `required`
/// cases only, as the mean of the ops' log-means. It is absent when a required case has no ratio or none is required; a
/// required case whose operation has no latency ("no_latency") does not count as missing.
Scores score(std::span<const CaseResult> results);

}  // namespace sits::normalize
