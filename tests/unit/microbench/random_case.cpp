// SPDX-License-Identifier: Apache-2.0
#include "random_case.h"

#include <array>
#include <numeric>

namespace sits::microbench {
namespace {

using Random = std::mt19937_64;

template <class T>
T below(Random &random, T end) {
  return static_cast<T>(random() % static_cast<std::uint64_t>(end));
}
bool coin(Random &random) { return below(random, 2) == 1; }

template <class T, std::size_t N>
T pick(Random &random, const std::array<T, N> &values) {
  return values[below(random, N)];
}

std::int64_t extent(Random &random) { return 2 * (1 + below(random, std::int64_t{1} << below(random, 18))); }

struct GemmTypes {
  std::uint32_t a, b, out;
};
constexpr std::array kGemmTypes = {
    GemmTypes{SITS_F64, SITS_F64, SITS_F64},    GemmTypes{SITS_F32, SITS_F32, SITS_F32},
    GemmTypes{SITS_TF32, SITS_TF32, SITS_F32},  GemmTypes{SITS_F16, SITS_F16, SITS_F16},
    GemmTypes{SITS_BF16, SITS_BF16, SITS_F32},  GemmTypes{SITS_F8, SITS_F8, SITS_BF16},
    GemmTypes{SITS_F8, SITS_F8_E5M2, SITS_F16}, GemmTypes{SITS_I8, SITS_I8, SITS_F16},
    GemmTypes{SITS_F16, SITS_I4, SITS_F16},     GemmTypes{SITS_F4_E2M1, SITS_F4_E2M1, SITS_BF16},
};

Spec random_gemm(Random &random) {
  const GemmTypes types = pick(random, kGemmTypes);
  GemmSpec s;
  s.epilogue = below(random, 5u);
  s.type_a = types.a;
  s.type_b = types.b;
  s.type_out = types.out;
  s.trans_a = coin(random);
  s.trans_b = coin(random);
  s.m = extent(random);
  s.n = extent(random);
  s.k = 64 * (1 + below(random, std::int64_t{128}));
  s.repack = coin(random);
  if (types.a == SITS_F16 && coin(random)) s.type_acc = SITS_F16;
  if (types.a == SITS_F4_E2M1 || (types.a == SITS_F8 && coin(random))) {
    s.block_size = coin(random) ? 32 : 16;
    s.type_block_scale = SITS_E8M0;
  }
  if (coin(random)) {
    s.batch = 1 + below(random, std::int64_t{16});
  } else if (coin(random)) {
    for (int i = 0; i < 8; ++i) s.group_m.push_back(2 * below(random, std::int64_t{3}));
    s.group_m.push_back(2);
    s.m = std::accumulate(s.group_m.begin(), s.group_m.end(), std::int64_t{0});
  }
  return s;
}

Spec random_stream(Random &random) {
  return StreamSpec{.kind = below(random, 6u),
                    .type = pick(random, std::array<std::uint32_t, 4>{SITS_F64, SITS_F32, SITS_BF16, SITS_F8}),
                    .bytes = 8 * static_cast<std::uint64_t>(extent(random))};
}

Spec random_attention(Random &random) {
  AttentionSpec s;
  s.type_q = pick(random, std::array<std::uint32_t, 3>{SITS_F32, SITS_F16, SITS_BF16});
  s.type_kv = coin(random) ? s.type_q : std::uint32_t{SITS_F8};
  s.batch = 1 + below(random, std::int64_t{64});
  s.kv_heads = 1 + below(random, std::int64_t{8});
  s.q_heads = s.kv_heads * (1 + below(random, std::int64_t{8}));
  s.head_dim = 64 << below(random, 3);
  s.q_len = 1 + below(random, std::int64_t{4096});
  s.kv_len = s.q_len + below(random, std::int64_t{4096});
  s.causal = coin(random);
  if (coin(random)) return s;
  s.kind = SITS_ATTENTION_DECODE;
  s.q_len = 1;
  s.causal = false;
  s.kv_layout = SITS_KV_LAYOUT_PAGED;
  s.page_size = 1 << below(random, 8);
  return s;
}

Spec random_collective(Random &random) {
  CollectiveSpec s;
  s.kind = below(random, 7u);
  s.type = pick(random, std::array<std::uint32_t, 3>{SITS_F32, SITS_BF16, SITS_I8});
  s.ranks = 1 + below(random, 64u);
  s.bytes = std::uint64_t{s.ranks} * 4 * static_cast<std::uint64_t>(extent(random));
  s.in_place = s.kind != SITS_SEND_RECV && coin(random);
  s.graph = coin(random);
  s.registered = coin(random);
  return s;
}

Spec random_transfer(Random &random) {
  TransferSpec s;
  s.kind = below(random, 5u);
  s.bytes = static_cast<std::uint64_t>(extent(random)) - below(random, 2u);
  if (s.kind == SITS_TRANSFER_D2D || s.kind == SITS_TRANSFER_P2P) return s;
  s.host_memory = below(random, 2u);
  s.numa = below(random, 6) - 3;
  return s;
}

Spec random_launch(Random &random) { return LaunchSpec{.kind = below(random, 4u)}; }

Spec random_memory_latency(Random &random) {
  return MemoryLatencySpec{.bytes = 64 * static_cast<std::uint64_t>(extent(random))};
}

Spec random_peak(Random &random) {
  return PeakSpec{.unit = below(random, 2u),
                  .type = pick(random, std::array<std::uint32_t, 4>{SITS_F64, SITS_F32, SITS_BF16, SITS_I8})};
}

}  // namespace

Case random_case(Random &random) {
  using Maker = Spec (*)(Random &);
  constexpr std::array<Maker, 8> kMakers = {random_gemm,     random_stream, random_attention,      random_collective,
                                            random_transfer, random_launch, random_memory_latency, random_peak};
  Case c;
  c.spec = pick(random, kMakers)(random);
  const Op op = op_of(c);
  const bool has_mode = op == Op::gemm || op == Op::stream || op == Op::attention || op == Op::collective;
  if (has_mode) c.mode = static_cast<Mode>(1 + below(random, 3u));
  return c;
}

}  // namespace sits::microbench
