// SPDX-License-Identifier: Apache-2.0
#include "harness/normalize/normalize.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "fixtures.h"

namespace sits::normalize::test {
namespace {

Normalized against_part(const CaseResult &result, const Options &options = {}) {
  const std::array baselines = {parsed(small_baseline())};
  return normalize(result, baselines, options).at(0);
}

TEST(Normalize, divides_the_measured_median_by_the_value) {
  const Normalized row = against_part(ok_result(kGemmCold, 12500, 20000));
  EXPECT_DOUBLE_EQ(row.ratio.value(), 2.5);
  EXPECT_EQ(row.value_ns, 5000);
  EXPECT_EQ(row.baseline, "part");
  EXPECT_EQ(row.kind, "published");
  EXPECT_EQ(row.convention, "device");
  EXPECT_EQ(row.reason, "");
}

TEST(Normalize, takes_the_latency_of_the_values_convention_not_of_the_headline) {
  CaseResult result = ok_result(kGemmCold, 12500, 20000);
  result.timing->headline = Headline::submit;
  EXPECT_DOUBLE_EQ(against_part(result).ratio.value(), 2.5);
}

TEST(Normalize, takes_the_submit_latency_for_a_submit_value) {
  auto document = small_baseline();
  document["values"][0]["convention"] = "submit";
  const std::array baselines = {parsed(document)};
  const Normalized row = normalize(ok_result(kGemmCold, 12500, 20000), baselines).at(0);
  EXPECT_DOUBLE_EQ(row.ratio.value(), 4.0);
  EXPECT_EQ(row.convention, "submit");
}

// Measured within 1 %, value within 3 %: the distances in log space add in quadrature.
TEST(Normalize, joins_both_uncertainties_in_log_space) {
  const Normalized row = against_part(ok_result(kGemmCold, 10000, 10000));
  const double a = std::log(1.01), u = std::log(1.03);
  const double factor = std::exp(std::sqrt(a * a + u * u));
  ASSERT_TRUE(row.ci95);
  EXPECT_NEAR(row.ci95->low, 2.0 / factor, 1e-12);
  EXPECT_NEAR(row.ci95->high, 2.0 * factor, 1e-12);
}

TEST(Normalize, keeps_a_lopsided_interval_lopsided) {
  CaseResult result = ok_result(kGemmCold, 10000, 10000);
  result.timing->device_ns.median_ci95 = Interval{10000, 20000};
  const Normalized row = against_part(result);
  EXPECT_NEAR(row.ci95->low, 2.0 / 1.03, 1e-12);
  EXPECT_GT(row.ci95->high, 4.0);
}

TEST(Normalize, claims_no_interval_when_the_measurement_has_none) {
  CaseResult result = ok_result(kGemmCold, 10000, 10000);
  result.timing->device_ns.median_ci95.reset();
  const Normalized row = against_part(result);
  EXPECT_TRUE(row.ratio);
  EXPECT_FALSE(row.ci95);
}

TEST(Normalize, uses_the_p95_where_it_is_the_headline) {
  CaseResult result = ok_result("collective/all_reduce/bf16/1mib/n8/steady", 25000, 26000);
  result.timing->headline_statistic = "p95";
  EXPECT_DOUBLE_EQ(against_part(result).ratio.value(), 1.0);  // no p95: batched
  result.timing->device_ns.p95 = 50000;
  EXPECT_DOUBLE_EQ(against_part(result).ratio.value(), 2.0);
}

TEST(Normalize, gives_no_number_to_anything_but_ok) {
  for (const Status status : {Status::incorrect, Status::implausible, Status::unsupported, Status::failed}) {
    CaseResult result = ok_result(kGemmCold, 10000, 10000);
    result.status = status;
    const Normalized row = against_part(result);
    EXPECT_FALSE(row.ratio);
    EXPECT_EQ(row.reason, "not_ok");
  }
}

TEST(Normalize, never_compares_a_simulated_time_with_a_real_one) {
  CaseResult result = ok_result(kGemmCold, 10000, 10000);
  result.simulated = true;
  EXPECT_FALSE(against_part(result).ratio);
  EXPECT_EQ(against_part(result).reason, "simulated");
}

TEST(Normalize, gives_no_number_from_a_missing_zero_or_infinite_time) {
  CaseResult result = ok_result(kGemmCold, 10000, 10000);
  result.timing.reset();
  EXPECT_EQ(against_part(result).reason, "no_latency_measured");
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    const Normalized row = against_part(ok_result(kGemmCold, bad, 10000));
    EXPECT_FALSE(row.ratio);
    EXPECT_EQ(row.reason, "no_latency_measured");
  }
}

TEST(Normalize, passes_the_filters_on) {
  EXPECT_EQ(against_part(ok_result(kGemmCold, 1e4, 1e4), {.kind = Kind::modelled}).reason, "no_value_of_kind");
  EXPECT_EQ(against_part(ok_result(kGemmCold, 1e4, 1e4), {.convention = Headline::submit}).reason,
            "no_value_in_convention");
}

TEST(Normalize, refuses_measured_values_of_another_method_version) {
  auto document = small_baseline();
  document["method_version"] = 1;
  document["values"][0]["kind"] = "measured";
  const std::array baselines = {parsed(document)};
  const CaseResult result = ok_result(kGemmCold, 10000, 10000);
  EXPECT_TRUE(normalize(result, baselines, {.method_version = 1}).at(0).ratio);
  EXPECT_EQ(normalize(result, baselines, {.method_version = 2}).at(0).reason, "other_method");
}

TEST(Normalize, answers_every_baseline_in_order) {
  auto second = small_baseline();
  second["id"] = "other";
  second["values"] = nlohmann::json::array();
  const std::array baselines = {parsed(small_baseline()), parsed(second)};
  const auto rows = normalize(ok_result(kGemmCold, 10000, 10000), baselines);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(rows[0].ratio);
  EXPECT_EQ(rows[1].baseline, "other");
  EXPECT_FALSE(rows[1].ratio);
  EXPECT_NE(rows[1].reason, "");
}

}  // namespace
}  // namespace sits::normalize::test
