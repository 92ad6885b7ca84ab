// SPDX-License-Identifier: Apache-2.0
//
// Per-target: the tile kernels. Included once for every Highway target.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "backends/cpu/kernels_gemm.h"

#if defined(SITS_CPU_KERNELS_GEMM_TILE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SITS_CPU_KERNELS_GEMM_TILE_INL_H
#undef SITS_CPU_KERNELS_GEMM_TILE_INL_H
#else
#define SITS_CPU_KERNELS_GEMM_TILE_INL_H
#endif

#include "backends/cpu/kernels_gemm_finish-inl.h"
#include "backends/cpu/kernels_gemm_pairs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sits::cpu::gemm::HWY_NAMESPACE {

// Two vectors per row: with one A element broadcast and two of B this fills 16 registers, or 32.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
constexpr int kTileRows = 12;
#else
constexpr int kTileRows = 6;
#endif

#if defined(__clang__)
#define SITS_UNROLL _Pragma("clang loop unroll(full)")
#else
#define SITS_UNROLL _Pragma("GCC unroll 16")
#endif

// Distance at which streamed weights are requested ahead of their use.
constexpr std::size_t kPrefetchBytes = 2048;

/// Sum of R x 2 vectors of A·B over all steps.
template <int R, class D, class V = hn::Vec<D>>
HWY_INLINE void multiply(D d, const GemmTile &t, V (&sum)[R][2]) {
  using T = hn::TFromD<D>;
  const std::size_t lanes = hn::Lanes(d);
  const T *HWY_RESTRICT a = static_cast<const T *>(t.a);
  const T *HWY_RESTRICT b = static_cast<const T *>(t.b);
  SITS_UNROLL for (int r = 0; r < R; ++r) sum[r][0] = sum[r][1] = hn::Zero(d);
  for (std::size_t s = 0; s < t.steps; ++s, b += 2 * lanes) {
    const V b0 = hn::Load(d, b), b1 = hn::Load(d, b + lanes);
    SITS_UNROLL for (int r = 0; r < R; ++r) {
      const V x = hn::Set(d, a[static_cast<std::size_t>(r) * t.a_stride + s]);
      sum[r][0] = hn::MulAdd(x, b0, sum[r][0]);
      sum[r][1] = hn::MulAdd(x, b1, sum[r][1]);
    }
  }
}

/// The same for pairs of i16, or of i8 that widen on the way: exact in i32.
template <int R, class Element>
HWY_INLINE void multiply_pairs(const GemmTile &t, hn::Vec<IntTag> (&sum)[R][2]) {
  const auto *HWY_RESTRICT a = static_cast<const std::int16_t *>(t.a);
  const auto *HWY_RESTRICT b = static_cast<const Element *>(t.b);
  const std::size_t half = 2 * hn::Lanes(IntTag());
  SITS_UNROLL for (int r = 0; r < R; ++r) sum[r][0] = sum[r][1] = hn::Zero(IntTag());
  for (std::size_t s = 0; s < t.steps; ++s, b += 2 * half) {
    if constexpr (sizeof(Element) == 1) hwy::Prefetch(b + kPrefetchBytes);
    const PairVec b0 = load_pairs(b), b1 = load_pairs(b + half);
    SITS_UNROLL for (int r = 0; r < R; ++r) {
      const PairVec x = broadcast_pair(a + static_cast<std::size_t>(r) * t.a_stride + 2 * s);
      sum[r][0] = add_pair_products(sum[r][0], x, b0);
      sum[r][1] = add_pair_products(sum[r][1], x, b1);
      settle(sum[r][0]);
      settle(sum[r][1]);
    }
  }
}

/// Adds what earlier steps left behind; leaves the sums for later ones, or finishes the tile.
template <int R, class D, class V = hn::Vec<D>>
HWY_INLINE void conclude(D d, const GemmTile &t, V (&sum)[R][2]) {
  using T = hn::TFromD<D>;
  const std::size_t lanes = hn::Lanes(d);
  if (t.load_partial) {
    const T *partial = static_cast<const T *>(t.partial);
    SITS_UNROLL for (int r = 0; r < R; ++r) {
      const T *row = partial + static_cast<std::size_t>(r) * t.partial_stride;
      sum[r][0] = hn::Add(sum[r][0], hn::LoadU(d, row));
      sum[r][1] = hn::Add(sum[r][1], hn::LoadU(d, row + lanes));
    }
  }
  // Unfinished sums, and results that are the sums themselves, go straight from registers to memory.
  T *target = nullptr;
  std::size_t stride = 0;
  if (!t.finish) {
    target = static_cast<T *>(t.partial);
    stride = t.partial_stride;
  } else if (t.columns == 2 * lanes && stores_sums<T>(*t.epilogue)) {
    target = static_cast<T *>(t.out);
    stride = t.out_stride;
  }
  HWY_ALIGN T spill[static_cast<std::size_t>(R) * 2 * hn::MaxLanes(D())];
  const bool spilled = target == nullptr;
  if (spilled) {
    target = spill;
    stride = 2 * lanes;
  }
  SITS_UNROLL for (int r = 0; r < R; ++r) {
    hn::StoreU(sum[r][0], d, target + static_cast<std::size_t>(r) * stride);
    hn::StoreU(sum[r][1], d, target + static_cast<std::size_t>(r) * stride + lanes);
  }
  if (spilled) finish_tile(t, spill, R);
}

template <int R>
struct TileF32 {
  static void run(const GemmTile &t) {
    const FloatTag d;
    hn::Vec<FloatTag> sum[R][2];
    multiply<R>(d, t, sum);
    conclude<R>(d, t, sum);
  }
};

template <int R>
struct TileF64 {
  static void run(const GemmTile &t) {
    const WideTag d;
    hn::Vec<WideTag> sum[R][2];
    multiply<R>(d, t, sum);
    conclude<R>(d, t, sum);
  }
};

template <int R>
struct TileI8 {
  static void run(const GemmTile &t) {
    hn::Vec<IntTag> sum[R][2];
    multiply_pairs<R, std::int16_t>(t, sum);
    conclude<R>(IntTag(), t, sum);
  }
};

// ---------------------------------------------------------------------------------------- streaming, few rows ---

struct LoadF32 {
  using Element = float;
  static HWY_INLINE hn::Vec<FloatTag> load(const float *p) { return hn::Load(FloatTag(), p); }
};
struct LoadBf16 {
  using Element = std::uint16_t;
  static HWY_INLINE hn::Vec<FloatTag> load(const std::uint16_t *p) { return load_bf16(p); }
};
struct LoadF16 {
  using Element = std::uint16_t;
  static HWY_INLINE hn::Vec<FloatTag> load(const std::uint16_t *p) { return load_f16(p); }
};

/// Independent sums per row and vector, so that a single row does not wait for the latency of its own additions.
template <int R>
constexpr int kChains = R == 1   ? 4
                        : R == 2 ? 2
                                 : 1;

template <int R, class Loader>
struct Stream {
  static void run(const GemmTile &t) {
    using Element = typename Loader::Element;
    constexpr int kU = kChains<R>;
    const FloatTag d;
    const std::size_t lanes = hn::Lanes(d);
    const auto *HWY_RESTRICT a = static_cast<const float *>(t.a);
    const auto *HWY_RESTRICT b = static_cast<const Element *>(t.b);
    hn::Vec<FloatTag> sum[kU * R][2];
    SITS_UNROLL for (int i = 0; i < kU * R; ++i) sum[i][0] = sum[i][1] = hn::Zero(d);
    std::size_t s = 0;
    for (; s + kU <= t.steps; s += kU, b += kU * 2 * lanes) {
      const std::size_t bytes = kU * 2 * lanes * sizeof(Element);
      for (std::size_t line = 0; line < bytes; line += 64)
        hwy::Prefetch(reinterpret_cast<const char *>(b) + kPrefetchBytes + line);
      SITS_UNROLL for (int u = 0; u < kU; ++u) {
        const auto b0 = Loader::load(b + static_cast<std::size_t>(u) * 2 * lanes);
        const auto b1 = Loader::load(b + static_cast<std::size_t>(u) * 2 * lanes + lanes);
        SITS_UNROLL for (int r = 0; r < R; ++r) {
          const auto x = hn::Set(d, a[static_cast<std::size_t>(r) * t.a_stride + s + static_cast<std::size_t>(u)]);
          sum[u * R + r][0] = hn::MulAdd(x, b0, sum[u * R + r][0]);
          sum[u * R + r][1] = hn::MulAdd(x, b1, sum[u * R + r][1]);
        }
      }
    }
    for (; s < t.steps; ++s, b += 2 * lanes) {
      const auto b0 = Loader::load(b), b1 = Loader::load(b + lanes);
      SITS_UNROLL for (int r = 0; r < R; ++r) {
        const auto x = hn::Set(d, a[static_cast<std::size_t>(r) * t.a_stride + s]);
        sum[r][0] = hn::MulAdd(x, b0, sum[r][0]);
        sum[r][1] = hn::MulAdd(x, b1, sum[r][1]);
      }
    }
    hn::Vec<FloatTag> total[R][2];
    SITS_UNROLL for (int r = 0; r < R; ++r) {
      SITS_UNROLL for (int c = 0; c < 2; ++c) {
        total[r][c] = sum[r][c];
        SITS_UNROLL for (int u = 1; u < kU; ++u) total[r][c] = hn::Add(total[r][c], sum[u * R + r][c]);
      }
    }
    conclude<R>(d, t, total);
  }
};

template <int R>
using StreamF32 = Stream<R, LoadF32>;
template <int R>
using StreamBf16 = Stream<R, LoadBf16>;
template <int R>
using StreamF16 = Stream<R, LoadF16>;

template <int R>
struct StreamI8 {
  static void run(const GemmTile &t) {
    hn::Vec<IntTag> sum[R][2];
    multiply_pairs<R, std::int8_t>(t, sum);
    conclude<R>(IntTag(), t, sum);
  }
};

}  // namespace sits::cpu::gemm::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
