// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace sits {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

std::vector<double> one_to(int n) {
  std::vector<double> v(static_cast<std::size_t>(n));
  std::iota(v.begin(), v.end(), 1.0);
  return v;
}

TEST(Percentiles, are_by_nearest_rank) {
  const auto ten = one_to(10);
  EXPECT_EQ(nearest_rank(ten, 10), 1);
  EXPECT_EQ(nearest_rank(ten, 11), 2);
  EXPECT_EQ(nearest_rank(ten, 90), 9);
  EXPECT_EQ(nearest_rank(ten, 95), 10);
  EXPECT_EQ(nearest_rank(one_to(70), 10), 7);  // 0.1 × 70 is above 7 in floating point
  EXPECT_EQ(nearest_rank(one_to(200), 99), 198);
  EXPECT_EQ(nearest_rank(one_to(1), 10), 1);
}

TEST(Percentiles, need_enough_samples) {
  struct Row {
    int n;
    bool p90, p95, p99;
    const char *absent;
  };
  for (const Row &row : {Row{9, false, false, false, "n < 10"}, Row{10, true, false, false, "n < 20"},
                         Row{19, true, false, false, "n < 20"}, Row{20, true, true, false, "n < 100"},
                         Row{99, true, true, false, "n < 100"}, Row{100, true, true, true, ""}}) {
    const Statistics s = summarize(one_to(row.n));
    EXPECT_EQ(s.p90.has_value(), row.p90) << row.n;
    EXPECT_EQ(s.p95.has_value(), row.p95) << row.n;
    EXPECT_EQ(s.p99.has_value(), row.p99) << row.n;
    EXPECT_EQ(s.percentiles_absent, row.absent) << row.n;
  }
}

TEST(Percentiles, above_the_median_can_be_withheld_with_a_reason) {
  Statistics s = summarize(one_to(100));
  withhold_upper_percentiles(s, "batched");
  EXPECT_FALSE(s.p90 || s.p95 || s.p99);
  EXPECT_EQ(s.percentiles_absent, "batched");
  EXPECT_EQ(s.p10, 10);
}

TEST(Summary, of_a_hand_computed_set) {
  const std::vector<double> samples = {4, 2, 9, 4, 7, 5, 5, 4};  // sorted 2 4 4 4 5 5 7 9
  const Statistics s = summarize(samples);
  EXPECT_EQ(s.n, 8u);
  EXPECT_EQ(s.min, 2);
  EXPECT_EQ(s.p10, 2);
  EXPECT_EQ(s.median, 4.5);
  EXPECT_EQ(s.mean, 5);
  EXPECT_EQ(s.max, 9);
  EXPECT_DOUBLE_EQ(s.stdev.value(), std::sqrt(32.0 / 7.0));
  EXPECT_EQ(s.mad.value(), 0.5);  // deviations .5 .5 .5 .5 .5 2.5 2.5 4.5
  ASSERT_TRUE(s.median_ci95);
  EXPECT_EQ(*s.median_ci95, (Interval{2, 9}));
  EXPECT_FALSE(s.drift_per_100);
  EXPECT_FALSE(s.lag1_autocorrelation);
  EXPECT_FALSE(s.multimodal);
}

TEST(Summary, keeps_the_digits_of_a_small_spread_on_a_large_offset) {
  const double offset = 1e15;
  const Statistics s = summarize(std::vector<double>{offset + 4, offset + 7, offset + 13, offset + 16});
  EXPECT_EQ(s.mean, offset + 10);
  EXPECT_NEAR(s.stdev.value(), std::sqrt(30.0), 1e-9);
}

TEST(Summary, of_identical_samples_has_no_spread) {
  const Statistics s = summarize(std::vector<double>(10, 3.25));
  EXPECT_EQ(s.stdev.value(), 0);
  EXPECT_EQ(s.mad.value(), 0);
  EXPECT_EQ(*s.median_ci95, (Interval{3.25, 3.25}));
  EXPECT_EQ(s.drift_per_100.value(), 0);
  EXPECT_FALSE(s.lag1_autocorrelation);  // 0/0
}

TEST(Summary, of_one_sample_has_no_spread_to_report) {
  const Statistics s = summarize(std::vector<double>{7});
  EXPECT_EQ(s.median, 7);
  EXPECT_FALSE(s.stdev || s.mad || s.median_ci95 || s.drift_per_100 || s.lag1_autocorrelation);
}

TEST(Summary, of_two_samples_has_a_spread_and_no_interval) {
  const Statistics s = summarize(std::vector<double>{1, 3});
  EXPECT_EQ(s.median, 2);
  EXPECT_DOUBLE_EQ(s.stdev.value(), std::sqrt(2.0));
  EXPECT_FALSE(s.median_ci95);
}

TEST(Summary, of_nothing_is_absent) {
  const Statistics s = summarize({});
  EXPECT_EQ(s.n, 0u);
  EXPECT_FALSE(s.stdev || s.p90 || s.median_ci95);
  EXPECT_FALSE(s.percentiles_absent.empty());
}

TEST(Summary, leaves_out_and_counts_what_is_not_finite) {
  const Statistics s = summarize(std::vector<double>{1, kNan, 2, kInf, 3, -kInf});
  EXPECT_EQ(s.n, 3u);
  EXPECT_EQ(s.median, 2);
  EXPECT_EQ(s.rejected.at("non_finite"), 3u);
}

TEST(Summary, stays_finite_at_the_ends_of_the_range) {
  const Statistics s = summarize(std::vector<double>{1e300, 1e300, 5e-324, 1e300});
  EXPECT_TRUE(std::isfinite(s.mean));
  EXPECT_TRUE(std::isfinite(s.median));
}

// P(Bin(n, 1/2) < k) <= 0.025, from tables of the binomial distribution.
TEST(MedianInterval, takes_its_ranks_from_the_binomial_distribution) {
  EXPECT_EQ(median_interval_rank(5), 0u);
  EXPECT_EQ(median_interval_rank(6), 1u);
  EXPECT_EQ(median_interval_rank(8), 1u);
  EXPECT_EQ(median_interval_rank(9), 2u);
  EXPECT_EQ(median_interval_rank(10), 2u);
  EXPECT_EQ(median_interval_rank(15), 4u);
  EXPECT_EQ(median_interval_rank(20), 6u);
  EXPECT_EQ(median_interval_rank(25), 8u);
  EXPECT_EQ(median_interval_rank(50), 18u);
  EXPECT_EQ(median_interval_rank(100), 40u);
}

TEST(MedianInterval, is_symmetric_in_rank) {
  EXPECT_EQ(*median_interval(one_to(20)), (Interval{6, 15}));
  EXPECT_FALSE(median_interval(one_to(5)));
}

TEST(MedianInterval, covers_the_median_in_95_of_100_experiments) {
  std::mt19937_64 random(20260101);
  std::lognormal_distribution<double> times(0.0, 0.4);  // median 1
  for (const std::size_t n : {6u, 20u, 45u, 102u}) {
    int covered = 0;
    constexpr int kExperiments = 2000;
    for (int e = 0; e < kExperiments; ++e) {
      std::vector<double> samples(n);
      for (double &x : samples) x = times(random);
      std::sort(samples.begin(), samples.end());
      const auto interval = median_interval(samples);
      covered += interval->low <= 1 && 1 <= interval->high;
    }
    EXPECT_GE(covered, 0.94 * kExperiments) << "n = " << n;
  }
}

TEST(Trend, is_the_slope_of_a_line) {
  std::vector<double> samples;
  for (int i = 0; i < 50; ++i) samples.push_back(1000 + 2.0 * i);
  const auto trend = trend_of(samples);
  EXPECT_DOUBLE_EQ(trend->slope_per_sample, 2);
  EXPECT_GT(trend->z, 8);
  EXPECT_DOUBLE_EQ(summarize(samples).drift_per_100.value(), 200.0 / 1049.0);
}

TEST(Trend, ignores_outliers) {
  std::vector<double> samples(40, 100.0);
  samples[5] = samples[30] = 1e6;
  EXPECT_EQ(trend_of(samples)->slope_per_sample, 0);
}

TEST(Trend, of_hand_computed_points) {
  // y = 0 except the last: 9 of 45 slopes are positive, the rest 0. S = 9, variance = 10·9·25/18 = 125.
  const auto trend = trend_of(std::vector<double>{0, 0, 0, 0, 0, 0, 0, 0, 0, 9});
  EXPECT_EQ(trend->slope_per_sample, 0);
  EXPECT_DOUBLE_EQ(trend->z, 9 / std::sqrt(125.0));
}

TEST(Trend, is_not_changed_by_thinning) {
  std::vector<double> samples;
  for (int i = 0; i < 20000; ++i) samples.push_back(500 + 0.01 * i + (i % 7));
  EXPECT_NEAR(trend_of(samples)->slope_per_sample, 0.01, 1e-4);
}

TEST(Trend, needs_ten_samples) { EXPECT_FALSE(trend_of(one_to(9))); }

TEST(Autocorrelation, of_hand_computed_series) {
  // mean 0; products of neighbours: nine times -1; squares: ten times 1
  EXPECT_DOUBLE_EQ(*lag1_autocorrelation(std::vector<double>{1, -1, 1, -1, 1, -1, 1, -1, 1, -1}), -0.9);
  EXPECT_GT(*lag1_autocorrelation(one_to(50)), 0.9);
  EXPECT_FALSE(lag1_autocorrelation(one_to(9)));
}

}  // namespace
}  // namespace sits
