// SPDX-License-Identifier: Apache-2.0
//
// Instantiates the kernels for every instruction set and picks a table by what the machine reports, not through
// Highway's own dispatch, which would need its shared library at load.
#include "backends/cpu/kernels_gemm.h"

#include <array>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels_gemm.cpp"
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#endif
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backends/cpu/kernels_gemm_stream-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sits::cpu::gemm::HWY_NAMESPACE {

template <template <int> class Kernel, int... kRows>
constexpr auto functions_of(std::integer_sequence<int, kRows...>) {
  return std::array<TileFunction, sizeof...(kRows)>{&Kernel<kRows + 1>::run...};
}
using AllRows = std::make_integer_sequence<int, kTileRows>;
using FewRows = std::make_integer_sequence<int, static_cast<int>(kGemvRows)>;

constexpr auto kF32 = functions_of<TileF32>(AllRows{});
constexpr auto kF64 = functions_of<TileF64>(AllRows{});
constexpr auto kI8 = functions_of<TileI8>(AllRows{});
constexpr auto kStreamF32 = functions_of<StreamF32>(FewRows{});
constexpr auto kStreamBf16 = functions_of<StreamBf16>(FewRows{});
constexpr auto kStreamF16 = functions_of<StreamF16>(FewRows{});
constexpr auto kStreamI8 = functions_of<StreamI8>(FewRows{});

const GemmKernels &kernels() {
  static const GemmKernels table = {
      HWY_TARGET == HWY_AVX3   ? "avx512"
      : HWY_TARGET == HWY_AVX2 ? "avx2"
      : HWY_TARGET == HWY_NEON ? "neon"
                               : "baseline",
      kTileRows,
      static_cast<std::uint32_t>(2 * hn::Lanes(hn::ScalableTag<float>())),
      static_cast<std::uint32_t>(2 * hn::Lanes(WideTag())),
      kF32.data(),
      kF64.data(),
      kI8.data(),
      kStreamF32.data(),
      kStreamBf16.data(),
      kStreamF16.data(),
      kStreamI8.data(),
      &widen_to_f32,
      &widen_to_i16,
      &finish_row_f32,
      &finish_row_f64,
  };
  return table;
}

}  // namespace sits::cpu::gemm::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sits::cpu {

const GemmKernels &gemm_kernels([[maybe_unused]] const Isa &isa) {
#if HWY_TARGETS & HWY_AVX3
  if (isa.avx512 && isa.avx2 && isa.fma && isa.f16c) return gemm::N_AVX3::kernels();
#endif
#if HWY_TARGETS & HWY_AVX2
  if (isa.avx2 && isa.fma && isa.f16c) return gemm::N_AVX2::kernels();
#endif
  return gemm::HWY_STATIC_DISPATCH(kernels)();
}

}  // namespace sits::cpu
#endif
