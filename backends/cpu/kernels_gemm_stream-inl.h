// SPDX-License-Identifier: Apache-2.0
//
// Per-target: kernels for few rows, which read packed weights once from memory and widen them in registers.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "backends/cpu/kernels_gemm.h"

#if defined(SITS_CPU_KERNELS_GEMM_STREAM_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SITS_CPU_KERNELS_GEMM_STREAM_INL_H
#undef SITS_CPU_KERNELS_GEMM_STREAM_INL_H
#else
#define SITS_CPU_KERNELS_GEMM_STREAM_INL_H
#endif

#include "backends/cpu/kernels_gemm_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sits::cpu::gemm::HWY_NAMESPACE {

// Distance at which each panel's weights are requested ahead of their use.
constexpr std::size_t kPrefetchBytes = 512;

/// How one kind of weights is read and multiplied: `Element` in memory, `Input` in A, kGroup elements of k in a step.
struct FloatWeights {
  using Input = float;
  using Tag = FloatTag;
  static constexpr std::size_t kGroup = 1;
  static HWY_INLINE FloatVec broadcast(const float *a) { return hn::Set(FloatTag(), *a); }
  static HWY_INLINE FloatVec add(FloatVec sum, FloatVec a, FloatVec b) { return hn::MulAdd(a, b, sum); }
};
struct F32Weights : FloatWeights {
  using Element = float;
  static HWY_INLINE FloatVec load(const float *p) { return hn::Load(FloatTag(), p); }
};
struct Bf16Weights : FloatWeights {
  using Element = std::uint16_t;
  static HWY_INLINE FloatVec load(const std::uint16_t *p) { return load_bf16(p); }
};
struct F16Weights : FloatWeights {
  using Element = std::uint16_t;
  static HWY_INLINE FloatVec load(const std::uint16_t *p) { return load_f16(p); }
};
struct I8Weights {
  using Element = std::int8_t;
  using Input = std::int16_t;
  using Tag = IntTag;
  static constexpr std::size_t kGroup = 2;
  static HWY_INLINE PairVec load(const std::int8_t *p) { return load_pairs(p); }
  static HWY_INLINE PairVec broadcast(const std::int16_t *a) { return broadcast_pair(a); }
  static HWY_INLINE hn::Vec<IntTag> add(hn::Vec<IntTag> sum, PairVec a, PairVec b) {
    return add_pair_products(sum, a, b);
  }
};

/// R rows against P neighbouring panels at once: several forward streams keep more of the memory system busy than one,
/// and their sums do not wait for each other.
template <int R, int P, class Weights>
void stream_panels(const GemmTile &t) {
  using Element = typename Weights::Element;
  using V = hn::Vec<typename Weights::Tag>;
  const typename Weights::Tag d;
  const std::size_t half = hn::Lanes(d) * Weights::kGroup, step = 2 * half;
  const std::size_t panel = t.steps * step;
  const auto *HWY_RESTRICT a = static_cast<const typename Weights::Input *>(t.a);
  const auto *HWY_RESTRICT b = static_cast<const Element *>(t.b);
  V sum[P][R][2];
  SITS_UNROLL for (int p = 0; p < P; ++p) {
    SITS_UNROLL for (int r = 0; r < R; ++r) sum[p][r][0] = sum[p][r][1] = hn::Zero(d);
  }
  for (std::size_t s = 0; s < t.steps; ++s, b += step, a += Weights::kGroup) {
    SITS_UNROLL for (int p = 0; p < P; ++p) {
      const Element *here = b + static_cast<std::size_t>(p) * panel;
      hwy::Prefetch(reinterpret_cast<const char *>(here) + kPrefetchBytes);
      const auto b0 = Weights::load(here), b1 = Weights::load(here + half);
      SITS_UNROLL for (int r = 0; r < R; ++r) {
        const auto x = Weights::broadcast(a + static_cast<std::size_t>(r) * t.a_stride);
        sum[p][r][0] = Weights::add(sum[p][r][0], x, b0);
        sum[p][r][1] = Weights::add(sum[p][r][1], x, b1);
      }
    }
  }
  const std::size_t width = 2 * hn::Lanes(d);
  SITS_UNROLL for (int p = 0; p < P; ++p) {
    GemmTile one = t;
    const std::size_t skipped = static_cast<std::size_t>(p) * width;
    one.columns = static_cast<std::uint32_t>(HWY_MIN(width, t.columns - skipped));
    one.out = static_cast<char *>(t.out) + skipped * out_bytes(*t.epilogue);
    if (t.bias != nullptr) one.bias = t.bias + skipped;
    conclude<R>(d, one, sum[p]);
  }
}

// As many panels as registers hold the sums of.
template <int R>
constexpr int kPanels = R == 1   ? kStreamPanels
                        : R <= 3 ? 2
                                 : 1;

template <int R, class Weights>
struct Stream {
  static void run(const GemmTile &t) {
    const std::size_t width = 2 * hn::Lanes(typename Weights::Tag());
    const std::size_t panel_bytes = t.steps * width * Weights::kGroup * sizeof(typename Weights::Element);
    GemmTile rest = t;
    for (std::size_t left = t.columns; left > 0;) {
      constexpr int kP = kPanels<R>;
      const bool several = left > (kP - 1) * width;
      const std::size_t taken = several ? kP : 1;
      rest.columns = static_cast<std::uint32_t>(HWY_MIN(left, taken * width));
      several ? stream_panels<R, kP, Weights>(rest) : stream_panels<R, 1, Weights>(rest);
      left -= rest.columns;
      rest.b = static_cast<const char *>(rest.b) + taken * panel_bytes;
      rest.out = static_cast<char *>(rest.out) + rest.columns * out_bytes(*t.epilogue);
      if (rest.bias != nullptr) rest.bias += rest.columns;
    }
  }
};

template <int R>
using StreamF32 = Stream<R, F32Weights>;
template <int R>
using StreamBf16 = Stream<R, Bf16Weights>;
template <int R>
using StreamF16 = Stream<R, F16Weights>;
template <int R>
using StreamI8 = Stream<R, I8Weights>;

}  // namespace sits::cpu::gemm::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
