// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/stop_rule.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace sits {
namespace {

/// Feeds samples one by one and returns at which n the rule decided what.
struct Stop {
  std::uint64_t n = 0;
  std::optional<StopReason> reason;
};

template <class Next>
Stop feed(const Policy &policy, Next next, double ns_per_sample = 0, double deadline = 0) {
  StopRule rule(policy);
  std::vector<double> samples;
  for (std::uint64_t n = 1; n <= 100000; ++n) {
    samples.push_back(next(n));
    if (const auto reason = rule.decide(samples, n, static_cast<double>(n) * ns_per_sample, deadline))
      return {n, reason};
  }
  return {};
}

TEST(StopRule, looks_at_20_30_45_68_and_on) {
  Policy policy;
  policy.max_samples = 400;
  StopRule rule(policy);
  std::vector<std::uint64_t> looks;
  std::vector<double> samples;
  for (std::uint64_t n = 1; n <= 300; ++n) {
    samples.push_back(n % 2 == 0 ? 1.0 : 2.0);  // never converges
    if (looks.empty() || looks.back() != rule.next_look()) looks.push_back(rule.next_look());
    if (rule.decide(samples, n, 0, 0)) break;
  }
  ASSERT_GE(looks.size(), 5u);
  EXPECT_EQ(std::vector<std::uint64_t>(looks.begin(), looks.begin() + 5),
            (std::vector<std::uint64_t>{20, 30, 45, 68, 102}));
}

TEST(StopRule, converges_at_the_first_look_of_a_steady_stream) {
  const Stop stop = feed(Policy{}, [](auto) { return 100.0; });
  EXPECT_EQ(stop.reason, StopReason::converged);
  EXPECT_EQ(stop.n, 20u);
}

TEST(StopRule, does_not_converge_below_min_samples) {
  Policy policy;
  policy.min_samples = 100;
  const Stop stop = feed(policy, [](auto) { return 100.0; });
  EXPECT_EQ(stop.reason, StopReason::converged);
  EXPECT_EQ(stop.n, 100u);
}

TEST(StopRule, converges_when_the_interval_is_within_the_limit_and_not_before) {
  // Ranks 6 and 15 of 20: with values 991 … 1010 the interval is [996, 1005], half-width 4.5/1000.5.
  const auto next = [](std::uint64_t n) { return 990.0 + static_cast<double>(n); };
  Policy policy;
  policy.ci_relative = 0.0045;
  EXPECT_EQ(feed(policy, next).n, 20u);
  policy.ci_relative = 0.0044;
  EXPECT_GT(feed(policy, next).n, 20u);
}

TEST(StopRule, calls_a_plateau_when_more_samples_do_not_narrow_the_interval) {
  const Stop stop = feed(Policy{}, [](auto n) { return n % 2 == 0 ? 1000.0 : 1100.0; });
  EXPECT_EQ(stop.reason, StopReason::plateau);
  EXPECT_LT(stop.n, 300u);
}

TEST(StopRule, ends_at_max_samples) {
  Policy policy;
  policy.max_samples = 50;
  const Stop stop = feed(policy, [](auto n) { return n % 2 == 0 ? 1000.0 : 1100.0; });
  EXPECT_EQ(stop.reason, StopReason::max_samples);
  EXPECT_EQ(stop.n, 50u);
}

TEST(StopRule, ends_when_the_time_is_used_up_at_any_n) {
  const Stop stop = feed(
      Policy{}, [](auto) { return 100.0; }, 1e9, 3e9);
  EXPECT_EQ(stop.reason, StopReason::time_budget);
  EXPECT_EQ(stop.n, 3u);
}

TEST(StopRule, ends_on_invalid_samples_at_max_samples) {
  StopRule rule(Policy{});
  EXPECT_FALSE(rule.decide({}, 1999, 0, 0));
  EXPECT_EQ(rule.decide({}, 2000, 0, 0), StopReason::max_samples);
}

TEST(StopRule, never_converges_on_nan) {
  const Stop stop = feed(Policy{}, [](auto) { return std::numeric_limits<double>::quiet_NaN(); });
  EXPECT_EQ(stop.reason, StopReason::max_samples);
}

TEST(StopRule, takes_exactly_the_iterations_asked_for) {
  Policy policy;
  policy.exact_iterations = 100;
  const Stop stop = feed(policy, [](auto) { return 100.0; });
  EXPECT_EQ(stop.reason, StopReason::max_samples);
  EXPECT_EQ(stop.n, 100u);
}

TEST(StopRule, survives_a_policy_of_zeros) {
  Policy policy;
  policy.min_samples = policy.max_samples = 0;
  EXPECT_EQ(feed(policy, [](auto) { return 1.0; }).n, 1u);
}

}  // namespace
}  // namespace sits
