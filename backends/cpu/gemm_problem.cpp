// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/gemm_problem.h"

#include <algorithm>
#include <initializer_list>

#include "backends/cpu/spec.h"
#include "backends/sdk/failure.h"
#include "sits/dtype.h"

namespace sits::cpu {
namespace {

using sdk::Failure;

// Largest k for which k products of 127 * 127 stay within i32.
constexpr std::int64_t kMaxIntegerK = 2147483647 / (127 * 127);

constexpr const char *kOffer = "this CPU backend offers f64, f32, f16, bf16, f8 and i8";

[[noreturn]] void unsupported(const std::string &reason) { throw Failure(SITS_UNSUPPORTED, reason); }
[[noreturn]] void invalid(const std::string &reason) { throw Failure(SITS_INVALID_ARGUMENT, "gemm: " + reason); }

std::uint64_t product(std::initializer_list<std::int64_t> factors) {
  std::uint64_t result = 1;
  for (const std::int64_t factor : factors)
    if (__builtin_mul_overflow(result, static_cast<std::uint64_t>(factor), &result) || result > (UINT64_MAX >> 8))
      invalid("a tensor has more elements than fit into memory");
  return result;
}

// Emulated here, so any encoding is native: the request for "the" f8 is answered with the OCP one.
std::uint32_t resolved(std::uint32_t type) { return type == SITS_F8 ? std::uint32_t{SITS_F8_E4M3} : type; }

bool is_float_operand(std::uint32_t type) {
  switch (type) {
    case SITS_F32:
    case SITS_F16:
    case SITS_BF16:
    case SITS_F8_E4M3:
    case SITS_F8_E4M3_FNUZ:
    case SITS_F8_E4M3_GAUDI2:
    case SITS_F8_E5M2:
    case SITS_F8_E5M2_FNUZ: return true;
    default: return false;
  }
}

void refuse_operand(std::uint32_t type) {
  switch (type) {
    case SITS_TF32: unsupported(std::string("tf32 needs a matrix unit; ") + kOffer);
    case SITS_F4_E2M1: unsupported(std::string("f4 needs block-scale matrix units; ") + kOffer);
    case SITS_I4: unsupported(std::string("i4 operands are unsupported; ") + kOffer);
    default: break;
  }
}

GemmCompute compute_of(const sits_gemm_spec &spec, std::uint32_t a, std::uint32_t b) {
  refuse_operand(a);
  refuse_operand(b);
  const std::uint32_t out = spec.type_out;
  const std::string types = std::string(dtype_name(a)) + "." + dtype_name(b) + "." + dtype_name(out);
  const bool float_out = out == SITS_F32 || out == SITS_F16 || out == SITS_BF16;
  if (a == SITS_F64 && b == SITS_F64 && out == SITS_F64) return GemmCompute::f64;
  if (a == SITS_I8 && b == SITS_I8) {
    if (!float_out && out != SITS_I32) unsupported(types + ": i8 products write i32, f32, f16 or bf16 on this backend");
    if (spec.k > kMaxIntegerK)
      unsupported("k = " + std::to_string(spec.k) + " could overflow i32 sums of i8 products; at most " +
                  std::to_string(kMaxIntegerK));
    return GemmCompute::i32;
  }
  if (is_float_operand(a) && (is_float_operand(b) || b == SITS_I8)) {
    if (!float_out) unsupported(types + ": floating products write f32, f16 or bf16 on this backend");
    return GemmCompute::f32;
  }
  unsupported(types + " is not a combination this backend multiplies; " + kOffer +
              " (i8 weights with a floating A too)");
}

bool accumulates(std::uint32_t asked, GemmCompute compute) {
  switch (compute) {
    case GemmCompute::f64: return asked == SITS_F64 || asked == SITS_F32;
    case GemmCompute::i32: return asked == SITS_I32;
    case GemmCompute::f32: return asked == SITS_F32 || asked == SITS_F16 || asked == SITS_BF16;
  }
  return false;
}

void check(const sits_gemm_spec &spec) {
  if (spec.m < 0 || spec.n < 1 || spec.k < 1 || (spec.group_count == 0 && spec.m < 1))
    invalid("m, n and k must be positive");
  if (spec.batch < 1) invalid("batch must be at least 1");
  if (spec.group_count > 0 && (spec.batch != 1 || spec.group_m == nullptr))
    invalid("groups need their list of rows and a batch of 1");
  if (spec.epilogue > SITS_EPILOGUE_BIAS_SILU) invalid("unknown epilogue " + std::to_string(spec.epilogue));
  if (spec.trans_a > 1 || spec.trans_b > 1) invalid("trans_a and trans_b are 0 or 1");
  if (spec.block_size != 0)
    unsupported("block scales need block-scale matrix units; without them this CPU backend offers i8 and f8");
}

void lay_out(const sits_gemm_spec &spec, GemmProblem &p) {
  const bool bias = spec.epilogue != SITS_EPILOGUE_NONE;
  const std::uint64_t b_size = product({spec.k, spec.n});
  const auto count = spec.group_count > 0 ? static_cast<std::int64_t>(spec.group_count) : spec.batch;
  product({count, spec.k, spec.n});
  const std::int64_t all_rows =
      spec.group_count > 0 ? spec.m : static_cast<std::int64_t>(product({spec.batch, spec.m}));
  product({all_rows, spec.k});
  product({all_rows, spec.n});
  std::uint64_t rows = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    const std::int64_t m = p.grouped ? spec.group_m[i] : spec.m;
    if (m < 0 || m > all_rows) invalid("group " + std::to_string(i) + " has " + std::to_string(m) + " rows");
    const auto un = static_cast<std::uint64_t>(spec.n), uk = static_cast<std::uint64_t>(spec.k);
    p.parts.push_back({m, rows * uk, index * b_size, p.grouped ? index * un : 0, rows * un});
    p.max_m = std::max(p.max_m, m);
    rows += static_cast<std::uint64_t>(m);
    if (rows > static_cast<std::uint64_t>(all_rows)) break;
  }
  if (rows != static_cast<std::uint64_t>(all_rows)) invalid("the groups' rows do not add up to m");
  p.a_count = rows * static_cast<std::uint64_t>(spec.k);
  p.b_count = static_cast<std::uint64_t>(count) * b_size;
  p.c_count = rows * static_cast<std::uint64_t>(spec.n);
  p.bias_count = bias ? static_cast<std::uint64_t>(spec.n) * (p.grouped ? static_cast<std::uint64_t>(count) : 1u) : 0u;
}

}  // namespace

double GemmProblem::flops() const { return 2.0 * static_cast<double>(c_count) * static_cast<double>(k); }
std::uint64_t GemmProblem::a_bytes() const { return bytes_of(type_a, a_count); }
std::uint64_t GemmProblem::b_bytes() const { return bytes_of(type_b, b_count); }
std::uint64_t GemmProblem::bias_bytes() const { return bytes_of(SITS_F32, bias_count); }
std::uint64_t GemmProblem::c_bytes() const { return bytes_of(type_out, c_count); }

GemmProblem gemm_problem(const sits_case &test_case) {
  const auto spec = spec_of<sits_gemm_spec>(test_case);
  check(spec);
  GemmProblem p;
  p.type_a = resolved(spec.type_a);
  p.type_b = resolved(spec.type_b);
  p.type_out = spec.type_out;
  p.compute = compute_of(spec, p.type_a, p.type_b);
  if (spec.type_acc != SITS_DTYPE_NONE && !accumulates(spec.type_acc, p.compute))
    unsupported(std::string("accumulation in ") + dtype_name(spec.type_acc) + "; this case is summed in " +
                dtype_name(accumulator_type(p.compute)));
  p.epilogue = spec.epilogue;
  p.trans_a = spec.trans_a != 0;
  p.trans_b = spec.trans_b != 0;
  p.repack = (spec.flags & SITS_GEMM_REPACK) != 0;
  p.grouped = spec.group_count > 0;
  p.n = spec.n;
  p.k = spec.k;
  p.scale = spec.scale;
  lay_out(spec, p);
  return p;
}

std::uint32_t accumulator_type(GemmCompute compute) {
  switch (compute) {
    case GemmCompute::f64: return SITS_F64;
    case GemmCompute::i32: return SITS_I32;
    case GemmCompute::f32: break;
  }
  return SITS_F32;
}

std::string storage_note(const GemmProblem &p) {
  if (p.compute != GemmCompute::f32 || (p.type_a == SITS_F32 && p.type_b == SITS_F32)) return {};
  std::string types = dtype_name(p.type_a);
  if (p.type_b != p.type_a) types += std::string(" and ") + dtype_name(p.type_b);
  return types + " storage, f32 compute";
}

}  // namespace sits::cpu
