// SPDX-License-Identifier: Apache-2.0
//
// A GEMM case as this backend computes it: checked, with batches and groups laid out as one list of plain products.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sits/backend.h"

namespace sits::cpu {

/// What the products are summed in.
enum class GemmCompute { f32, f64, i32 };

/// One product A·B of the list; positions are element offsets into the tensors.
struct GemmPart {
  std::int64_t m = 0;
  std::uint64_t a = 0, b = 0, bias = 0, c = 0;
  bool operator==(const GemmPart &) const = default;
};

struct GemmProblem {
  GemmCompute compute = GemmCompute::f32;
  std::uint32_t type_a = 0, type_b = 0, type_out = 0;
  std::uint32_t epilogue = SITS_EPILOGUE_NONE;
  bool trans_a = false, trans_b = false, repack = false, grouped = false;
  std::int64_t n = 0, k = 0, max_m = 0;
  double scale = 1.0;
  std::vector<GemmPart> parts;                                          // batches or groups; a group may have no rows
  std::uint64_t a_count = 0, b_count = 0, bias_count = 0, c_count = 0;  // elements; bias 0 without

  double flops() const;
  std::uint64_t a_bytes() const, b_bytes() const, bias_bytes() const, c_bytes() const;
};

/// The case's spec, checked. Throws sdk::Failure: SITS_UNSUPPORTED with what would work instead, or
/// SITS_INVALID_ARGUMENT when the spec breaks the contract.
GemmProblem gemm_problem(const sits_case &test_case);

/// "f16 storage, f32 compute" where the arithmetic is wider than the types; else empty.
std::string storage_note(const GemmProblem &problem);

/// SITS_F32, SITS_F64 or SITS_I32.
std::uint32_t accumulator_type(GemmCompute compute);

}  // namespace sits::cpu
