// SPDX-License-Identifier: Apache-2.0
//
// NEON: the instruction accumulates, so acc starts at 2, and each round adds a product and takes it away again.
#include "backends/cpu/peak_kernels.h"

#if !defined(__x86_64__)

#include <algorithm>
#include <iterator>

namespace sits::cpu {

#if defined(__aarch64__)
namespace {

// clang-format off
#define SITS_24(F)                                                                                                \
  F(0)                                                                                                            \
  F(1)                                                                                                            \
  F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15) F(16) F(17) F(18) F(19) F(20) F(21) \
      F(22) F(23)
// clang-format on
#define SITS_TWO(i) "ldr q" #i ", [%[start]]\n"
#define SITS_STORE(i) "str q" #i ", [%[out], #" #i "*16]\n"
#define SITS_PLUS_S(i) "fmla v" #i ".4s, v30.4s, v31.4s\n"
#define SITS_MINUS_S(i) "fmls v" #i ".4s, v30.4s, v31.4s\n"
#define SITS_PLUS_D(i) "fmla v" #i ".2d, v30.2d, v31.2d\n"
#define SITS_MINUS_D(i) "fmls v" #i ".2d, v30.2d, v31.2d\n"

#define SITS_NEON_KERNEL(function, T, plus, minus)                                                                   \
  __attribute__((noinline)) double function(std::uint64_t rounds) {                                                  \
    constexpr std::size_t kLanes = 16 / sizeof(T);                                                                   \
    alignas(16) T start[kLanes], factor[kLanes], out[24 * kLanes];                                                   \
    std::fill(std::begin(start), std::end(start), T{2});                                                             \
    std::fill(std::begin(factor), std::end(factor), T{1});                                                           \
    asm volatile("ldr q30, [%[factor]]\n ldr q31, [%[factor]]\n" SITS_24(SITS_TWO) ".p2align 6\n 1:\n" SITS_24(plus) \
                     SITS_24(minus) "subs %[rounds], %[rounds], #1\n b.ne 1b\n" SITS_24(SITS_STORE)                  \
                 : [rounds] "+r"(rounds)                                                                             \
                 : [start] "r"(start), [factor] "r"(factor), [out] "r"(out)                                          \
                 : "memory", "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12",  \
                   "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v30", "v31");       \
    double sum = 0;                                                                                                  \
    for (const T lane : out) sum += static_cast<double>(lane);                                                       \
    return sum / static_cast<double>(std::size(out));                                                                \
  }

SITS_NEON_KERNEL(f32_neon, float, SITS_PLUS_S, SITS_MINUS_S)
SITS_NEON_KERNEL(f64_neon, double, SITS_PLUS_D, SITS_MINUS_D)

constexpr PeakKernel kF32Neon{"neon fmla f32", 24 * 4 * 2 * 2, 25'000, &f32_neon};
constexpr PeakKernel kF64Neon{"neon fmla f64", 24 * 2 * 2 * 2, 25'000, &f64_neon};

}  // namespace

const PeakKernel *native_peak_kernel(const Isa &isa, std::uint32_t type) {
  if (!isa.neon) return nullptr;
  return type == SITS_F32 ? &kF32Neon : (type == SITS_F64 ? &kF64Neon : nullptr);
}
#else
const PeakKernel *native_peak_kernel(const Isa &, std::uint32_t) { return nullptr; }
#endif

}  // namespace sits::cpu

#endif  // not x86-64
