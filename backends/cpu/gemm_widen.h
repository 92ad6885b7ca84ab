// SPDX-License-Identifier: Apache-2.0
//
// Storage types to the type the kernels multiply in.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "backends/cpu/gemm_problem.h"
#include "backends/cpu/kernels_gemm.h"

namespace sits::cpu {

/// Converts runs of one operand: f16, bf16, f8, i8 to f32; i8 to i16 where products are exact; f32 and f64 are copied.
class Widener {
 public:
  Widener(const GemmKernels &kernels, GemmCompute compute, std::uint32_t type);
  /// Bytes of one element before and after.
  std::size_t source_bytes() const { return source_bytes_; }
  std::size_t target_bytes() const { return target_bytes_; }
  bool copies_only() const { return copies_only_; }
  void widen(const void *source, void *target, std::size_t count) const;

 private:
  const GemmKernels *kernels_;
  std::uint32_t type_;
  std::size_t source_bytes_, target_bytes_;
  bool copies_only_, exact_integers_, by_table_ = false;
  std::array<float, 256> table_{};
};

/// Bytes of one element that the kernels read: f32 4, f64 8, i16 2.
std::size_t compute_bytes(GemmCompute compute);

/// Copies rows [row, row + rows) of A, k elements [k0, k0 + count), into `target`, row r at r * stride elements, each
/// padded with one zero. `scratch` holds rows * count elements of the storage type.
void widen_rows(const Widener &widener, const GemmProblem &problem, const GemmPart &part, const void *a,
                std::size_t row, std::size_t rows, std::size_t k0, std::size_t count, void *target, std::size_t stride,
                void *scratch);

}  // namespace sits::cpu
