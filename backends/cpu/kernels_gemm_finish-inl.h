// SPDX-License-Identifier: Apache-2.0
//
// Per-target: loads that widen, and the end of a tile: scale, bias, activation, one rounding to the output type.
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "backends/cpu/gemm_convert.h"
#include "backends/cpu/kernels_gemm.h"

#if defined(SITS_CPU_KERNELS_GEMM_FINISH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef SITS_CPU_KERNELS_GEMM_FINISH_INL_H
#undef SITS_CPU_KERNELS_GEMM_FINISH_INL_H
#else
#define SITS_CPU_KERNELS_GEMM_FINISH_INL_H
#endif

#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace sits::cpu::gemm::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using IntTag = hn::ScalableTag<std::int32_t>;
using BitsTag = hn::ScalableTag<std::uint32_t>;
using FloatVec = hn::Vec<FloatTag>;
#if HWY_HAVE_FLOAT64
using WideTag = hn::ScalableTag<double>;
#endif

#undef SITS_HARDWARE_F16
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
#define SITS_HARDWARE_F16 1
#else
#define SITS_HARDWARE_F16 0
#endif

HWY_INLINE FloatVec load_bf16(const std::uint16_t *p) {
  const hn::Rebind<std::uint16_t, FloatTag> d16;
  return hn::BitCast(FloatTag(), hn::ShiftLeft<16>(hn::PromoteTo(BitsTag(), hn::LoadU(d16, p))));
}

HWY_INLINE FloatVec load_f16(const std::uint16_t *p) {
#if SITS_HARDWARE_F16
  const hn::Rebind<hwy::float16_t, FloatTag> d16;
  return hn::PromoteTo(FloatTag(), hn::LoadU(d16, reinterpret_cast<const hwy::float16_t *>(p)));
#else
  HWY_ALIGN float lanes[hn::MaxLanes(FloatTag())];
  for (std::size_t i = 0; i < hn::Lanes(FloatTag()); ++i) lanes[i] = float_of_f16(p[i]);
  return hn::Load(FloatTag(), lanes);
#endif
}

HWY_INLINE void store_bf16(FloatVec v, std::uint16_t *p) {
  const BitsTag d32;
  const hn::Rebind<std::uint16_t, FloatTag> d16;
  const auto bits = hn::BitCast(d32, v);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d32, 1u));
  const auto rounded = hn::ShiftRight<16>(hn::Add(bits, hn::Add(odd, hn::Set(d32, 0x7fffu))));
  const auto is_nan = hn::RebindMask(d32, hn::Ne(v, v));
  const auto result = hn::IfThenElse(is_nan, hn::Set(d32, 0x7fc0u), rounded);
  hn::StoreU(hn::DemoteTo(d16, hn::BitCast(IntTag(), result)), d16, p);
}

HWY_INLINE void store_f16(FloatVec v, std::uint16_t *p) {
#if SITS_HARDWARE_F16
  const hn::Rebind<hwy::float16_t, FloatTag> d16;
  hn::StoreU(hn::DemoteTo(d16, v), d16, reinterpret_cast<hwy::float16_t *>(p));
#else
  HWY_ALIGN float lanes[hn::MaxLanes(FloatTag())];
  hn::Store(v, FloatTag(), lanes);
  for (std::size_t i = 0; i < hn::Lanes(FloatTag()); ++i) p[i] = f16_of(lanes[i]);
#endif
}

inline void widen_to_f32(std::uint32_t type, const void *source, float *target, std::size_t count) {
  const FloatTag d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  if (type == SITS_BF16) {
    const auto *p = static_cast<const std::uint16_t *>(source);
    for (; i + lanes <= count; i += lanes) hn::StoreU(load_bf16(p + i), d, target + i);
    for (; i < count; ++i) target[i] = float_of_bf16(p[i]);
  } else if (type == SITS_F16) {
    const auto *p = static_cast<const std::uint16_t *>(source);
    for (; i + lanes <= count; i += lanes) hn::StoreU(load_f16(p + i), d, target + i);
    for (; i < count; ++i) target[i] = float_of_f16(p[i]);
  } else {
    const auto *p = static_cast<const std::int8_t *>(source);
    for (; i < count; ++i) target[i] = static_cast<float>(p[i]);
  }
}

/// erf as a rational function of x, clamped where it is 1 in f32; error a few units in the last place.
HWY_INLINE FloatVec erf_of(FloatVec x) {
  const FloatTag d;
  x = hn::Clamp(x, hn::Set(d, -4.0f), hn::Set(d, 4.0f));
  const FloatVec y = hn::Mul(x, x);
  FloatVec p = hn::Set(d, -2.72614225801306e-10f);
  p = hn::MulAdd(p, y, hn::Set(d, 2.77068142495902e-08f));
  p = hn::MulAdd(p, y, hn::Set(d, -2.10102402082508e-06f));
  p = hn::MulAdd(p, y, hn::Set(d, -5.69250639462346e-05f));
  p = hn::MulAdd(p, y, hn::Set(d, -7.34990630326855e-04f));
  p = hn::MulAdd(p, y, hn::Set(d, -2.95459980854025e-03f));
  p = hn::MulAdd(p, y, hn::Set(d, -1.60960333262415e-02f));
  FloatVec q = hn::Set(d, -1.45660718464996e-05f);
  q = hn::MulAdd(q, y, hn::Set(d, -2.13374055278905e-04f));
  q = hn::MulAdd(q, y, hn::Set(d, -1.68282697438203e-03f));
  q = hn::MulAdd(q, y, hn::Set(d, -7.37332916720468e-03f));
  q = hn::MulAdd(q, y, hn::Set(d, -1.42647390514189e-02f));
  return hn::Div(hn::Mul(x, p), q);
}

HWY_INLINE FloatVec activate(std::uint32_t kind, FloatVec x) {
  const FloatTag d;
  switch (kind) {
    case SITS_EPILOGUE_BIAS_RELU: return hn::Max(x, hn::Zero(d));
    case SITS_EPILOGUE_BIAS_GELU: {
      const FloatVec half = hn::Mul(x, hn::Set(d, 0.5f));
      return hn::MulAdd(half, erf_of(hn::Mul(x, hn::Set(d, 0.70710678118654752f))), half);
    }
    case SITS_EPILOGUE_BIAS_SILU: {
      const FloatVec e = hn::Exp(d, hn::Min(hn::Neg(x), hn::Set(d, 87.0f)));  // x / e^87 is 0 in every output type
      return hn::Div(x, hn::Add(hn::Set(d, 1.0f), e));
    }
    default: return x;
  }
}

inline double activate(std::uint32_t kind, double x) {
  switch (kind) {
    case SITS_EPILOGUE_BIAS_RELU: return std::max(x, 0.0);
    case SITS_EPILOGUE_BIAS_GELU: return 0.5 * x * (1.0 + std::erf(x * 0.70710678118654752440));
    case SITS_EPILOGUE_BIAS_SILU: return x / (1.0 + std::exp(-x));
    default: return x;
  }
}

inline std::size_t out_bytes(const GemmEpilogue &e) {
  return e.type_out == SITS_F16 || e.type_out == SITS_BF16 ? 2 : e.type_out == SITS_F64 ? 8 : 4;
}

/// The accumulator type is the output type and nothing is applied.
template <class T>
bool stores_sums(const GemmEpilogue &e) {
  const std::uint32_t own = sizeof(T) == 8 ? SITS_F64 : (std::is_same_v<T, float> ? SITS_F32 : SITS_I32);
  return e.kind == SITS_EPILOGUE_NONE && e.scale == 1.0 && e.type_out == own;
}

HWY_INLINE void store_as(std::uint32_t type, FloatVec v, void *target, std::size_t index) {
  switch (type) {
    case SITS_F16: return store_f16(v, static_cast<std::uint16_t *>(target) + index);
    case SITS_BF16: return store_bf16(v, static_cast<std::uint16_t *>(target) + index);
    case SITS_I32: return hn::StoreU(hn::NearestInt(v), IntTag(), static_cast<std::int32_t *>(target) + index);
    default: return hn::StoreU(v, FloatTag(), static_cast<float *>(target) + index);
  }
}

HWY_INLINE FloatVec load_sum(const float *p) { return hn::Load(FloatTag(), p); }
HWY_INLINE FloatVec load_sum(const std::int32_t *p) { return hn::ConvertTo(FloatTag(), hn::Load(IntTag(), p)); }

/// `sums` holds rows x 2 aligned vectors of f32 or i32.
template <class T>
HWY_NOINLINE void finish_tile(const GemmTile &t, const T *sums, int rows) {
  const FloatTag d;
  const std::size_t lanes = hn::Lanes(d), width = 2 * lanes;
  const GemmEpilogue &e = *t.epilogue;
  const std::size_t bytes = out_bytes(e);
  const bool sums_only = stores_sums<T>(e);
  const FloatVec scale = hn::Set(d, static_cast<float>(e.scale));
  HWY_ALIGN float bias[2 * hn::MaxLanes(FloatTag())] = {};
  if (t.bias != nullptr) std::memcpy(bias, t.bias, t.columns * sizeof(float));
  HWY_ALIGN char edge[2 * hn::MaxLanes(FloatTag()) * sizeof(float)];
  for (int r = 0; r < rows; ++r, sums += width) {
    char *row = static_cast<char *>(t.out) + static_cast<std::size_t>(r) * t.out_stride * bytes;
    char *target = t.columns == width ? row : edge;
    if (sums_only) {
      std::memcpy(target, sums, width * sizeof(T));
    } else {
      for (std::size_t c = 0; c < width; c += lanes) {
        const FloatVec v = hn::MulAdd(load_sum(sums + c), scale, hn::Load(d, bias + c));
        store_as(e.type_out, activate(e.kind, v), target, c);
      }
    }
    if (target == edge) std::memcpy(row, edge, t.columns * bytes);
  }
}

inline void finish_tile(const GemmTile &t, const double *sums, int rows) {
  const std::size_t width = 2 * hn::Lanes(WideTag());
  for (int r = 0; r < rows; ++r, sums += width) {
    auto *row = static_cast<double *>(t.out) + static_cast<std::size_t>(r) * t.out_stride;
    for (std::size_t c = 0; c < t.columns; ++c) {
      const double bias = t.bias == nullptr ? 0.0 : static_cast<double>(t.bias[c]);
      row[c] = activate(t.epilogue->kind, sums[c] * t.epilogue->scale + bias);
    }
  }
}

/// Bias and activation over a finished row, for libraries that cannot do it.
inline void finish_row_f32(std::uint32_t kind, const float *bias, float *row, std::size_t count) {
  const FloatTag d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(activate(kind, hn::Add(hn::LoadU(d, row + i), hn::LoadU(d, bias + i))), d, row + i);
  if (i == count) return;
  HWY_ALIGN float rest[hn::MaxLanes(FloatTag())] = {}, rest_bias[hn::MaxLanes(FloatTag())] = {};
  std::memcpy(rest, row + i, (count - i) * sizeof(float));
  std::memcpy(rest_bias, bias + i, (count - i) * sizeof(float));
  hn::Store(activate(kind, hn::Add(hn::Load(d, rest), hn::Load(d, rest_bias))), d, rest);
  std::memcpy(row + i, rest, (count - i) * sizeof(float));
}

inline void finish_row_f64(std::uint32_t kind, const float *bias, double *row, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) row[i] = activate(kind, row[i] + static_cast<double>(bias[i]));
}

}  // namespace sits::cpu::gemm::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
