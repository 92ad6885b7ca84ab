// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "microbench/tolerance.h"
#include "reference_executor.h"

namespace sits::microbench::test {
namespace {

class RightOutput : public ::testing::TestWithParam<const char *> {};

TEST_P(RightOutput, is_ok_in_every_copy) {
  const Execution run(parse_id(GetParam()), 42, 2);
  for (const std::uint32_t copy : {0u, 1u}) {
    const Verification v = run.verify(copy);
    EXPECT_TRUE(v.ok()) << v.first_mismatch;
    EXPECT_EQ(v.method, "recomputed");
    EXPECT_EQ(v.checked, run.output_count());
    EXPECT_LE(v.max_rel_error, v.tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(
    EveryTypeLayoutAndEpilogue, RightOutput,
    ::testing::Values("gemm/none/f32.f32.f32/m33n65k200/warm", "gemm/none/f64.f64.f64/m33n17k300/warm",
                      "gemm/bias_silu/f64.f64.f64/m20n20k64/warm", "gemm/bias_gelu/f32.f32.f32/m40n40k128/warm",
                      "gemm/bias_relu/bf16.bf16.bf16/m64n32k96/tn/warm",
                      "gemm/bias_silu/f16.f16.f16/m70n50k333/tt/warm", "gemm/bias/f16.f16.f32/m16n16k16/nt/warm",
                      "gemm/none/f16.f16.f16/m40n40k512/acc_f16/warm",
                      "gemm/none/bf16.bf16.f32/m30n30k100/acc_bf16/warm", "gemm/none/tf32.tf32.f32/m32n32k64/warm",
                      "gemm/none/f8.f8.bf16/m32n48k256/warm", "gemm/bias_gelu/f8.f8.f8/m32n48k256/warm",
                      "gemm/none/f8e5m2.f8e5m2.f16/m16n16k64/warm", "gemm/none/f8.f8.f8/m40n40k2048/warm",
                      "gemm/none/f4.f4.bf16/m32n32k128/block32_e8m0/warm",
                      "gemm/bias/f8.f8.f16/m24n18k96/tt/block32_e8m0/warm", "gemm/bias_silu/i8.i8.f16/m48n48k512/warm",
                      "gemm/none/i8.i8.i32/m48n48k512/warm", "gemm/none/i8.i8.i8/m48n48k512/warm",
                      "gemm/bias/i8.i4.f16/m32n32k64/warm", "gemm/none/i4.i4.i8/m32n32k64/warm",
                      "gemm/bias/f16.i4.f16/m32n32k64/warm", "gemm/none/bf16.i8.bf16/m32n32k64/warm",
                      "gemm/bias_relu/f32.f32.f32/m20n24k40/tt/b3/warm",
                      "gemm/bias_silu/bf16.bf16.bf16/m53n40k64/groups20_0_1_32/warm",
                      "gemm/bias/f16.f16.f16/m53n40k64/tt/groups20_0_1_32/warm", "gemm/none/f32.f32.f32/m1n1k1/warm",
                      "gemm/none/f16.f16.f16/m1n700k900/warm", "gemm/none/bf16.bf16.bf16/m900n1k70/warm"));

TEST(GemmOracle, right_outputs_of_random_cases_always_verify) {
  std::mt19937 random(20260101);
  const auto pick = [&](auto list) { return list[random() % list.size()]; };
  for (int round = 0; round < 150; ++round) {
    GemmSpec s;
    const auto types = pick(std::vector<std::array<std::uint32_t, 3>>{{SITS_F32, SITS_F32, SITS_F32},
                                                                      {SITS_F16, SITS_F16, SITS_F16},
                                                                      {SITS_BF16, SITS_BF16, SITS_BF16},
                                                                      {SITS_F64, SITS_F64, SITS_F64},
                                                                      {SITS_I8, SITS_I8, SITS_F16},
                                                                      {SITS_F8, SITS_F8, SITS_BF16},
                                                                      {SITS_F16, SITS_I8, SITS_F32}});
    s.type_a = types[0], s.type_b = types[1], s.type_out = types[2];
    s.epilogue = static_cast<std::uint32_t>(random() % 5);
    s.trans_a = random() % 2 != 0, s.trans_b = random() % 2 != 0;
    s.m = 1 + random() % 40, s.n = 1 + random() % 40, s.k = 1 + random() % (round % 5 == 0 ? 2000 : 90);
    if (random() % 3 == 0) s.batch = 1 + random() % 3;
    if (s.batch == 1 && random() % 3 == 0) {
      s.group_m = {static_cast<std::int64_t>(random() % 9), static_cast<std::int64_t>(1 + random() % 9)};
      s.m = s.group_m[0] + s.group_m[1];
    }
    const Case c{s, Mode::warm};
    validate(c);
    const Execution run(c, random());
    const Verification v = run.verify(0, random());
    EXPECT_TRUE(v.ok()) << canonical_id(c) << ": " << v.first_mismatch;
  }
}

TEST(GemmOracle, leaves_a_right_result_half_of_its_bound_unused) {
  for (const auto how : {Accumulate::sequential, Accumulate::truncated_by_16})
    for (const char *id : {"gemm/none/f32.f32.f32/m16n16k14336/warm", "gemm/none/f32.f32.f32/m64n64k1024/warm",
                           "gemm/none/f16.f16.f32/m16n16k4096/acc_f16/warm"}) {
      const bool narrow = std::string(id).find("acc_f16") != std::string::npos;
      if (narrow && how != Accumulate::sequential) continue;
      const Execution run(parse_id(id), 1, 1, {}, how);
      const Verification v = run.verify();
      EXPECT_TRUE(v.ok()) << id << ": " << v.first_mismatch;
      EXPECT_LT(v.max_rel_error, 0.5 * v.tolerance) << id;
    }
}

TEST(GemmOracle, lower_precision_than_the_case_asks_for_is_incorrect) {
  for (const char *id : {"gemm/none/f32.f32.f32/m32n32k64/warm", "gemm/none/f32.f32.f32/m32n32k4096/warm",
                         "gemm/none/tf32.tf32.f32/m32n32k1024/warm", "gemm/bias_silu/f32.f32.f32/m32n32k1024/warm"})
    EXPECT_FALSE(Execution(parse_id(id), 1, 1, {.multiplies_as_bf16 = true}).verify().ok()) << id;
}

TEST(GemmOracle, f16_accumulation_reported_as_f32_is_incorrect) {
  const Execution run(parse_id("gemm/none/f16.f16.f16/m64n64k1024/acc_f16/warm"));
  OracleRequest request = run.request();
  request.type_acc = SITS_F32;
  EXPECT_FALSE(verify(request, run.reader()).ok());
}

TEST(GemmOracle, integer_sums_are_held_to_the_last_unit) {
  Execution run(parse_id("gemm/none/i8.i8.i32/m48n48k512/warm"));
  run.set_output(100, run.output_value(100) + 1);
  const Verification v = run.verify();
  EXPECT_EQ(v.mismatches, 1u);
  EXPECT_NE(v.first_mismatch.find("C[2,4]"), std::string::npos) << v.first_mismatch;
  EXPECT_NE(v.first_mismatch.find("exactly"), std::string::npos) << v.first_mismatch;
}

TEST(GemmOracle, one_element_two_roundings_off_is_found_and_named) {
  Execution run(parse_id("gemm/bias_silu/f16.f16.f16/m64n64k64/b2/warm"));
  for (std::uint64_t i = 0; i < run.output_count(); i += 97) {
    const std::uint64_t right = run.output_bits(i);
    if (std::fabs(run.output_value(i)) < 0.5) continue;
    run.set_output_bits(i, right + 3);
    const Verification v = run.verify();
    EXPECT_EQ(v.mismatches, 1u) << i;
    EXPECT_GT(v.max_rel_error, v.tolerance);
    const std::string name =
        "C[" + std::to_string(i / 4096) + "," + std::to_string(i / 64 % 64) + "," + std::to_string(i % 64) + "]";
    EXPECT_EQ(v.first_mismatch.substr(0, name.size()), name);
    run.set_output_bits(i, right);
  }
}

TEST(GemmOracle, not_a_number_and_infinity_are_incorrect_and_leave_finite_statistics) {
  for (const std::uint64_t bits : {0x7e00ull, 0x7c00ull, 0xfc00ull}) {
    Execution run(parse_id("gemm/none/f16.f16.f16/m8n8k8/warm"));
    run.set_output_bits(5, bits);
    const Verification v = run.verify();
    EXPECT_EQ(v.mismatches, 1u);
    EXPECT_TRUE(std::isfinite(v.max_rel_error) && std::isfinite(v.tolerance));
  }
}

TEST(GemmOracle, an_infinity_is_right_only_where_the_output_overflows) {
  GemmSpec spec = std::get<GemmSpec>(parse_id("gemm/none/f16.f16.f16/m8n8k8/warm").spec);
  const GemmTolerance t = gemm_tolerance(spec, SITS_F32, SITS_F16);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(t.overflowed_rightly(infinity, 70000, 1));
  EXPECT_FALSE(t.overflowed_rightly(-infinity, 70000, 1));
  EXPECT_FALSE(t.overflowed_rightly(infinity, 60000, 1));
  EXPECT_FALSE(gemm_tolerance(spec, SITS_F32, SITS_F8_E4M3).overflowed_rightly(infinity, 1000, 1));
  EXPECT_EQ(gemm_tolerance(spec, SITS_F32, SITS_F8_E4M3_FNUZ).saturated(-1000), -240);
  EXPECT_EQ(gemm_tolerance(spec, SITS_F32, SITS_I8).saturated(-1000), -128);
}

TEST(GemmOracle, keeps_its_reference_for_the_second_check_of_a_copy) {
  Execution run(parse_id("gemm/bias/f16.f16.f16/m32n32k32/warm"), 3, 2);
  Oracle oracle(run.request());
  EXPECT_TRUE(oracle.verify(0, run.reader()).ok());
  EXPECT_TRUE(oracle.verify(1, run.reader()).ok());
  EXPECT_TRUE(oracle.verify(0, run.reader()).ok());
  run.poison(0, run.output_count());
  EXPECT_EQ(oracle.verify(0, run.reader()).mismatches, run.output_count());
  EXPECT_TRUE(oracle.verify(1, run.reader()).ok());
}

TEST(GemmOracle, outputs_of_another_copy_or_seed_are_incorrect) {
  const Execution run(parse_id("gemm/none/bf16.bf16.bf16/m32n32k32/warm"), 3, 2);
  const Reader other = [&](std::size_t index, std::uint32_t copy, std::uint64_t first, std::uint64_t count) {
    return run.reader()(index, 1 - copy, first, count);
  };
  EXPECT_FALSE(verify(run.request(0), other).ok());
  OracleRequest request = run.request();
  request.seed += 1;
  EXPECT_FALSE(verify(request, run.reader()).ok());
}

}  // namespace
}  // namespace sits::microbench::test
