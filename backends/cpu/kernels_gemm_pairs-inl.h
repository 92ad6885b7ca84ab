// SPDX-License-Identifier: Apache-2.0
//
// Per-target: products of i16 pairs summed into i32, the exact multiply-add of the i8 kernels.
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(SITS_CPU_KERNELS_GEMM_PAIRS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SITS_CPU_KERNELS_GEMM_PAIRS_INL_H
#undef SITS_CPU_KERNELS_GEMM_PAIRS_INL_H
#else
#define SITS_CPU_KERNELS_GEMM_PAIRS_INL_H
#endif

HWY_BEFORE_NAMESPACE();
namespace sits::cpu::gemm::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using IntTag = hn::ScalableTag<std::int32_t>;

#if HWY_TARGET == HWY_SCALAR

struct PairVec {
  std::int16_t even, odd;
};
template <class Element>
HWY_INLINE PairVec load_pairs(const Element *p) {
  return {p[0], p[1]};
}
HWY_INLINE PairVec broadcast_pair(const std::int16_t *p) { return {p[0], p[1]}; }
HWY_INLINE hn::Vec<IntTag> add_pair_products(hn::Vec<IntTag> sum, PairVec a, PairVec b) {
  return hn::Add(sum, hn::Set(IntTag(), a.even * b.even + a.odd * b.odd));
}
HWY_INLINE void settle(hn::Vec<IntTag> & /*sum*/) {}
inline void widen_to_i16(const std::int8_t *source, std::int16_t *target, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) target[i] = source[i];
}

#else

using PairTag = hn::Repartition<std::int16_t, IntTag>;
using PairVec = hn::Vec<PairTag>;

HWY_INLINE PairVec load_pairs(const std::int16_t *p) { return hn::LoadU(PairTag(), p); }
HWY_INLINE PairVec load_pairs(const std::int8_t *p) {
  return hn::PromoteTo(PairTag(), hn::LoadU(hn::Rebind<std::int8_t, PairTag>(), p));
}

HWY_INLINE PairVec broadcast_pair(const std::int16_t *pair) {
  std::int32_t both;
  std::memcpy(&both, pair, sizeof both);
  return hn::BitCast(PairTag(), hn::Set(IntTag(), both));
}

HWY_INLINE hn::Vec<IntTag> add_pair_products(hn::Vec<IntTag> sum, PairVec a, PairVec b) {
  const IntTag d32;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  hn::Vec<IntTag> unused = hn::Zero(d32);
  return hn::ReorderWidenMulAccumulate(d32, a, b, sum, unused);
#else
  const auto a32 = hn::BitCast(d32, a), b32 = hn::BitCast(d32, b);
  const auto even = hn::Mul(hn::ShiftRight<16>(hn::ShiftLeft<16>(a32)), hn::ShiftRight<16>(hn::ShiftLeft<16>(b32)));
  return hn::Add(sum, hn::Add(even, hn::Mul(hn::ShiftRight<16>(a32), hn::ShiftRight<16>(b32))));
#endif
}

/// Keeps the compiler from starting the next row early, for which AVX2 has no registers left.
HWY_INLINE void settle([[maybe_unused]] hn::Vec<IntTag> &sum) {
#if HWY_TARGET == HWY_AVX2
  asm volatile("" : "+x"(sum.raw));
#endif
}

inline void widen_to_i16(const std::int8_t *source, std::int16_t *target, std::size_t count) {
  const std::size_t lanes = hn::Lanes(PairTag());
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(load_pairs(source + i), PairTag(), target + i);
  for (; i < count; ++i) target[i] = source[i];
}

#endif

}  // namespace sits::cpu::gemm::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
