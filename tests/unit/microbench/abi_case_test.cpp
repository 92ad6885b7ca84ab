// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "microbench/case.h"
#include "random_case.h"

namespace sits::microbench {
namespace {

TEST(AbiCase, shows_a_gemm_with_its_groups_after_a_move) {
  AbiCase first(parse_id("gemm/bias_relu/i8.i8.f16/m7n4k6/tn/groups4_3/repack/cold"), 42, "onednn");
  AbiCase moved = std::move(first);
  AbiCase second(parse_id("launch/round_trip"), 1);
  second = std::move(moved);
  const sits_case &view = second.view();
  EXPECT_EQ(view.struct_size, sizeof(sits_case));
  EXPECT_EQ(view.op, std::uint32_t{SITS_OP_GEMM});
  EXPECT_EQ(view.mode, std::uint32_t{SITS_MODE_COLD});
  EXPECT_EQ(view.seed, 42u);
  EXPECT_STREQ(view.id, "gemm/bias_relu/i8.i8.f16/m7n4k6/tn/groups4_3/repack/cold");
  EXPECT_STREQ(view.provider, "onednn");
  const auto &spec = *static_cast<const sits_gemm_spec *>(view.spec);
  EXPECT_EQ(spec.struct_size, sizeof(sits_gemm_spec));
  EXPECT_EQ(spec.epilogue, std::uint32_t{SITS_EPILOGUE_BIAS_RELU});
  EXPECT_EQ(spec.trans_a, 1u);
  EXPECT_EQ(spec.trans_b, 0u);
  EXPECT_EQ(spec.m, 7);
  ASSERT_EQ(spec.group_count, 2u);
  EXPECT_EQ(spec.group_m[0], 4);
  EXPECT_EQ(spec.group_m[1], 3);
  EXPECT_EQ(spec.flags, std::uint32_t{SITS_GEMM_REPACK});
  EXPECT_EQ(spec.scale, static_cast<double>(1.0f / (127.0f * 127.0f)));
}

TEST(AbiCase, has_no_groups_and_no_provider_unless_asked) {
  const AbiCase abi(parse_id("gemm/none/f32.f32.f32/m2n3k4/b5/warm"), 0);
  const auto &spec = *static_cast<const sits_gemm_spec *>(abi.view().spec);
  EXPECT_EQ(abi.view().provider, nullptr);
  EXPECT_EQ(spec.group_count, 0u);
  EXPECT_EQ(spec.group_m, nullptr);
  EXPECT_EQ(spec.batch, 5);
  EXPECT_EQ(spec.type_acc, std::uint32_t{SITS_DTYPE_NONE});
}

TEST(AbiCase, carries_the_other_specs) {
  const AbiCase attention(parse_id("attention/decode/bf16.f8/b2hq8hkv4kv100d64/page16/cold"), 0);
  const auto &a = *static_cast<const sits_attention_spec *>(attention.view().spec);
  EXPECT_EQ(a.type_kv, std::uint32_t{SITS_F8});
  EXPECT_EQ(a.q_len, 1);
  EXPECT_EQ(a.kv_layout, std::uint32_t{SITS_KV_LAYOUT_PAGED});
  EXPECT_EQ(a.page_size, 16);
  const AbiCase collective(parse_id("collective/reduce/f32/1kib/n4/in_place/registered/steady"), 0);
  const auto &c = *static_cast<const sits_collective_spec *>(collective.view().spec);
  EXPECT_EQ(c.flags, SITS_COLLECTIVE_IN_PLACE | SITS_COLLECTIVE_REGISTERED);
  EXPECT_EQ(c.ranks, 4u);
  const AbiCase transfer(parse_id("transfer/h2d/pageable/1kib/numa_far"), 0);
  const auto &t = *static_cast<const sits_transfer_spec *>(transfer.view().spec);
  EXPECT_EQ(t.numa, SITS_NUMA_FAR);
  EXPECT_EQ(t.host_memory, std::uint32_t{SITS_HOST_MEMORY_PAGEABLE});
}

TEST(AbiCase, stamps_the_size_of_every_spec) {
  constexpr std::uint32_t kSizes[] = {0,
                                      sizeof(sits_gemm_spec),
                                      sizeof(sits_stream_spec),
                                      sizeof(sits_attention_spec),
                                      sizeof(sits_collective_spec),
                                      sizeof(sits_transfer_spec),
                                      sizeof(sits_launch_spec),
                                      sizeof(sits_memory_latency_spec),
                                      sizeof(sits_peak_spec)};
  std::mt19937_64 random(3);
  for (int i = 0; i < 200; ++i) {
    const AbiCase abi(random_case(random), 0);
    EXPECT_EQ(*static_cast<const std::uint32_t *>(abi.view().spec), kSizes[abi.view().op]);
  }
}

TEST(AbiCase, refuses_a_case_that_cannot_be) { EXPECT_THROW(AbiCase(Case{GemmSpec{}, Mode::warm}, 0), CaseError); }

}  // namespace
}  // namespace sits::microbench
