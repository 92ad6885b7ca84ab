// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/statistics.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <vector>

namespace sits {
namespace {

constexpr double kTail = 0.025;
constexpr std::size_t kSeriesMinimum = 10;  // below, neither a trend nor an autocorrelation means anything

struct Moments {
  double mean = 0;
  double sum_of_squares = 0;  // around the mean
};

Moments moments(std::span<const double> samples) {
  const auto n = static_cast<double>(samples.size());
  double mean = 0;
  for (const double x : samples) mean += x / n;
  double rest = 0, squares = 0;
  for (const double x : samples) {
    rest += x - mean;
    squares += (x - mean) * (x - mean);
  }
  return {mean + rest / n, std::max(0.0, squares - rest * rest / n)};
}

double median_absolute_deviation(std::span<const double> samples, double median) {
  std::vector<double> deviations;
  deviations.reserve(samples.size());
  for (const double x : samples) deviations.push_back(std::abs(x - median));
  return median_of(std::move(deviations));
}

struct Point {
  double position;  // in samples
  double value;
};

/// The samples, or the medians of kTrendPoints stretches of them: all pairs of more points would take longer than the
/// samples themselves.
std::vector<Point> trend_points(std::span<const double> samples) {
  const std::size_t count = std::min(samples.size(), kTrendPoints);
  std::vector<Point> points;
  points.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = i * samples.size() / count, end = (i + 1) * samples.size() / count;
    const auto stretch = samples.subspan(first, end - first);
    points.push_back(
        {static_cast<double>(first + end - 1) / 2, median_of(std::vector<double>(stretch.begin(), stretch.end()))});
  }
  return points;
}

void set_upper_percentiles(Statistics &s, std::span<const double> sorted) {
  if (s.n >= 10) s.p90 = nearest_rank(sorted, 90);
  if (s.n >= 20) s.p95 = nearest_rank(sorted, 95);
  if (s.n >= 100) s.p99 = nearest_rank(sorted, 99);
  if (s.n < 100) s.percentiles_absent = s.n < 10 ? "n < 10" : s.n < 20 ? "n < 20" : "n < 100";
}

}  // namespace

double nearest_rank(std::span<const double> sorted, unsigned percent) {
  const std::size_t rank = (sorted.size() * percent + 99) / 100;
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

double median_of_sorted(std::span<const double> sorted) {
  const std::size_t middle = sorted.size() / 2;
  if (sorted.size() % 2 == 1) return sorted[middle];
  return sorted[middle - 1] + (sorted[middle] - sorted[middle - 1]) / 2;
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  const double below = *std::max_element(values.begin(), middle);
  return below + (*middle - below) / 2;
}

std::size_t median_interval_rank(std::size_t n) {
  if (n < 6) return 0;
  const boost::math::binomial_distribution<double> heads(static_cast<double>(n), 0.5);
  std::size_t good = 1, bad = n / 2 + 1;  // P(X < 1) = 2^-n is small enough, P(X < n/2 + 1) >= 1/2 is not
  while (bad - good > 1) {
    const std::size_t k = good + (bad - good) / 2;
    (boost::math::cdf(heads, static_cast<double>(k - 1)) <= kTail ? good : bad) = k;
  }
  return good;
}

std::optional<Interval> median_interval(std::span<const double> sorted) {
  const std::size_t rank = median_interval_rank(sorted.size());
  if (rank == 0) return std::nullopt;
  return Interval{sorted[rank - 1], sorted[sorted.size() - rank]};
}

std::optional<Trend> trend_of(std::span<const double> samples) {
  if (samples.size() < kSeriesMinimum) return std::nullopt;
  const std::vector<Point> points = trend_points(samples);
  std::vector<double> slopes;
  slopes.reserve(points.size() * (points.size() - 1) / 2);
  double kendall = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      const double rise = points[j].value - points[i].value;
      slopes.push_back(rise / (points[j].position - points[i].position));
      kendall += rise > 0 ? 1 : (rise < 0 ? -1 : 0);
    }
  }
  const auto n = static_cast<double>(points.size());
  return Trend{median_of(std::move(slopes)), kendall / std::sqrt(n * (n - 1) * (2 * n + 5) / 18)};
}

std::optional<double> lag1_autocorrelation(std::span<const double> samples) {
  if (samples.size() < kSeriesMinimum) return std::nullopt;
  const Moments m = moments(samples);
  if (m.sum_of_squares <= 0) return std::nullopt;
  double products = 0;
  for (std::size_t i = 0; i + 1 < samples.size(); ++i) products += (samples[i] - m.mean) * (samples[i + 1] - m.mean);
  return products / m.sum_of_squares;
}

Statistics summarize(std::span<const double> samples, double tick_ns) {
  Statistics s;
  std::vector<double> in_time;
  in_time.reserve(samples.size());
  std::copy_if(samples.begin(), samples.end(), std::back_inserter(in_time), [](double x) { return std::isfinite(x); });
  if (in_time.size() < samples.size()) s.rejected["non_finite"] = samples.size() - in_time.size();
  s.n = in_time.size();
  if (s.n == 0) {
    s.percentiles_absent = "n < 10";
    return s;
  }

  std::vector<double> sorted = in_time;
  std::sort(sorted.begin(), sorted.end());
  const Moments m = moments(in_time);
  s.min = sorted.front();
  s.p10 = nearest_rank(sorted, 10);
  s.median = median_of_sorted(sorted);
  s.mean = m.mean;
  s.max = sorted.back();
  if (s.n >= 2) {
    s.stdev = std::sqrt(m.sum_of_squares / static_cast<double>(s.n - 1));
    s.mad = median_absolute_deviation(sorted, s.median);
  }
  set_upper_percentiles(s, sorted);
  s.median_ci95 = median_interval(sorted);
  if (const auto trend = trend_of(in_time); trend && s.median > 0)
    s.drift_per_100 = 100 * trend->slope_per_sample / s.median;
  s.lag1_autocorrelation = lag1_autocorrelation(in_time);
  s.multimodal = is_multimodal(sorted, tick_ns);
  return s;
}

void withhold_upper_percentiles(Statistics &statistics, const std::string &reason) {
  statistics.p90 = statistics.p95 = statistics.p99 = std::nullopt;
  statistics.percentiles_absent = reason;
}

}  // namespace sits
