// SPDX-License-Identifier: Apache-2.0
//
// Memory-bandwidth kernels, compiled once per instruction set and chosen by what the process may use.
#pragma once

#include <cstdint>

#include "backends/cpu/workload.h"

namespace sits::cpu {

/// One thread's part of an iteration. Vectors start at `in` and `out`, which are 64-byte aligned.
struct StreamPart {
  const void *in[2] = {nullptr, nullptr};  // in the order of the formula
  void *out = nullptr;                     // READ: one sum per block, of f64 for f64 and f32 else
  std::uint64_t count = 0;                 // elements of one array
};
using StreamKernel = void (*)(const StreamPart &);

/// Kernel of a kind (SITS_STREAM_*) and element type, nullptr where there is none. Scale, add and triad of 16-bit types
/// compute in f32 and round once, to nearest even. `non_temporal` has no meaning for READ.
StreamKernel stream_kernel(const Isa &isa, std::uint32_t kind, std::uint32_t type, bool non_temporal);

/// "avx512", "avx2", "neon", "portable": the set stream_kernel() chooses.
const char *stream_isa_name(const Isa &isa);

}  // namespace sits::cpu
