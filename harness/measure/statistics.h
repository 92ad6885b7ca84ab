// SPDX-License-Identifier: Apache-2.0
//
// Statistics of one set of samples, as defined in docs/method.md §3. Pure functions of their arguments.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/measure/result.h"

namespace sits {

/// Every statistic of samples in order of time. Values that are not finite are left out and counted in
/// `rejected["non_finite"]`; with none left, n is 0 and every number absent. tick_ns: of the clock, per iteration (the
/// clock's tick ÷ iterations in a sample), 0 unknown.
Statistics summarize(std::span<const double> samples, double tick_ns = 0);

/// Takes back every percentile above the median, for a reason: "batched", "below_floor".
void withhold_upper_percentiles(Statistics &statistics, const std::string &reason);

/// Nearest rank: the value at rank ceil(percent/100 · n) of ascending, non-empty samples; percent 1 … 100.
double nearest_rank(std::span<const double> sorted, unsigned percent);

/// Of ascending, non-empty samples: the middle one, or the mean of the two middle ones.
double median_of_sorted(std::span<const double> sorted);
/// The same of samples in any order, without sorting them all.
double median_of(std::vector<double> values);

/// Rank k (from 1) so that [x(k), x(n+1-k)] holds the median with at least 95 % probability and k+1 would not:
/// the largest k with P(Binomial(n, 1/2) < k) <= 2.5 %. 0 when there is none (n < 6).
std::size_t median_interval_rank(std::size_t n);
std::optional<Interval> median_interval(std::span<const double> sorted);

/// Monotone change over time. Above kTrendPoints samples, the medians of that many equal stretches stand for all.
struct Trend {
  double slope_per_sample = 0;  // Theil–Sen: median slope over all pairs
  double z = 0;                 // Kendall's S over its standard deviation without a trend: ~ N(0, 1) under none
};
inline constexpr std::size_t kTrendPoints = 128;
/// Absent below 10 samples.
std::optional<Trend> trend_of(std::span<const double> samples);

/// Correlation of each sample with the next; absent below 10 samples or when all are equal.
std::optional<double> lag1_autocorrelation(std::span<const double> samples);

/// Whether ascending samples fall into separate groups: somewhere lies a valley with a group of at least a tenth of the
/// samples (and at least 5) on each side, the groups' medians at least 2 % and 3 ticks apart, in which the samples are
/// much sparser than in the densest tenth of the sparser group, on a logarithmic time axis (docs/method.md §3).
bool is_multimodal(std::span<const double> sorted, double tick_ns);

}  // namespace sits
