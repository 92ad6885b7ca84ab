// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "microbench/case.h"

namespace sits::microbench {
namespace {

WorkModel work(const char *id) { return work_model(parse_id(id)); }

TEST(WorkModel, gemm_counts_a_multiply_and_an_add_per_product) {
  const WorkModel w = work("gemm/bias/f16.f16.f32/m2n3k4/b5/warm");
  EXPECT_EQ(w.flops, 2.0 * 5 * 2 * 3 * 4);
  EXPECT_EQ(w.bytes_read, 5 * 2 * 4 * 2 + 5 * 4 * 3 * 2 + 3 * 4);
  EXPECT_EQ(w.bytes_written, 5 * 2 * 3 * 4);
  EXPECT_EQ(w.bytes_counted, w.bytes_total());
  EXPECT_EQ(w.footprint_bytes, w.bytes_total());
}

TEST(WorkModel, groups_read_one_weight_matrix_and_bias_row_each) {
  const WorkModel w = work("gemm/bias/f32.f32.f32/m7n3k4/groups0_3_4/warm");
  EXPECT_EQ(w.flops, 2.0 * 7 * 3 * 4);
  EXPECT_EQ(w.bytes_read, 7 * 4 * 4 + 3 * (4 * 3 * 4) + 3 * (3 * 4));
}

TEST(WorkModel, packed_types_and_block_scales_count_their_bytes) {
  EXPECT_EQ(work("gemm/none/f16.i4.f16/m1n64k32/warm").bytes_read, 32 * 2 + 32 * 64 / 2);
  EXPECT_EQ(work("gemm/none/f4.f4.bf16/m2n4k64/block32_e8m0/warm").bytes_read, 2 * 32 + 4 * 32 + 2 * 2 + 4 * 2);
}

TEST(WorkModel, stream_weights_are_streams_own) {
  const struct {
    const char *kind;
    double read, written, flops;
  } kRows[] = {{"copy", 1, 1, 0},  {"scale", 1, 1, 1}, {"add", 2, 1, 1},
               {"triad", 2, 1, 2}, {"read", 1, 0, 1},  {"write", 0, 1, 0}};
  for (const auto &row : kRows) {
    SCOPED_TRACE(row.kind);
    const WorkModel w = work(("stream/" + std::string(row.kind) + "/f32/1kib/cold").c_str());
    EXPECT_EQ(w.bytes_read, row.read * 1024);
    EXPECT_EQ(w.bytes_written, row.written * 1024);
    EXPECT_EQ(w.bytes_counted, (row.read + row.written) * 1024);
    EXPECT_EQ(w.flops, row.flops * 256);
    EXPECT_EQ(w.bytes_convention, "read+write");
  }
}

/// Pairs counted one by one.
double causal_pairs(std::int64_t q_len, std::int64_t kv_len) {
  double pairs = 0;
  for (std::int64_t i = 0; i < q_len; ++i) pairs += static_cast<double>(i + kv_len - q_len + 1);
  return pairs;
}

TEST(WorkModel, attention_counts_the_attended_pairs_exactly) {
  EXPECT_EQ(work("attention/prefill/bf16/b2hq8hkv2q5kv5d64/causal/cold").flops, 4.0 * 2 * 8 * 64 * causal_pairs(5, 5));
  EXPECT_EQ(work("attention/prefill/bf16/b2hq8hkv2q5kv9d64/causal/cold").flops, 4.0 * 2 * 8 * 64 * causal_pairs(5, 9));
  EXPECT_EQ(work("attention/prefill/bf16/b2hq8hkv2q5kv9d64/cold").flops, 4.0 * 2 * 8 * 64 * 45);
  const WorkModel decode = work("attention/decode/bf16.f8/b2hq8hkv2kv100d64/page16/cold");
  EXPECT_EQ(decode.flops, 4.0 * 2 * 8 * 64 * 100);
  EXPECT_EQ(decode.bytes_read, 2 * 8 * 64 * 2 + 2 * (2 * 2 * 100 * 64) + 2 * 7 * 4);
  EXPECT_EQ(decode.bytes_written, 2 * 8 * 64 * 2);
  EXPECT_EQ(decode.footprint_bytes, 2 * (2 * 8 * 64 * 2) + 2 * (2 * 7 * 16 * 2 * 64) + 2 * 7 * 4);
}

TEST(WorkModel, collectives_follow_nccl) {
  const struct {
    const char *kind;
    double bus_factor, in, out;
  } kRows[] = {{"all_reduce", 2 * 7.0 / 8, 1, 1},
               {"all_gather", 7.0 / 8, 0.125, 1},
               {"reduce_scatter", 7.0 / 8, 1, 0.125},
               {"broadcast", 1, 1, 1},
               {"reduce", 1, 1, 1},
               {"all_to_all", 7.0 / 8, 1, 1},
               {"send_recv", 1, 1, 1}};
  for (const auto &row : kRows) {
    SCOPED_TRACE(row.kind);
    const WorkModel w = work(("collective/" + std::string(row.kind) + "/f32/1kib/n8/steady").c_str());
    EXPECT_DOUBLE_EQ(w.bus_factor, row.bus_factor);
    EXPECT_EQ(w.bytes_counted, 1024);
    EXPECT_EQ(w.bytes_convention, "algorithm");
    EXPECT_EQ(w.bytes_read, row.in * 1024);
    EXPECT_EQ(w.bytes_written, row.out * 1024);
  }
  EXPECT_EQ(work("collective/all_reduce/f32/1kib/n1/steady").bus_factor, 0);
}

TEST(WorkModel, transfers_count_one_way_and_device_copies_both) {
  EXPECT_EQ(work("transfer/h2d/pinned/1kib").bytes_counted, 1024);
  EXPECT_EQ(work("transfer/h2d/pinned/1kib").bytes_convention, "one-way");
  EXPECT_EQ(work("transfer/bidirectional/pinned/1kib").bytes_counted, 2048);
  EXPECT_EQ(work("transfer/d2d/device/1kib").bytes_counted, 2048);
  EXPECT_EQ(work("transfer/d2d/device/1kib").bytes_convention, "read+write");
}

TEST(WorkModel, operations_without_a_rate_have_none) {
  EXPECT_EQ(work("launch/round_trip").bytes_counted, 0);
  EXPECT_EQ(work("memory_latency/chase/64mib").bytes_counted, 0);
  EXPECT_EQ(work("memory_latency/chase/64mib").footprint_bytes, 64 << 20);
  EXPECT_EQ(work("peak/fma/f32").flops, 0);
  EXPECT_EQ(work_model(parse_id("peak/fma/f32"), 1e9).flops, 1e9);
}

TEST(RoofType, is_the_type_the_products_are_made_in) {
  const auto roof = [](const char *id) { return roof_type(parse_id(id)); };
  EXPECT_EQ(roof("gemm/none/i8.i8.f16/m64n64k64/warm"), std::uint32_t{SITS_I8});
  EXPECT_EQ(roof("gemm/none/f16.i4.f16/m64n64k64/warm"), std::uint32_t{SITS_F16});
  EXPECT_EQ(roof("gemm/none/f8.f4.f16/m64n64k64/block32_e8m0/warm"), std::uint32_t{SITS_F8});
  EXPECT_EQ(roof("gemm/none/f4.f8.f16/m64n64k64/block32_e8m0/warm"), std::uint32_t{SITS_F8});
  EXPECT_EQ(roof("attention/decode/bf16.f8/b1hq1hkv1kv64d64/page16/cold"), std::uint32_t{SITS_BF16});
  EXPECT_EQ(roof("peak/matrix/tf32"), std::uint32_t{SITS_TF32});
  EXPECT_EQ(roof("stream/triad/f32/1kib/cold"), std::uint32_t{SITS_DTYPE_NONE});
}

TEST(GemmScale, brings_integer_products_back_to_unit_range_in_exactly_an_f32) {
  const auto scale = [](const char *id) { return gemm_scale(std::get<GemmSpec>(parse_id(id).spec)); };
  EXPECT_EQ(scale("gemm/none/i8.i8.f16/m2n2k2/warm"), static_cast<double>(1.0f / (127.0f * 127.0f)));
  EXPECT_EQ(scale("gemm/none/f16.i8.f16/m2n2k2/warm"), static_cast<double>(1.0f / 127.0f));
  EXPECT_EQ(scale("gemm/none/f16.f16.f16/m2n2k2/warm"), 1.0);
  EXPECT_EQ(scale("gemm/none/i8.i8.i32/m2n2k2/warm"), 1.0);
}

}  // namespace
}  // namespace sits::microbench
