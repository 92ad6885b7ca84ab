// SPDX-License-Identifier: Apache-2.0
#include "harness/normalize/lookup.h"

#include <gtest/gtest.h>

#include <cmath>

#include "fixtures.h"

namespace sits::normalize::test {
namespace {

Found found(const nlohmann::json &document, const std::string &id, const Query &query = {}) {
  return find(parsed(document), microbench::parse_id(id), query);
}
Found found(const std::string &id, const Query &query = {}) { return found(small_baseline(), id, query); }

TEST(Lookup, takes_the_listed_value_with_its_source) {
  const Found f = found(kGemmCold);
  ASSERT_TRUE(f.reference);
  EXPECT_EQ(f.reference->value_ns, 5000);
  EXPECT_EQ(f.reference->kind, Kind::published);
  EXPECT_EQ(f.reference->source, "A paper (https://example.org/paper)");
}

TEST(Lookup, never_gives_a_cold_value_to_a_warm_case) {
  const Found f = found(kGemmWarm);
  EXPECT_FALSE(f.reference);
  EXPECT_EQ(f.reason, "no_rate_for_type");
}

TEST(Lookup, refuses_a_value_in_the_other_convention) {
  const Found f = found(kGemmCold, {.convention = Headline::submit});
  EXPECT_FALSE(f.reference);
  EXPECT_EQ(f.reason, "no_value_in_convention");
}

TEST(Lookup, prefers_the_asked_convention_when_both_are_listed) {
  auto document = small_baseline();
  document["values"].push_back(document["values"][0]);
  document["values"][1]["convention"] = "submit";
  document["values"][1]["value_ns"] = 9000;
  EXPECT_EQ(found(document, kGemmCold).reference->value_ns, 5000);
  EXPECT_EQ(found(document, kGemmCold, {.preferred = Headline::submit}).reference->value_ns, 9000);
}

TEST(Lookup, filters_by_kind) {
  EXPECT_EQ(found(kGemmCold, {.kind = Kind::measured}).reason, "no_value_of_kind");
  EXPECT_TRUE(found(kGemmCold, {.kind = Kind::published}).reference);
}

TEST(Lookup, matches_collectives_by_kind_bytes_and_ranks_whatever_the_type) {
  EXPECT_EQ(found("collective/all_reduce/f32/1mib/n8/steady").reference->value_ns, 25000);
  EXPECT_EQ(found("collective/all_reduce/bf16/1mib/n8/cold").reference->value_ns, 25000);
  EXPECT_EQ(found("collective/all_reduce/bf16/1mib/n4/steady").reason, "no_value");
  EXPECT_EQ(found("collective/all_gather/bf16/1mib/n8/steady").reason, "no_value");
}

TEST(Lookup, turns_a_published_rate_into_a_latency_from_its_least_size_on) {
  const Found large = found("stream/triad/f32/256mib/cold");
  EXPECT_EQ(large.reference->kind, Kind::published);
  EXPECT_DOUBLE_EQ(large.reference->value_ns, 3.0 * 268435456 / 40);
  const Found smaller = found("stream/triad/f32/128mib/cold");
  EXPECT_EQ(smaller.reference->kind, Kind::modelled);
  EXPECT_DOUBLE_EQ(smaller.reference->value_ns, 1000 + 3.0 * 134217728 / 40);
  EXPECT_EQ(found("stream/copy/f32/256mib/cold").reason, "no_value");
}

TEST(Lookup, models_cache_resident_streams_at_the_rate_of_the_cache) {
  const Found warm = found("stream/triad/f32/64kib/warm");
  EXPECT_DOUBLE_EQ(warm.reference->value_ns, 1000 + 3.0 * 65536 / 1000);
  EXPECT_EQ(warm.reference->uncertainty, 0.5);
  EXPECT_DOUBLE_EQ(found("stream/triad/f32/64kib/cold").reference->value_ns, 1000 + 3.0 * 65536 / 40);
}

TEST(Lookup, rates_of_transfers_speak_for_pinned_memory_only) {
  EXPECT_DOUBLE_EQ(found("transfer/h2d/pinned/1mib").reference->value_ns, 104857.6);
  EXPECT_TRUE(found("transfer/h2d/pinned/1mib/numa_near").reference);
  EXPECT_EQ(found("transfer/h2d/pinned/1mib/numa_far").reason, "no_value");
  EXPECT_EQ(found("transfer/h2d/pageable/1mib").reason, "no_value");
  EXPECT_EQ(found("transfer/h2d/pinned/512kib").reason, "no_value");
}

// 2·1000³ flops at 1e12 · 0.5 per s = 4 ms; 12 MB at 1e11 · 0.5 = 0.24 ms.
TEST(Lookup, models_a_compute_bound_gemm_by_its_flops) {
  const Found f = found("gemm/none/f32.f32.f32/m1000n1000k1000/cold");
  EXPECT_DOUBLE_EQ(f.reference->value_ns, 1000 + 4e6);
  EXPECT_EQ(f.reference->kind, Kind::modelled);
  EXPECT_EQ(f.reference->uncertainty, 0.4);
}

// 4·(1000 + 1000000 + 1000) bytes at 5e10 per s, against 2e6 flops at 5e11 = 4 us.
TEST(Lookup, models_a_memory_bound_gemm_by_its_bytes) {
  EXPECT_DOUBLE_EQ(found("gemm/none/f32.f32.f32/m1n1000k1000/cold").reference->value_ns, 1000 + 4008000 / 50.0);
}

// 4·(256 + 65536 + 256) bytes fit the cache of 1 MiB: 1e12 per s when warm, 5e10 when cold.
TEST(Lookup, models_warm_and_cold_apart) {
  EXPECT_DOUBLE_EQ(found("gemm/none/f32.f32.f32/m1n256k256/warm").reference->value_ns, 1000 + 4 * 66048 / 1000.0);
  EXPECT_DOUBLE_EQ(found("gemm/none/f32.f32.f32/m1n256k256/cold").reference->value_ns, 1000 + 4 * 66048 / 50.0);
}

TEST(Lookup, adds_the_read_of_the_bias_to_the_value_without_epilogue) {
  const Found f = found("gemm/bias_silu/bf16.bf16.bf16/m256n256k256/cold");
  EXPECT_DOUBLE_EQ(f.reference->value_ns, 5000 + 4 * 256 / 50.0);
  EXPECT_EQ(f.reference->kind, Kind::modelled);
  EXPECT_DOUBLE_EQ(f.reference->uncertainty, 0.05);  // 0.03 and 0.04 in quadrature
  EXPECT_NE(f.reference->source.find("A paper"), std::string::npos);
  EXPECT_NE(f.reference->source.find("bias"), std::string::npos);
}

// Cold 4·66048 bytes at 5e10, warm at 1e12 per s, and 1 us each: the model's ratio scales the value listed cold.
TEST(Lookup, carries_a_value_over_to_another_cache_state_as_modelled_and_less_sure) {
  auto document = small_baseline();
  document["values"][0]["id"] = "gemm/none/f32.f32.f32/m1n256k256/cold";
  const double factor = (1000 + 264192 / 1000.0) / (1000 + 264192 / 50.0);
  const Found f = found(document, "gemm/none/f32.f32.f32/m1n256k256/warm");
  EXPECT_DOUBLE_EQ(f.reference->value_ns, 5000 * factor);
  EXPECT_EQ(f.reference->kind, Kind::modelled);
  EXPECT_NEAR(f.reference->uncertainty, std::sqrt(0.03 * 0.03 + 0.1 * 0.1 + std::pow(std::log(factor), 2)), 1e-12);
  EXPECT_NE(f.reference->source.find("published cold"), std::string::npos);
  const Found with_bias = found(document, "gemm/bias/f32.f32.f32/m1n256k256/warm");
  EXPECT_DOUBLE_EQ(with_bias.reference->value_ns, 5000 * factor + 1024 / 1000.0);
}

TEST(Lookup, gives_peak_and_launch_a_reason) {
  EXPECT_EQ(found("peak/fma/f32").reason, "no_latency");
  EXPECT_EQ(found("launch/round_trip").reason, "no_value");
  EXPECT_EQ(found("memory_latency/chase/64mib").reason, "no_value");
}

}  // namespace
}  // namespace sits::normalize::test
