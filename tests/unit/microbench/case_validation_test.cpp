// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "microbench/case.h"

namespace sits::microbench {
namespace {

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

std::string refusal(const Spec &spec, Mode mode) {
  try {
    validate({spec, mode});
    return "";
  } catch (const CaseError &error) {
    return error.what();
  }
}

GemmSpec gemm(std::int64_t m, std::int64_t n, std::int64_t k) {
  GemmSpec s;
  s.m = m;
  s.n = n;
  s.k = k;
  return s;
}

TEST(Validation, thirty_bits_of_elements_are_an_ordinary_size) {
  EXPECT_EQ(
      refusal(StreamSpec{.kind = SITS_STREAM_TRIAD, .type = SITS_F64, .bytes = std::uint64_t{8} << 30}, Mode::cold),
      "");
  EXPECT_EQ(refusal(gemm(1 << 16, 1 << 16, 1 << 16), Mode::warm), "");
}

TEST(Validation, sizes_that_overflow_are_refused_with_their_factors) {
  for (const GemmSpec &s : {gemm(kHuge, 2, 2), gemm(2, kHuge, 2), gemm(2, 2, kHuge), gemm(kHuge, kHuge, kHuge),
                            gemm(std::int64_t{1} << 31, std::int64_t{1} << 31, 1), gemm(kHuge / 4, 1, 1)})
    EXPECT_NE(refusal(s, Mode::warm).find("2^63 - 1"), std::string::npos) << s.m << " " << s.n << " " << s.k;
  EXPECT_NE(refusal(gemm(kHuge, 2, 2), Mode::warm).find("9223372036854775807"), std::string::npos);
  GemmSpec batched = gemm(1 << 20, 1 << 20, 1 << 20);
  batched.batch = 1 << 30;
  EXPECT_NE(refusal(batched, Mode::warm), "");
  GemmSpec grouped = gemm(2, 1, 1);
  grouped.group_m = {kHuge, 2};
  EXPECT_NE(refusal(grouped, Mode::warm).find("2^63 - 1"), std::string::npos);

  EXPECT_NE(refusal(StreamSpec{.kind = SITS_STREAM_TRIAD, .bytes = std::uint64_t{1} << 62}, Mode::cold), "");
  EXPECT_NE(refusal(StreamSpec{.bytes = std::uint64_t{1} << 63}, Mode::cold), "");
  EXPECT_NE(refusal(TransferSpec{.bytes = ~std::uint64_t{0}}, Mode::none), "");
  EXPECT_NE(refusal(CollectiveSpec{.bytes = std::uint64_t{1} << 63, .ranks = 2}, Mode::steady), "");
  AttentionSpec attention{
      .batch = 1 << 30, .q_heads = 1 << 20, .kv_heads = 1, .q_len = 1 << 20, .kv_len = 1 << 20, .head_dim = 128};
  EXPECT_NE(refusal(attention, Mode::cold).find("2^63 - 1"), std::string::npos);
}

TEST(Validation, zero_negative_and_missing_sizes_are_refused) {
  for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::min()}) {
    EXPECT_NE(refusal(gemm(bad, 1, 1), Mode::warm).find("m is"), std::string::npos);
    EXPECT_NE(refusal(gemm(1, bad, 1), Mode::warm).find("n is"), std::string::npos);
    EXPECT_NE(refusal(gemm(1, 1, bad), Mode::warm).find("k is"), std::string::npos);
    GemmSpec batched = gemm(1, 1, 1);
    batched.batch = bad;
    EXPECT_NE(refusal(batched, Mode::warm).find("batch is"), std::string::npos);
  }
  EXPECT_NE(refusal(StreamSpec{}, Mode::cold).find("missing or 0"), std::string::npos);
  EXPECT_NE(refusal(TransferSpec{}, Mode::none), "");
  EXPECT_NE(refusal(MemoryLatencySpec{}, Mode::none), "");
  EXPECT_NE(refusal(CollectiveSpec{.bytes = 1024, .ranks = 0}, Mode::steady).find("ranks is"), std::string::npos);
}

TEST(Validation, sizes_must_be_whole_elements_shares_and_lines) {
  EXPECT_NE(refusal(StreamSpec{.type = SITS_F64, .bytes = 12}, Mode::cold).find("multiple of 8"), std::string::npos);
  // a buffer smaller than one element per rank would be a row of zeros
  EXPECT_NE(refusal(CollectiveSpec{.kind = SITS_ALL_GATHER, .type = SITS_F32, .bytes = 8, .ranks = 8}, Mode::steady)
                .find("multiple of 32"),
            std::string::npos);
  EXPECT_EQ(refusal(CollectiveSpec{.kind = SITS_ALL_REDUCE, .type = SITS_F32, .bytes = 8, .ranks = 8}, Mode::steady),
            "");
  EXPECT_NE(refusal(MemoryLatencySpec{.bytes = 100}, Mode::none), "");
  EXPECT_NE(refusal(MemoryLatencySpec{.bytes = 64}, Mode::none), "");
  EXPECT_EQ(refusal(MemoryLatencySpec{.bytes = 128}, Mode::none), "");
  EXPECT_NE(refusal(MemoryLatencySpec{.bytes = (std::uint64_t{1} << 37) + 64}, Mode::none), "");
}

TEST(Validation, a_single_rank_is_a_case_so_that_it_can_be_reported_as_not_applicable) {
  EXPECT_EQ(refusal(CollectiveSpec{.bytes = 1024, .ranks = 1}, Mode::steady), "");
}

TEST(Validation, types_that_make_no_product_are_refused) {
  const auto refused = [](std::uint32_t a, std::uint32_t b, std::uint32_t out) {
    GemmSpec s = gemm(64, 64, 64);
    s.type_a = a;
    s.type_b = b;
    s.type_out = out;
    return refusal(s, Mode::warm);
  };
  EXPECT_NE(refused(SITS_F32, SITS_F16, SITS_F32), "");
  EXPECT_NE(refused(SITS_I8, SITS_F16, SITS_F16), "");
  EXPECT_NE(refused(SITS_F64, SITS_F64, SITS_F32), "");
  EXPECT_NE(refused(SITS_TF32, SITS_TF32, SITS_TF32), "");
  EXPECT_NE(refused(SITS_F16, SITS_F16, SITS_I8), "");
  EXPECT_NE(refused(SITS_DTYPE_NONE, SITS_F32, SITS_F32), "");
  EXPECT_NE(refused(999, 999, 999), "");
  EXPECT_NE(refused(SITS_E8M0, SITS_E8M0, SITS_F32), "");
  EXPECT_NE(refused(SITS_F4_E2M1, SITS_F4_E2M1, SITS_F16).find("block scales"), std::string::npos);
  EXPECT_NE(refused(SITS_F8_E4M3_FNUZ, SITS_F8_E4M3_FNUZ, SITS_F16).find("the device chooses it"), std::string::npos);
  EXPECT_EQ(refused(SITS_F16, SITS_I4, SITS_F16), "");
  EXPECT_EQ(refused(SITS_I8, SITS_I8, SITS_I32), "");
}

TEST(Validation, contradictions_in_a_product_are_refused) {
  GemmSpec raw = gemm(64, 64, 64);
  raw.type_a = raw.type_b = SITS_I8;
  raw.type_out = SITS_I32;
  raw.epilogue = SITS_EPILOGUE_BIAS;
  EXPECT_NE(refusal(raw, Mode::warm).find("bare accumulator"), std::string::npos);

  GemmSpec natural = gemm(64, 64, 64);
  natural.type_acc = SITS_F32;
  EXPECT_NE(refusal(natural, Mode::warm).find("leave it out"), std::string::npos);
  natural.type_acc = SITS_I32;
  EXPECT_NE(refusal(natural, Mode::warm), "");

  GemmSpec grouped = gemm(5, 64, 64);
  grouped.group_m = {2, 2};
  EXPECT_NE(refusal(grouped, Mode::warm).find("sums to 4"), std::string::npos);
  grouped.group_m = {2, 3};
  EXPECT_EQ(refusal(grouped, Mode::warm), "");
  grouped.batch = 2;
  EXPECT_NE(refusal(grouped, Mode::warm), "");
  grouped.batch = 1;
  grouped.group_m = {6, -1};
  EXPECT_NE(refusal(grouped, Mode::warm).find("-1"), std::string::npos);
  GemmSpec empty = gemm(0, 64, 64);
  empty.group_m = {0, 0};
  EXPECT_NE(refusal(empty, Mode::warm), "");

  GemmSpec scaled = gemm(64, 64, 48);
  scaled.type_a = scaled.type_b = SITS_F8;
  scaled.type_out = SITS_F16;
  scaled.block_size = 32;
  scaled.type_block_scale = SITS_E8M0;
  EXPECT_NE(refusal(scaled, Mode::warm).find("multiple of block_size"), std::string::npos);
  scaled.k = 64;
  EXPECT_EQ(refusal(scaled, Mode::warm), "");
  scaled.block_size = 0;
  EXPECT_NE(refusal(scaled, Mode::warm), "");

  GemmSpec packed = gemm(1, 63, 64);
  packed.type_a = packed.type_out = SITS_F16;
  packed.type_b = SITS_I4;
  EXPECT_NE(refusal(packed, Mode::warm).find("even"), std::string::npos);
  packed.trans_b = true;
  EXPECT_EQ(refusal(packed, Mode::warm), "");
}

TEST(Validation, integers_stream_only_where_one_half_is_not_needed) {
  for (const std::uint32_t kind : {SITS_STREAM_COPY, SITS_STREAM_READ})
    EXPECT_EQ(refusal(StreamSpec{.kind = kind, .type = SITS_I8, .bytes = 64}, Mode::cold), "");
  for (const std::uint32_t kind : {SITS_STREAM_SCALE, SITS_STREAM_ADD, SITS_STREAM_TRIAD, SITS_STREAM_WRITE})
    EXPECT_NE(refusal(StreamSpec{.kind = kind, .type = SITS_I8, .bytes = 64}, Mode::cold), "");
  EXPECT_NE(refusal(StreamSpec{.kind = 99, .bytes = 64}, Mode::cold), "");
}

TEST(Validation, attention_needs_a_key_for_every_query) {
  AttentionSpec s{.q_heads = 32, .kv_heads = 8, .q_len = 64, .kv_len = 32, .head_dim = 128};
  EXPECT_EQ(refusal(s, Mode::cold), "");
  s.causal = true;
  EXPECT_NE(refusal(s, Mode::cold).find("attend no key"), std::string::npos);
  s.kv_len = 64;
  EXPECT_EQ(refusal(s, Mode::cold), "");
  s.q_heads = 12;
  EXPECT_NE(refusal(s, Mode::cold).find("multiple of kv_heads"), std::string::npos);
}

TEST(Validation, decode_is_paged_and_has_one_query) {
  AttentionSpec s{.kind = SITS_ATTENTION_DECODE,
                  .q_heads = 8,
                  .kv_heads = 8,
                  .q_len = 1,
                  .kv_len = 64,
                  .head_dim = 128,
                  .kv_layout = SITS_KV_LAYOUT_PAGED,
                  .page_size = 16};
  EXPECT_EQ(refusal(s, Mode::cold), "");
  AttentionSpec two = s;
  two.q_len = 2;
  EXPECT_NE(refusal(two, Mode::cold), "");
  AttentionSpec contiguous = s;
  contiguous.kv_layout = SITS_KV_LAYOUT_CONTIGUOUS;
  EXPECT_NE(refusal(contiguous, Mode::cold), "");
  AttentionSpec unpaged = s;
  unpaged.page_size = 0;
  EXPECT_NE(refusal(unpaged, Mode::cold), "");
  AttentionSpec many = s;
  many.batch = 1 << 20;
  many.kv_len = 1 << 20;
  many.page_size = 1;
  EXPECT_NE(refusal(many, Mode::cold).find("block table"), std::string::npos);
}

TEST(Validation, modes_belong_to_operations_that_touch_memory) {
  EXPECT_NE(refusal(gemm(1, 1, 1), Mode::none), "");
  EXPECT_NE(refusal(PeakSpec{}, Mode::warm).find("use none"), std::string::npos);
  EXPECT_EQ(refusal(PeakSpec{}, Mode::none), "");
  EXPECT_NE(refusal(gemm(1, 1, 1), static_cast<Mode>(9)), "");
}

TEST(Validation, copies_inside_a_device_have_no_host_side) {
  EXPECT_NE(refusal(TransferSpec{.kind = SITS_TRANSFER_D2D, .numa = SITS_NUMA_NEAR, .bytes = 64}, Mode::none), "");
  EXPECT_NE(refusal(TransferSpec{.numa = -4, .bytes = 64}, Mode::none), "");
  EXPECT_NE(refusal(CollectiveSpec{.kind = SITS_SEND_RECV, .bytes = 64, .ranks = 2, .in_place = true}, Mode::steady),
            "");
}

}  // namespace
}  // namespace sits::microbench
