// SPDX-License-Identifier: Apache-2.0
//
// The oracle's few hot loops are compiled twice, for the baseline of the build and for AVX2 with FMA, and chosen at run
// time, since what ships is built for the baseline. A loop is written once as an SITS_INLINE body.
#pragma once

#define SITS_INLINE [[gnu::always_inline]] inline

#if defined(__x86_64__)
#define SITS_TARGET_AVX2 __attribute__((target("avx2,fma")))
#else
#define SITS_TARGET_AVX2
#endif

namespace sits::microbench {

inline bool has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

}  // namespace sits::microbench
