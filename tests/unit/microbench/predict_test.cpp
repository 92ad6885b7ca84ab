// SPDX-License-Identifier: Apache-2.0
#include "microbench/predict.h"

#include <gtest/gtest.h>

namespace sits::microbench {
namespace {

const Roofs kRoofs{.flops_per_s = {{SITS_F32, 1e12}, {SITS_F16, 4e12}}, .bytes_per_s = 1e11, .launch_ns = 500};

TEST(Predict, takes_the_slower_of_compute_and_memory_and_adds_the_launch) {
  const auto gemm = predicted_ns(parse_id("gemm/none/f32.f32.f32/m1000n1000k1000/warm"), kRoofs);
  ASSERT_TRUE(gemm);
  EXPECT_NEAR(*gemm, 2e6 + 500, 1);
  const auto stream = predicted_ns(parse_id("stream/copy/f32/1gib/cold"), kRoofs);
  ASSERT_TRUE(stream);
  EXPECT_NEAR(*stream, 2 * 1073741824.0 / 100 + 500, 1);
}

TEST(Predict, a_type_without_a_roof_takes_that_of_f32) {
  const auto own = predicted_ns(parse_id("gemm/none/f16.f16.f16/m1024n1024k1024/warm"), kRoofs);
  const auto other = predicted_ns(parse_id("gemm/none/bf16.bf16.bf16/m1024n1024k1024/warm"), kRoofs);
  ASSERT_TRUE(own && other);
  EXPECT_NEAR((*other - 500) / (*own - 500), 4, 1e-9);
}

TEST(Predict, is_absent_when_a_needed_roof_is_unknown) {
  EXPECT_FALSE(predicted_ns(parse_id("stream/copy/f32/1gib/cold"), Roofs{.flops_per_s = {{SITS_F32, 1e12}}}));
  EXPECT_FALSE(
      predicted_ns(parse_id("gemm/none/f32.f32.f32/m8n8k8/warm"), Roofs{.flops_per_s = {}, .bytes_per_s = 1e11}));
  EXPECT_FALSE(predicted_ns(parse_id("peak/fma/f32"), kRoofs));
  EXPECT_EQ(predicted_ns(parse_id("launch/round_trip"), kRoofs), 500);
}

TEST(Predict, memory_is_the_rotated_copies_when_cold_and_one_copy_otherwise) {
  const double one = 2 * 1048576;
  EXPECT_EQ(predicted_bytes(parse_id("stream/copy/f32/1mib/warm"), 96e6), one);
  EXPECT_EQ(predicted_bytes(parse_id("stream/copy/f32/1mib/cold"), 10 * one), 10 * one);
  EXPECT_EQ(predicted_bytes(parse_id("stream/copy/f32/1mib/cold"), 10 * one + 1), 11 * one);
  EXPECT_EQ(predicted_bytes(parse_id("stream/copy/f32/1mib/cold"), 0), one);
}

}  // namespace
}  // namespace sits::microbench
