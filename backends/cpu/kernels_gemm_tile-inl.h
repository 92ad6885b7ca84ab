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

/// The same for pairs of i16, exact in i32.
template <int R>
HWY_INLINE void multiply_pairs(const GemmTile &t, hn::Vec<IntTag> (&sum)[R][2]) {
  const auto *HWY_RESTRICT a = static_cast<const std::int16_t *>(t.a);
  const auto *HWY_RESTRICT b = static_cast<const std::int16_t *>(t.b);
  const std::size_t half = 2 * hn::Lanes(IntTag());
  SITS_UNROLL for (int r = 0; r < R; ++r) sum[r][0] = sum[r][1] = hn::Zero(IntTag());
  for (std::size_t s = 0; s < t.steps; ++s, b += 2 * half) {
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

/// Requests the rows that the tile will end in, while there is a whole tile's work to hide their latency.
template <int R, class T>
HWY_INLINE void request_target(const GemmTile &t) {
  const bool sums = t.load_partial || !t.finish;
  const std::size_t bytes = sums ? sizeof(T) : out_bytes(*t.epilogue);
  const char *target = static_cast<const char *>(sums ? t.partial : t.out);
  const std::size_t stride = (sums ? t.partial_stride : t.out_stride) * bytes;
  SITS_UNROLL for (int r = 0; r < R; ++r) hwy::Prefetch(target + static_cast<std::size_t>(r) * stride);
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
    request_target<R, float>(t);
    multiply<R>(d, t, sum);
    conclude<R>(d, t, sum);
  }
};

template <int R>
struct TileF64 {
  static void run(const GemmTile &t) {
    const WideTag d;
    hn::Vec<WideTag> sum[R][2];
    request_target<R, double>(t);
    multiply<R>(d, t, sum);
    conclude<R>(d, t, sum);
  }
};

template <int R>
struct TileI8 {
  static void run(const GemmTile &t) {
    hn::Vec<IntTag> sum[R][2];
    request_target<R, std::int32_t>(t);
    multiply_pairs<R>(t, sum);
    conclude<R>(IntTag(), t, sum);
  }
};

}  // namespace sits::cpu::gemm::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
