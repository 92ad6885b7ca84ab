// SPDX-License-Identifier: Apache-2.0
//
// Outputs too large to recompute whole: the same checks with the limits lowered, so that small cases are sampled.
#include <gtest/gtest.h>

#include <cmath>

#include "microbench/checkers.h"
#include "reference_executor.h"

namespace sits::microbench::test {
namespace {

/// Checks with a limit that leaves every `step`-th column of a row to be recomputed.
Verification sampled(const Execution &run, double step, std::uint64_t sample_seed = 7) {
  const auto &spec = std::get<GemmSpec>(run.test_case().spec);
  const OracleRequest request = run.request(0, sample_seed);
  const double work =
      static_cast<double>(spec.m * spec.batch) * static_cast<double>(spec.n) * static_cast<double>(spec.k);
  return make_gemm_checker(spec, request, {.multiply_adds = work / step, .elements = 1e9})->check(0, 0, run.reader());
}

constexpr const char *kLinear = "gemm/none/f32.f32.f32/m128n256k64/warm";
constexpr const char *kLinearCoarse = "gemm/bias/bf16.bf16.bf16/m128n256k64/warm";
constexpr const char *kCurved = "gemm/bias_silu/f16.f16.f16/m128n256k64/warm";

TEST(SampledGemm, right_outputs_verify_whatever_is_sampled) {
  for (const char *id :
       {kLinear, kLinearCoarse, kCurved, "gemm/bias/i8.i8.f16/m33n200k64/b3/warm",
        "gemm/none/f64.f64.f64/m40n100k64/tt/warm", "gemm/bias/bf16.bf16.bf16/m53n130k64/groups20_0_1_32/warm",
        "gemm/none/f8.f8.f8/m64n64k2048/warm"}) {
    const Execution run(parse_id(id));
    for (const double step : {2.0, 8.0, 64.0})
      for (std::uint64_t seed = 0; seed < 5; ++seed) {
        const Verification v = sampled(run, step, seed);
        EXPECT_TRUE(v.ok()) << id << " step " << step << ": " << v.first_mismatch;
      }
  }
}

TEST(SampledGemm, says_how_it_checked) {
  EXPECT_EQ(sampled(Execution(parse_id(kLinear)), 16).method, "freivalds");
  EXPECT_EQ(sampled(Execution(parse_id(kCurved)), 16).method, "sampled");
  EXPECT_EQ(sampled(Execution(parse_id(kCurved)), 1).method, "recomputed");
}

TEST(SampledGemm, finds_wrong_structure_in_linear_and_curved_outputs) {
  for (const char *id : {kLinear, kLinearCoarse, kCurved}) {
    const Case c = parse_id(id);
    EXPECT_FALSE(sampled(Execution(c, 42, 1, {.dropped_k = 16}), 64).ok()) << id;
    if (std::get<GemmSpec>(c.spec).epilogue != SITS_EPILOGUE_NONE) {
      EXPECT_FALSE(sampled(Execution(c, 42, 1, {.missing_bias = true}), 64).ok()) << id;
    }
    Execution zero(c);
    for (std::uint64_t i = 0; i < zero.output_count(); ++i) zero.set_output(i, 0);
    EXPECT_FALSE(sampled(zero, 64).ok()) << id;
  }
}

TEST(SampledGemm, finds_every_run_of_64_zeroed_elements) {
  for (const char *id : {kLinear, kLinearCoarse, kCurved}) {
    Execution run(parse_id(id));
    for (const std::uint64_t first : {0ull, 77ull, 256ull * 50 + 130, 256ull * 127 + 192}) {
      std::vector<std::uint64_t> saved;
      for (std::uint64_t i = first; i < first + 64; ++i) saved.push_back(run.output_bits(i));
      // curved outputs near zero stay right when zeroed, so put what no element is
      for (std::uint64_t i = first; i < first + 64; ++i) run.set_output(i, run.output_value(i) + 1);
      EXPECT_FALSE(sampled(run, 64).ok()) << id << " from " << first;
      for (std::uint64_t i = first; i < first + 64; ++i) run.set_output_bits(i, saved[i - first]);
    }
    EXPECT_TRUE(sampled(run, 64).ok());
  }
}

TEST(SampledGemm, finds_any_single_unwritten_element) {
  Execution run(parse_id(kCurved));
  for (std::uint64_t i = 3; i < run.output_count(); i += 4099) {
    const std::uint64_t right = run.output_bits(i);
    run.poison(i, 1);
    EXPECT_FALSE(sampled(run, 64).ok()) << i;
    run.set_output_bits(i, right);
  }
}

TEST(SampledGemm, projections_find_any_single_wrong_element_above_their_bound) {
  Execution run(parse_id(kLinear));
  for (std::uint64_t i = 3; i < run.output_count(); i += 1021) {
    const double right = run.output_value(i);
    run.set_output(i, right + 0.05);  // typical element 2.7; bound of a projection over 64 columns ~0.001
    EXPECT_FALSE(sampled(run, 64).ok()) << i;
    run.set_output(i, right);
  }
}

TEST(SampledGemm, samples_every_column_when_there_are_rows_enough) {
  const Execution right(parse_id(kCurved));
  for (std::uint64_t column = 0; column < 256; column += 5) {
    Execution run = right;
    for (std::uint64_t row = 0; row < 128; ++row) run.set_output(row * 256 + column, 0.75);
    EXPECT_FALSE(sampled(run, 64).ok()) << column;
  }
}

TEST(SampledGemm, large_outputs_of_little_work_are_sampled_for_memory) {
  const Case c = parse_id("gemm/none/i8.i8.i32/m512n512k4/warm");
  const Execution run(c);
  const OracleRequest request = run.request();
  const Verification v =
      make_gemm_checker(std::get<GemmSpec>(c.spec), request, {.elements = 1 << 16})->check(0, 0, run.reader());
  EXPECT_EQ(v.method, "freivalds");
  EXPECT_TRUE(v.ok()) << v.first_mismatch;
}

}  // namespace
}  // namespace sits::microbench::test
