// SPDX-License-Identifier: Apache-2.0
#include "microbench/tolerance.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numbers>

#include "sits/dtype.h"

namespace sits::microbench {
namespace {

bool is_integer(std::uint32_t type) { return type == SITS_I8 || type == SITS_I4 || type == SITS_I32; }

std::uint32_t natural_accumulation(const GemmSpec &spec) {
  if (spec.type_a == SITS_F64) return SITS_F64;
  return is_integer(spec.type_a) && is_integer(spec.type_b) ? SITS_I32 : SITS_F32;
}

void set_output(GemmTolerance &t, std::uint32_t type) {
  t.u_out = unit_roundoff(type);
  if (is_integer(type)) {
    t.half_spacing = 0.5;
    t.saturates = true;
    t.max_finite = type == SITS_I8 ? 127 : std::numeric_limits<std::int32_t>::max();
    return;
  }
  if (type == SITS_F64) {
    t.max_finite = std::numeric_limits<double>::max();
    return;
  }
  const FloatFormat format = format_of(type);
  t.half_spacing = 0.5 * std::max(power_of_two(-1022), power_of_two(1 - format.bias - format.mantissa_bits));
  t.max_finite = format.max_finite;
  t.saturates = bits_of(type) == 8;
}

}  // namespace

double apply_epilogue(std::uint32_t epilogue, double x) {
  switch (epilogue) {
    case SITS_EPILOGUE_NONE:
    case SITS_EPILOGUE_BIAS: return x;
    case SITS_EPILOGUE_BIAS_RELU: return std::max(x, 0.0);
    case SITS_EPILOGUE_BIAS_GELU: return 0.5 * x * (1.0 + std::erf(x / std::numbers::sqrt2));
    case SITS_EPILOGUE_BIAS_SILU: return x / (1.0 + std::exp(-x));
    default: throw CaseError(fmt::format("no oracle for epilogue {}", epilogue));
  }
}

double GemmTolerance::saturated(double expected) const {
  if (!saturates) return expected;
  const double lowest = half_spacing == 0.5 && u_out == 0 ? -max_finite - 1 : -max_finite;
  return std::clamp(expected, lowest, max_finite);
}

bool GemmTolerance::overflowed_rightly(double got, double expected, double bound) const {
  if (saturates || !std::isinf(got)) return false;
  return (got > 0 ? expected : -expected) + bound >= max_finite;
}

GemmTolerance gemm_tolerance(const GemmSpec &spec, std::uint32_t type_acc, std::uint32_t type_out) {
  const std::uint32_t accumulation = type_acc == SITS_DTYPE_NONE ? natural_accumulation(spec) : type_acc;
  const bool curved = spec.epilogue == SITS_EPILOGUE_BIAS_GELU || spec.epilogue == SITS_EPILOGUE_BIAS_SILU;
  GemmTolerance t;
  t.scale = gemm_scale(spec);
  set_output(t, type_out);
  t.accumulation = (kChain + kTruncation * std::sqrt(static_cast<double>(spec.k))) * unit_roundoff(accumulation);
  t.u_epilogue = unit_roundoff(spec.type_a == SITS_F64 ? SITS_F64 : SITS_F32);
  const bool converts = is_integer(accumulation) && type_out != SITS_I32;
  t.roundings = (converts ? 1 : 0) + (t.scale != 1 ? 1 : 0) + (spec.epilogue != SITS_EPILOGUE_NONE ? 1 : 0);
  t.slope = curved ? kEpilogueSlope : 1;
  t.evaluation = curved ? kEpilogueEvaluation : 0;
  // an i32 output of exact sums is exact: no rounding to an integer takes place
  if (type_out == SITS_I32 && t.roundings == 0 && t.accumulation == 0) t.half_spacing = 0;
  return t;
}

void Tally::note(double error, double bound, double expected) {
  worst_error_ = error;
  worst_bound_ = bound;
  worst_expected_ = expected;
}

std::string Tally::describe(const std::string &name, double got, double expected, double bound) {
  if (bound == 0) return fmt::format("{}: got {:.9g}, expected exactly {:.9g}", name, got, expected);
  return fmt::format("{}: got {:.9g}, expected {:.9g} ± {:.2g}", name, got, expected, bound);
}

Verification Tally::finish(std::string method) && {
  const double denominator = std::max(std::fabs(worst_expected_), scale_);
  if (worst_error_ > 0 && denominator > 0) {
    result_.max_rel_error = worst_error_ / denominator;
    result_.tolerance = worst_bound_ / denominator;
  }
  result_.method = std::move(method);
  return std::move(result_);
}

}  // namespace sits::microbench
