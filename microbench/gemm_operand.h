// SPDX-License-Identifier: Apache-2.0
//
// The matrices of a GEMM case as the oracle sees them: where each batch or group lies in its tensors, and its elements
// from the generator, packed for the product.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "microbench/double_gemm.h"
#include "microbench/inputs.h"

namespace sits::microbench {

/// One operand of one product: `lines` vectors of K elements, the rows of A or the columns of B.
struct Operand {
  InputStream values;
  std::uint64_t first = 0, line_stride = 0, depth_stride = 0;  // element (line, k) = first + line·… + k·…
  std::optional<InputStream> scales;                           // block scales, one per `block` elements along K
  std::uint64_t scale_first = 0, scale_line_stride = 0, scale_depth_stride = 0;
  std::uint64_t block = 0;
};

/// Lines first, first + step, … of an operand.
struct LineSet {
  std::uint64_t first = 0, step = 1;
  std::size_t count = 0;
};

/// Elements (line, k0 … k0 + depth - 1), packed in tiles of kRowTile or kColumnTile; adds each line's sum of squares to
/// `squares` (one per line).
PackedLines pack(const Operand &operand, const LineSet &lines, std::uint64_t k0, std::size_t depth, std::size_t tile,
                 std::span<double> squares);

/// One of the products of a batched or grouped GEMM.
struct Product {
  std::uint64_t index = 0;  // of the batch or group
  std::size_t rows = 0;
  Operand a, b;
  std::uint64_t bias_first = 0, c_first = 0;
};

/// Tensors of a GEMM workload, found by name and checked against the case.
struct GemmTensors {
  std::size_t a = 0, b = 0, c = 0;
  std::optional<std::size_t> bias, scale_a, scale_b;
};

/// `type_a`, `type_b`: element types as resolved by the backend. Throws CaseError.
GemmTensors find_gemm_tensors(const GemmSpec &spec, std::uint32_t type_a, std::uint32_t type_b,
                              std::span<const TensorInfo> tensors);

/// Every product of the case that has rows, reading the inputs of `copy`.
std::vector<Product> gemm_products(const GemmSpec &spec, const GemmTensors &found, std::span<const TensorInfo> tensors,
                                   std::uint64_t seed, std::uint32_t copy);

}  // namespace sits::microbench
