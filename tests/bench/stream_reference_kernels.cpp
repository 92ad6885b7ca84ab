// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/stream_reference_kernels.h"

#include <omp.h>
#include <sched.h>

#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace sits::bench {
namespace {
constexpr double kScale = 0.5;
}

void reference_pin(const unsigned *cpus, int threads) {
#pragma omp parallel num_threads(threads)
  {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpus[omp_get_thread_num()], &set);
    sched_setaffinity(0, sizeof set, &set);
  }
}

void reference_first_touch(double *x, std::size_t n, double value, int threads) {
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::size_t i = 0; i < n; ++i) x[i] = value;
}

// One thread runs the bare loop: entering a parallel region would cost more than a small array.
void reference_copy(double *c, const double *a, std::size_t n, int threads) {
  if (threads == 1) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) c[i] = a[i];
    return;
  }
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::size_t i = 0; i < n; ++i) c[i] = a[i];
}

void reference_triad(double *a, const double *b, const double *c, std::size_t n, int threads) {
  if (threads == 1) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) a[i] = b[i] + kScale * c[i];
    return;
  }
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::size_t i = 0; i < n; ++i) a[i] = b[i] + kScale * c[i];
}

#if defined(__AVX512F__)
bool reference_copy_nt(double *c, const double *a, std::size_t n, int threads) {
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static) nowait
    for (std::size_t i = 0; i < n; i += 8) _mm512_stream_pd(c + i, _mm512_load_pd(a + i));
    _mm_sfence();
  }
  return true;
}
bool reference_triad_nt(double *a, const double *b, const double *c, std::size_t n, int threads) {
  const __m512d scale = _mm512_set1_pd(kScale);
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static) nowait
    for (std::size_t i = 0; i < n; i += 8)
      _mm512_stream_pd(a + i, _mm512_fmadd_pd(scale, _mm512_load_pd(c + i), _mm512_load_pd(b + i)));
    _mm_sfence();
  }
  return true;
}
#elif defined(__AVX__)
bool reference_copy_nt(double *c, const double *a, std::size_t n, int threads) {
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static) nowait
    for (std::size_t i = 0; i < n; i += 8) {
      _mm256_stream_pd(c + i, _mm256_load_pd(a + i));
      _mm256_stream_pd(c + i + 4, _mm256_load_pd(a + i + 4));
    }
    _mm_sfence();
  }
  return true;
}
bool reference_triad_nt(double *a, const double *b, const double *c, std::size_t n, int threads) {
  const __m256d scale = _mm256_set1_pd(kScale);
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static) nowait
    for (std::size_t i = 0; i < n; i += 8) {
      const __m256d low = _mm256_add_pd(_mm256_load_pd(b + i), _mm256_mul_pd(scale, _mm256_load_pd(c + i)));
      const __m256d high = _mm256_add_pd(_mm256_load_pd(b + i + 4), _mm256_mul_pd(scale, _mm256_load_pd(c + i + 4)));
      _mm256_stream_pd(a + i, low);
      _mm256_stream_pd(a + i + 4, high);
    }
    _mm_sfence();
  }
  return true;
}
#else
bool reference_copy_nt(double *, const double *, std::size_t, int) { return false; }
bool reference_triad_nt(double *, const double *, const double *, std::size_t, int) { return false; }
#endif

}  // namespace sits::bench
