// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/warmup.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace sits {
namespace {

/// Samples until the warm-up is done.
std::uint32_t length(const Policy &policy, const std::vector<double> &first, double then, double tick = 0,
                     std::uint32_t faulting = 0) {
  Warmup warmup(policy, tick);
  while (!warmup.done()) {
    const std::uint32_t i = warmup.samples();
    warmup.add(i < first.size() ? first[i] : then, i < faulting);
  }
  return warmup.samples();
}

TEST(Warmup, ends_when_three_samples_agree) {
  EXPECT_EQ(length(Policy{}, {}, 100), 3u);
  EXPECT_EQ(length(Policy{}, {5700, 120, 110}, 100), 6u);
}

TEST(Warmup, agreement_is_3_percent_over_all_three) {
  EXPECT_EQ(length(Policy{}, {100, 103, 102}, 50), 3u);
  EXPECT_EQ(length(Policy{}, {100, 104, 102}, 103), 4u);
}

TEST(Warmup, goes_on_while_pages_fault) { EXPECT_EQ(length(Policy{}, {}, 100, 0, 8), 11u); }

TEST(Warmup, takes_the_minimum_in_any_case) {
  Policy policy;
  policy.warmup_min = 20;
  EXPECT_EQ(length(policy, {}, 100), 20u);
}

TEST(Warmup, ends_at_the_maximum_without_agreement) {
  Policy policy;
  policy.warmup_max = 30;
  Warmup warmup(policy, 0);
  double ns = 100;
  while (!warmup.done()) warmup.add(ns = ns == 100 ? 200 : 100, false);
  EXPECT_EQ(warmup.samples(), 30u);
  EXPECT_FALSE(warmup.settled());
  EXPECT_FALSE(warmup.faulting());
}

TEST(Warmup, lets_samples_two_ticks_apart_agree) { EXPECT_EQ(length(Policy{}, {100, 120, 140}, 0, 20), 3u); }

TEST(Warmup, never_settles_on_what_was_not_timed) {
  for (const double ns :
       {0.0, -5.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Warmup warmup(Policy{}, 1000);
    for (int i = 0; i < 10; ++i) warmup.add(i == 8 ? 100 : ns, false);
    EXPECT_FALSE(warmup.settled()) << ns;
  }
}

}  // namespace
}  // namespace sits
