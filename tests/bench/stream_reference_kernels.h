// SPDX-License-Identifier: Apache-2.0
//
// STREAM as its users compile it: an OpenMP loop, with the stores the compiler chooses or with non-temporal ones.
#pragma once

#include <cstddef>

namespace sits::bench {

/// Pins thread t of the OpenMP team to cpus[t], for good.
void reference_pin(const unsigned *cpus, int threads);
void reference_first_touch(double *x, std::size_t n, double value, int threads);
void reference_copy(double *c, const double *a, std::size_t n, int threads);
void reference_triad(double *a, const double *b, const double *c, std::size_t n, int threads);
/// Non-temporal stores by intrinsics; `n` a multiple of 8, arrays 64-byte aligned. False where there are none.
bool reference_copy_nt(double *c, const double *a, std::size_t n, int threads);
bool reference_triad_nt(double *a, const double *b, const double *c, std::size_t n, int threads);

}  // namespace sits::bench
