// SPDX-License-Identifier: Apache-2.0
//
// Register-only multiply-add loops, one per instruction set and element type. The registers are named in assembly, so
// that no compiler can spill an accumulator.
#pragma once

#include <cstdint>

#include "backends/cpu/workload.h"

namespace sits::cpu {

struct PeakKernel {
  const char *name = nullptr;  // "avx2 fma f32"
  double ops_per_round = 0;    // operations of one round of the loop, multiply and add counting 1 each
  std::uint32_t rounds = 0;    // of one iteration: some hundred microseconds
  /// Runs the loop and returns the mean over all lanes of all accumulators, which is exactly 2.
  double (*run)(std::uint64_t rounds) = nullptr;
};

/// Kernel in assembly of this architecture; nullptr when there is none. Defined in peak_x86.cpp or peak_arm.cpp.
const PeakKernel *native_peak_kernel(const Isa &isa, std::uint32_t type);

/// The fastest kernel for the type (SITS_F32 …) that the instruction sets allow; nullptr when the type is not native.
/// f32 and f64 always have one.
const PeakKernel *peak_kernel(const Isa &isa, std::uint32_t type);

}  // namespace sits::cpu
