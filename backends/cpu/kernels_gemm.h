// SPDX-License-Identifier: Apache-2.0
//
// The register-blocked kernels of the project's own GEMM, one table per instruction set, chosen at run time. A kernel
// computes one tile of C from rows of A and one panel of B and finishes it: scale, bias, activation, one rounding.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/cpu/workload.h"

namespace sits::cpu {

/// What happens to an accumulator on its way to C.
struct GemmEpilogue {
  std::uint32_t kind = SITS_EPILOGUE_NONE;
  std::uint32_t type_out = SITS_F32;
  double scale = 1.0;
};

/// One tile. A "step" is one element along k, or a pair of them for i8, where A and B hold i16 pairs.
/// B is a panel: steps x columns (x 2 for pairs), contiguous, padded with zeros to whole steps and columns.
struct GemmTile {
  const void *a = nullptr;  // row r begins at a + r * a_stride elements of the compute type (i16 for i8)
  std::size_t a_stride = 0;
  const void *b = nullptr;  // compute type; storage type for the streaming kernels
  std::size_t steps = 0;
  void *partial = nullptr;  // sums of earlier and for later steps, whole vectors; f32, f64 or i32
  std::size_t partial_stride = 0;
  bool load_partial = false;  // earlier steps left their sums in `partial`
  bool finish = true;         // last step: write C; else leave the sums in `partial`
  std::uint32_t columns = 0;  // valid columns of C in this panel; streaming kernels take several panels in a row
  void *out = nullptr;
  std::size_t out_stride = 0;   // elements
  const float *bias = nullptr;  // of the panel's first column, NULL without
  const GemmEpilogue *epilogue = nullptr;
};

using TileFunction = void (*)(const GemmTile &);

struct GemmKernels {
  const char *isa = "";
  std::uint32_t rows = 0;                      // of the largest tile
  std::uint32_t columns = 0, columns_f64 = 0;  // of a panel: f32 and i8; f64
  const TileFunction *f32 = nullptr;           // [rows - 1]
  const TileFunction *f64 = nullptr;
  const TileFunction *i8 = nullptr;
  // Streaming kernels for up to kGemvRows rows, which widen B in registers; B f32, bf16, f16, i8 pairs exactly.
  const TileFunction *stream_f32 = nullptr;
  const TileFunction *stream_bf16 = nullptr;
  const TileFunction *stream_f16 = nullptr;
  const TileFunction *stream_i8 = nullptr;
  /// Widens `count` elements of a 16- or 8-bit type to f32.
  void (*widen_f32)(std::uint32_t type, const void *source, float *target, std::size_t count) = nullptr;
  void (*widen_i16)(const std::int8_t *source, std::int16_t *target, std::size_t count) = nullptr;
  /// row[i] = activation(row[i] + bias[i]).
  void (*finish_row_f32)(std::uint32_t kind, const float *bias, float *row, std::size_t count) = nullptr;
  void (*finish_row_f64)(std::uint32_t kind, const float *bias, double *row, std::size_t count) = nullptr;
};

constexpr std::uint32_t kGemvRows = 4;
/// Panels that a streaming kernel likes to be given at once: it reads them side by side.
constexpr std::uint32_t kStreamPanels = 4;

/// The best table that `isa` can run.
const GemmKernels &gemm_kernels(const Isa &isa);

}  // namespace sits::cpu
