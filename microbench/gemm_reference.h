// SPDX-License-Identifier: Apache-2.0
//
// What a GEMM's output must be: expected elements with their bounds, and expected projections of rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "microbench/gemm_operand.h"
#include "microbench/tolerance.h"

namespace sits::microbench {

/// Rows of a product checked in the same columns: `columns.step` apart, every one of them when that is 1.
struct Panel {
  std::size_t first_row = 0, rows = 0;
  LineSet columns;
  std::vector<double> expected;  // rows × columns.count, after epilogue and saturation
  std::vector<float> bound;      // of |got - expected|
  std::vector<double> limit;     // per row: no right output of any column is larger
};

/// Signed sums over `width` neighbouring columns of every row: Σ_j sign(j)·C[i,j].
struct Projection {
  std::size_t width = 0, chunks = 0, row_stride = 0;
  std::vector<double> expected;                 // rows × row_stride, chunks of them used
  std::vector<double> signs;                    // of the columns, ±1
  std::vector<double> row_norms, column_norms;  // |a_i|, |b_j|
};

/// Plan and seeds shared by all products of a case.
struct ReferencePlan {
  std::size_t columns = 0;  // n
  std::uint64_t depth = 0;  // k
  std::uint32_t epilogue = SITS_EPILOGUE_NONE;
  GemmTolerance tolerance;
  std::size_t step = 1;  // columns between two that are recomputed in a row, a power of two
  std::uint64_t sample_seed = 0;
  double largest_b = 1;  // |b| including its block scale
};

/// Largest magnitude that the generator gives an element of the type.
double largest_input(std::uint32_t type);

/// Panels that cover all rows. Successive panels sample different columns; with as many panels as `step` every column
/// is sampled. `bias`: n values, or empty.
std::vector<Panel> make_panels(const Product &product, const ReferencePlan &plan, std::span<const double> bias);

/// For linear epilogues (none, bias).
Projection make_projection(const Product &product, const ReferencePlan &plan, std::span<const double> bias);

}  // namespace sits::microbench
