// SPDX-License-Identifier: Apache-2.0
//
// Two shapes of loop. f32, f64, f16: acc = acc * 0.5 + 1 from 0, whose fixed point 2 is reached exactly. bf16 and i8,
// whose instructions accumulate a sum of products: acc starts at 2, and each round adds +p and then -p.
#include "backends/cpu/peak_kernels.h"

#if defined(__x86_64__)

#include <algorithm>
#include <iterator>

namespace sits::cpu {
namespace {

#define SITS_12(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11)
#define SITS_24(F) SITS_12(F) F(12) F(13) F(14) F(15) F(16) F(17) F(18) F(19) F(20) F(21) F(22) F(23)
#define SITS_10(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9)
#define SITS_CLOBBERS                                                                                               \
  "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", \
      "xmm12", "xmm13", "xmm14", "xmm15"
#define SITS_CLOBBERS_512                                                                                           \
  SITS_CLOBBERS, "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", \
      "xmm27", "xmm28", "xmm29", "xmm30", "xmm31"

// Per accumulator i, as text: zero it, set it to 2, store it.
#define SITS_ZERO_Y(i) "vxorps %%ymm" #i ", %%ymm" #i ", %%ymm" #i "\n"
#define SITS_ZERO_Z(i) "vpxord %%zmm" #i ", %%zmm" #i ", %%zmm" #i "\n"
#define SITS_TWO_Y(i) "vmovdqu (%[start]), %%ymm" #i "\n"
#define SITS_TWO_Z(i) "vmovdqu32 (%[start]), %%zmm" #i "\n"
#define SITS_STORE_Y(i) "vmovups %%ymm" #i ", " #i "*32(%[out])\n"
#define SITS_STORE_Z(i) "vmovups %%zmm" #i ", " #i "*64(%[out])\n"
#define SITS_LOOP(body) ".p2align 6\n 1:\n" body "dec %[rounds]\n jnz 1b\n"

template <typename T, std::size_t n>
double mean(const T (&lanes)[n]) {
  double sum = 0;
  for (const T lane : lanes) sum += static_cast<double>(lane);
  return sum / static_cast<double>(n);
}

/// A loop acc = acc * half + one over `list` accumulators of `width` bytes.
#define SITS_FMA_KERNEL(function, features, T, width, list, zero, store, load_constants, step, clobbers) \
  __attribute__((target(features), noinline)) double function(std::uint64_t rounds) {                    \
    alignas(64) T half[(width) / sizeof(T)], one[(width) / sizeof(T)];                                   \
    std::fill(std::begin(half), std::end(half), static_cast<T>(0.5));                                    \
    std::fill(std::begin(one), std::end(one), static_cast<T>(1));                                        \
    constexpr std::size_t kAccumulators = sizeof(list(SITS_COUNT)) - 1;                                  \
    alignas(64) T out[kAccumulators * (width) / sizeof(T)];                                              \
    asm volatile(load_constants list(zero) SITS_LOOP(list(step)) list(store) "vzeroupper\n"              \
                 : [rounds] "+r"(rounds)                                                                 \
                 : [half] "r"(half), [one] "r"(one), [out] "r"(out)                                      \
                 : clobbers);                                                                            \
    return mean(out);                                                                                    \
  }
#define SITS_COUNT(i) "x"

#define SITS_CONSTANTS_Y "vmovups (%[half]), %%ymm14\n vmovups (%[one]), %%ymm15\n"
#define SITS_CONSTANTS_Z "vmovups (%[half]), %%zmm30\n vmovups (%[one]), %%zmm31\n"
#define SITS_PS_Y(i) "vfmadd213ps %%ymm15, %%ymm14, %%ymm" #i "\n"
#define SITS_PD_Y(i) "vfmadd213pd %%ymm15, %%ymm14, %%ymm" #i "\n"
#define SITS_PS_Z(i) "vfmadd213ps %%zmm31, %%zmm30, %%zmm" #i "\n"
#define SITS_PD_Z(i) "vfmadd213pd %%zmm31, %%zmm30, %%zmm" #i "\n"

SITS_FMA_KERNEL(f32_avx2, "avx2,fma", float, 32, SITS_12, SITS_ZERO_Y, SITS_STORE_Y, SITS_CONSTANTS_Y, SITS_PS_Y,
                SITS_CLOBBERS)
SITS_FMA_KERNEL(f64_avx2, "avx2,fma", double, 32, SITS_12, SITS_ZERO_Y, SITS_STORE_Y, SITS_CONSTANTS_Y, SITS_PD_Y,
                SITS_CLOBBERS)
SITS_FMA_KERNEL(f32_avx512, "avx512f", float, 64, SITS_24, SITS_ZERO_Z, SITS_STORE_Z, SITS_CONSTANTS_Z, SITS_PS_Z,
                SITS_CLOBBERS_512)
SITS_FMA_KERNEL(f64_avx512, "avx512f", double, 64, SITS_24, SITS_ZERO_Z, SITS_STORE_Z, SITS_CONSTANTS_Z, SITS_PD_Z,
                SITS_CLOBBERS_512)

/// A loop acc += a·b, acc += a·(-b) over accumulators of type T that start at 2. `words`: a, b and -b as 32-bit words.
#define SITS_DOT_KERNEL(function, features, T, width, list, two, store, load_constants, plus, minus, clobbers, a_word, \
                        b_word, minus_word)                                                                            \
  __attribute__((target(features), noinline)) double function(std::uint64_t rounds) {                                  \
    alignas(64) std::uint32_t a[16], b[16], c[16];                                                                     \
    std::fill_n(a, 16, a_word);                                                                                        \
    std::fill_n(b, 16, b_word);                                                                                        \
    std::fill_n(c, 16, minus_word);                                                                                    \
    alignas(64) T start[16];                                                                                           \
    std::fill_n(start, 16, T{2});                                                                                      \
    alignas(64) static constexpr std::uint32_t words[16] = {0x00010001, 0x00010001, 0x00010001, 0x00010001,            \
                                                            0x00010001, 0x00010001, 0x00010001, 0x00010001};           \
    constexpr std::size_t kAccumulators = sizeof(list(SITS_COUNT)) - 1;                                                \
    alignas(64) T out[kAccumulators * (width) / sizeof(T)];                                                            \
    asm volatile(load_constants list(two) SITS_LOOP(list(plus) list(minus)) list(store) "vzeroupper\n"                 \
                 : [rounds] "+r"(rounds)                                                                               \
                 : [a] "r"(a), [b] "r"(b), [c] "r"(c), [start] "r"(start), [words] "r"(words), [out] "r"(out)          \
                 : clobbers);                                                                                          \
    return mean(out);                                                                                                  \
  }

#define SITS_OPERANDS_Z "vmovups (%[a]), %%zmm29\n vmovups (%[b]), %%zmm30\n vmovups (%[c]), %%zmm31\n"
#define SITS_OPERANDS_Y "vmovups (%[a]), %%ymm13\n vmovups (%[b]), %%ymm14\n vmovups (%[c]), %%ymm15\n"
#define SITS_OPERANDS_Y_WORDS SITS_OPERANDS_Y "vmovups (%[words]), %%ymm12\n"
#define SITS_BF16_PLUS(i) "vdpbf16ps %%zmm30, %%zmm29, %%zmm" #i "\n"
#define SITS_BF16_MINUS(i) "vdpbf16ps %%zmm31, %%zmm29, %%zmm" #i "\n"
#define SITS_VNNI_PLUS(i) "vpdpbusd %%zmm30, %%zmm29, %%zmm" #i "\n"
#define SITS_VNNI_MINUS(i) "vpdpbusd %%zmm31, %%zmm29, %%zmm" #i "\n"
#define SITS_VEX_PLUS(i) "%{vex%} vpdpbusd %%ymm14, %%ymm13, %%ymm" #i "\n"
#define SITS_VEX_MINUS(i) "%{vex%} vpdpbusd %%ymm15, %%ymm13, %%ymm" #i "\n"
#define SITS_MADD_PLUS(i)                                                       \
  "vpmaddubsw %%ymm14, %%ymm13, %%ymm10\n vpmaddwd %%ymm12, %%ymm10, %%ymm10\n" \
  " vpaddd %%ymm10, %%ymm" #i ", %%ymm" #i "\n"
#define SITS_MADD_MINUS(i)                                                      \
  "vpmaddubsw %%ymm15, %%ymm13, %%ymm11\n vpmaddwd %%ymm12, %%ymm11, %%ymm11\n" \
  " vpaddd %%ymm11, %%ymm" #i ", %%ymm" #i "\n"

constexpr std::uint32_t kBytesOfOne = 0x01010101u, kBytesOfMinusOne = 0xffffffffu;
constexpr std::uint32_t kBf16One = 0x3f803f80u, kBf16MinusOne = 0xbf80bf80u;

SITS_DOT_KERNEL(bf16_avx512, "avx512f,avx512bf16", float, 64, SITS_24, SITS_TWO_Z, SITS_STORE_Z, SITS_OPERANDS_Z,
                SITS_BF16_PLUS, SITS_BF16_MINUS, SITS_CLOBBERS_512, kBf16One, kBf16One, kBf16MinusOne)
SITS_DOT_KERNEL(i8_avx512, "avx512f,avx512vnni", std::int32_t, 64, SITS_24, SITS_TWO_Z, SITS_STORE_Z, SITS_OPERANDS_Z,
                SITS_VNNI_PLUS, SITS_VNNI_MINUS, SITS_CLOBBERS_512, kBytesOfOne, kBytesOfOne, kBytesOfMinusOne)
SITS_DOT_KERNEL(i8_avx_vnni, "avx2,avxvnni", std::int32_t, 32, SITS_12, SITS_TWO_Y, SITS_STORE_Y, SITS_OPERANDS_Y,
                SITS_VEX_PLUS, SITS_VEX_MINUS, SITS_CLOBBERS, kBytesOfOne, kBytesOfOne, kBytesOfMinusOne)
SITS_DOT_KERNEL(i8_avx2, "avx2", std::int32_t, 32, SITS_10, SITS_TWO_Y, SITS_STORE_Y, SITS_OPERANDS_Y_WORDS,
                SITS_MADD_PLUS, SITS_MADD_MINUS, SITS_CLOBBERS, kBytesOfOne, kBytesOfOne, kBytesOfMinusOne)

// Operations per round = accumulators × lanes × 2 (× products in a lane × the two halves of a round).
constexpr PeakKernel kF32Avx2{"avx2 fma f32", 12 * 8 * 2, 100'000, &f32_avx2};
constexpr PeakKernel kF64Avx2{"avx2 fma f64", 12 * 4 * 2, 100'000, &f64_avx2};
constexpr PeakKernel kF32Avx512{"avx512 fma f32", 24 * 16 * 2, 50'000, &f32_avx512};
constexpr PeakKernel kF64Avx512{"avx512 fma f64", 24 * 8 * 2, 50'000, &f64_avx512};
constexpr PeakKernel kBf16Avx512{"avx512_bf16 vdpbf16ps", 24 * 16 * 2 * 2 * 2, 25'000, &bf16_avx512};
constexpr PeakKernel kI8Avx512{"avx512_vnni vpdpbusd", 24 * 16 * 4 * 2 * 2, 25'000, &i8_avx512};
constexpr PeakKernel kI8AvxVnni{"avx_vnni vpdpbusd", 12 * 8 * 4 * 2 * 2, 50'000, &i8_avx_vnni};
constexpr PeakKernel kI8Avx2{"avx2 vpmaddubsw", 10 * 8 * 4 * 2 * 2, 25'000, &i8_avx2};

}  // namespace

const PeakKernel *native_peak_kernel(const Isa &isa, std::uint32_t type) {
  const bool fma = isa.avx2 && isa.fma;
  switch (type) {
    case SITS_F32: return isa.avx512 ? &kF32Avx512 : (fma ? &kF32Avx2 : nullptr);
    case SITS_F64: return isa.avx512 ? &kF64Avx512 : (fma ? &kF64Avx2 : nullptr);
    case SITS_BF16: return isa.avx512_bf16 ? &kBf16Avx512 : nullptr;
    case SITS_I8:
      if (isa.avx512_vnni) return &kI8Avx512;
      return isa.avx_vnni ? &kI8AvxVnni : (isa.avx2 ? &kI8Avx2 : nullptr);
    default: return nullptr;
  }
}

}  // namespace sits::cpu

#endif  // __x86_64__
