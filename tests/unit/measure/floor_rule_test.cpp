// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/floor_rule.h"

#include <gtest/gtest.h>

#include <limits>

namespace sits {
namespace {

TEST(FloorRule, asks_for_20_floors_and_100_ticks) {
  EXPECT_EQ(shortest_sample_ns(50, 1), 1000);
  EXPECT_EQ(shortest_sample_ns(50, 40), 4000);
  EXPECT_EQ(shortest_sample_ns(0, 0), 0);
}

TEST(FloorRule, leaves_long_operations_alone) {
  EXPECT_EQ(batch_for(1000, 1, 50, 1, 1), 1u);
  EXPECT_EQ(batch_for(1000, 7, 50, 1, 1), 1u);
}

TEST(FloorRule, sizes_a_batch_with_a_margin) {
  EXPECT_EQ(batch_for(100, 1, 50, 1, 1), 13u);  // 1.25 × 1000 / 100
  EXPECT_TRUE(keeps_floor_rule(100, 13, 50, 1));
  EXPECT_FALSE(keeps_floor_rule(100, 9, 50, 1));
}

TEST(FloorRule, keeps_the_minimum_of_steady_mode) { EXPECT_EQ(batch_for(1e6, 1, 50, 1, 32), 32u); }

TEST(FloorRule, grows_tenfold_while_nothing_can_be_timed) {
  EXPECT_EQ(batch_for(0, 1, 50, 1, 1), 10u);
  EXPECT_EQ(batch_for(std::numeric_limits<double>::quiet_NaN(), 10, 50, 1, 1), 100u);
  EXPECT_EQ(batch_for(-3, kLargestBatch, 50, 1, 1), kLargestBatch);
}

TEST(FloorRule, is_bounded) { EXPECT_EQ(batch_for(1e-9, 1, 50, 1, 1), kLargestBatch); }

TEST(FloorRule, holds_for_no_time_that_is_not_positive) {
  EXPECT_FALSE(keeps_floor_rule(0, 1, 0, 0));
  EXPECT_FALSE(keeps_floor_rule(std::numeric_limits<double>::quiet_NaN(), 1, 0, 0));
  EXPECT_TRUE(keeps_floor_rule(1, 1, 0, 0));
}

}  // namespace
}  // namespace sits
