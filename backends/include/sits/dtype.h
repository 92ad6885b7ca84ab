// SPDX-License-Identifier: Apache-2.0
//
// Element types: sizes, names, unit round-off, and conversion between bit patterns and double. Rounding is to nearest,
// ties to even; values beyond the range saturate for f8, f4 and integers, and become infinity for f16, bf16 and f32.
// Header-only, constexpr, no library calls: usable inside device kernels (SITS_FN).
#ifndef SITS_DTYPE_H
#define SITS_DTYPE_H

#include <bit>
#include <cstdint>
#include <limits>

#include "sits/backend.h"

#if defined(__CUDACC__) || defined(__HIPCC__)
#define SITS_FN __host__ __device__
#else
#define SITS_FN
#endif

namespace sits {

/// Bits of one element in memory; 0 for an unknown code. tf32 is stored as f32.
SITS_FN constexpr std::uint32_t bits_of(std::uint32_t type) {
  switch (type) {
    case SITS_F64: return 64;
    case SITS_F32:
    case SITS_TF32:
    case SITS_I32: return 32;
    case SITS_F16:
    case SITS_BF16: return 16;
    case SITS_F8_E4M3:
    case SITS_F8_E4M3_FNUZ:
    case SITS_F8_E4M3_GAUDI2:
    case SITS_F8_E5M2:
    case SITS_F8_E5M2_FNUZ:
    case SITS_F8:
    case SITS_I8:
    case SITS_U8:
    case SITS_E8M0: return 8;
    case SITS_I4:
    case SITS_F4_E2M1: return 4;
    default: return 0;
  }
}

/// Bytes that `count` elements occupy, sub-byte types packed and rounded up to a byte.
SITS_FN constexpr std::uint64_t bytes_of(std::uint32_t type, std::uint64_t count) {
  const std::uint64_t bits = bits_of(type);
  return bits >= 8 ? count * (bits / 8) : count / 8 * bits + (count % 8 * bits + 7) / 8;
}

/// Shape of a small floating-point format.
struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  bool has_infinity;  // the top exponent holds infinity and NaN
  bool fnuz;          // no infinity, no negative zero, NaN is the code of -0
  double max_finite;
};

/// Format of a floating type of 32 bits or fewer; exponent_bits is 0 for integer types and f64.
SITS_FN constexpr FloatFormat format_of(std::uint32_t type) {
  switch (type) {
    case SITS_F32: return {8, 23, 127, true, false, 0x1.fffffep127};
    case SITS_TF32: return {8, 10, 127, true, false, 0x1.ffcp127};
    case SITS_BF16: return {8, 7, 127, true, false, 0x1.fep127};
    case SITS_F16: return {5, 10, 15, true, false, 65504.0};
    case SITS_F8:
    case SITS_F8_E4M3: return {4, 3, 7, false, false, 448.0};
    case SITS_F8_E4M3_FNUZ: return {4, 3, 8, false, true, 240.0};
    case SITS_F8_E4M3_GAUDI2: return {4, 3, 7, true, false, 240.0};
    case SITS_F8_E5M2: return {5, 2, 15, true, false, 57344.0};
    case SITS_F8_E5M2_FNUZ: return {5, 2, 16, false, true, 57344.0};
    case SITS_F4_E2M1: return {2, 1, 1, false, false, 6.0};
    default: return {0, 0, 0, false, false, 0.0};
  }
}

/// Largest relative rounding error of a conversion to the type: 2^-(mantissa bits + 1); 0 for integers.
SITS_FN constexpr double unit_roundoff(std::uint32_t type) {
  if (type == SITS_F64) return 0x1p-53;
  const FloatFormat f = format_of(type);
  if (f.exponent_bits == 0) return 0.0;
  double u = 0.5;
  for (int i = 0; i < f.mantissa_bits; ++i) u *= 0.5;
  return u;
}

SITS_FN constexpr double power_of_two(int exponent) {
  // exponent is within the range of normal doubles for every format here
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// Value of a bit pattern (low bits; one element).
SITS_FN constexpr double decode(std::uint32_t type, std::uint64_t bits) {
  switch (type) {
    case SITS_F64: return std::bit_cast<double>(bits);
    case SITS_F32:
    case SITS_TF32: return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case SITS_BF16: return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
    case SITS_I32: return static_cast<double>(static_cast<std::int32_t>(bits));
    case SITS_I8: return static_cast<double>(static_cast<std::int8_t>(bits));
    case SITS_U8: return static_cast<double>(static_cast<std::uint8_t>(bits));
    case SITS_I4: return static_cast<double>(static_cast<std::int32_t>((bits & 15u) ^ 8u) - 8);
    case SITS_E8M0:
      return (bits & 255u) == 255u ? std::numeric_limits<double>::quiet_NaN()
                                   : power_of_two(static_cast<int>(bits & 255u) - 127);
    default: break;
  }
  const FloatFormat f = format_of(type);
  if (f.exponent_bits == 0) return std::numeric_limits<double>::quiet_NaN();
  const int width = 1 + f.exponent_bits + f.mantissa_bits;
  const std::uint64_t mantissa = bits & ((1u << f.mantissa_bits) - 1u);
  const int exponent_code = static_cast<int>((bits >> f.mantissa_bits) & ((1u << f.exponent_bits) - 1u));
  const bool negative = ((bits >> (width - 1)) & 1u) != 0;
  const int top = (1 << f.exponent_bits) - 1;
  if (f.fnuz && negative && exponent_code == 0 && mantissa == 0) return std::numeric_limits<double>::quiet_NaN();
  if (f.has_infinity && exponent_code == top)
    return mantissa != 0
               ? std::numeric_limits<double>::quiet_NaN()
               : (negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity());
  if (!f.has_infinity && !f.fnuz && f.exponent_bits == 4 && exponent_code == top && mantissa == 7)
    return std::numeric_limits<double>::quiet_NaN();  // OCP e4m3: only S.1111.111
  const double magnitude = exponent_code == 0
                               ? static_cast<double>(mantissa) * power_of_two(1 - f.bias - f.mantissa_bits)
                               : static_cast<double>(mantissa + (std::uint64_t{1} << f.mantissa_bits)) *
                                     power_of_two(exponent_code - f.bias - f.mantissa_bits);
  return negative ? -magnitude : magnitude;
}

/// Nearest integer, ties to even, of a value within the range of int64.
SITS_FN constexpr std::int64_t round_to_even(double value) {
  auto whole = static_cast<std::int64_t>(value);
  if (static_cast<double>(whole) > value) --whole;
  const double rest = value - static_cast<double>(whole);
  return whole + ((rest > 0.5 || (rest == 0.5 && (whole & 1) != 0)) ? 1 : 0);
}

SITS_FN constexpr std::int64_t saturate_integer(double value, std::int64_t low, std::int64_t high) {
  if (!(value > static_cast<double>(low))) return low;  // NaN too
  if (value >= static_cast<double>(high)) return high;
  return round_to_even(value);
}

/// Bit pattern of a double rounded once to the type (low bits; one element).
SITS_FN constexpr std::uint64_t encode(std::uint32_t type, double value) {
  switch (type) {
    case SITS_F64: return std::bit_cast<std::uint64_t>(value);
    case SITS_F32: return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    case SITS_I32: return static_cast<std::uint32_t>(saturate_integer(value, INT32_MIN, INT32_MAX));
    case SITS_I8: return static_cast<std::uint8_t>(saturate_integer(value, -128, 127));
    case SITS_U8: return static_cast<std::uint8_t>(saturate_integer(value, 0, 255));
    case SITS_I4: return static_cast<std::uint8_t>(saturate_integer(value, -8, 7)) & 15u;
    default: break;
  }
  const std::uint64_t raw = std::bit_cast<std::uint64_t>(value);
  if (type == SITS_E8M0) {  // nearest power of two below
    if (value != value) return 255u;
    const int exponent = static_cast<int>((raw >> 52) & 2047u) - 1023 + 127;
    return static_cast<std::uint64_t>(exponent < 0 ? 0 : (exponent > 254 ? 254 : exponent));
  }
  const FloatFormat f = format_of(type);
  if (f.exponent_bits == 0) return 0;
  const int width = 1 + f.exponent_bits + f.mantissa_bits;
  const int stored_shift = type == SITS_TF32 ? 13 : 0;  // tf32 lives in the top bits of an f32
  const std::uint64_t sign = (raw >> 63) << (width - 1);
  const std::uint64_t top = ((std::uint64_t{1} << f.exponent_bits) - 1u) << f.mantissa_bits;
  const double magnitude = std::bit_cast<double>(raw & 0x7fffffffffffffffull);
  const bool is_nan = value != value;
  if (is_nan) {
    const std::uint64_t nan_code = f.fnuz           ? (std::uint64_t{1} << (width - 1))
                                   : f.has_infinity ? (top | (std::uint64_t{1} << (f.mantissa_bits - 1)))
                                                    : (top | ((std::uint64_t{1} << f.mantissa_bits) - 1u));
    return nan_code << stored_shift;
  }
  int exponent = static_cast<int>((std::bit_cast<std::uint64_t>(magnitude) >> 52) & 2047u) - 1023;
  if (magnitude == 0.0 || exponent < 1 - f.bias) exponent = 1 - f.bias;
  std::uint64_t code = 0;
  bool overflow = exponent > 200;
  if (!overflow) {
    const double scaled = magnitude * power_of_two(f.mantissa_bits - exponent);
    const auto units = static_cast<std::uint64_t>(round_to_even(scaled));  // < 2^(mantissa_bits+1) + 1
    // adding the mantissa to the exponent field carries a rounding overflow into the next binade
    code = (static_cast<std::uint64_t>(exponent + f.bias - 1) << f.mantissa_bits) + units;
    overflow = static_cast<double>(units) * power_of_two(exponent - f.mantissa_bits) > f.max_finite;
  }
  if (overflow) {
    const bool to_infinity = f.has_infinity && bits_of(type) >= 16;
    code = top;
    if (!to_infinity) {
      int e = static_cast<int>((std::bit_cast<std::uint64_t>(f.max_finite) >> 52) & 2047u) - 1023;
      const auto units = static_cast<std::uint64_t>(f.max_finite * power_of_two(f.mantissa_bits - e));
      code = (static_cast<std::uint64_t>(e + f.bias - 1) << f.mantissa_bits) + units;
    }
  }
  if (f.fnuz && code == 0) return 0;
  return (sign | code) << stored_shift;
}

/// `value` as it reads back after rounding to the type.
SITS_FN constexpr double rounded(std::uint32_t type, double value) { return decode(type, encode(type, value)); }

/// Repeating poison byte written over outputs before a check: a NaN or an implausible value in every type.
SITS_FN constexpr std::uint8_t poison_byte(std::uint32_t type) {
  switch (type) {
    case SITS_F8_E4M3_FNUZ:
    case SITS_F8_E5M2_FNUZ: return 0x80;  // their only NaN
    case SITS_I8:
    case SITS_I32: return 0x81;
    default: return 0xff;
  }
}

/// Short lower-case name ("f16", "f8", "f8e5m2", "i8"); the e4m3 class is "f8" whatever its encoding.
constexpr const char *dtype_name(std::uint32_t type) {
  switch (type) {
    case SITS_F64: return "f64";
    case SITS_F32: return "f32";
    case SITS_TF32: return "tf32";
    case SITS_F16: return "f16";
    case SITS_BF16: return "bf16";
    case SITS_F8:
    case SITS_F8_E4M3:
    case SITS_F8_E4M3_FNUZ:
    case SITS_F8_E4M3_GAUDI2: return "f8";
    case SITS_F8_E5M2:
    case SITS_F8_E5M2_FNUZ: return "f8e5m2";
    case SITS_I8: return "i8";
    case SITS_I4: return "i4";
    case SITS_I32: return "i32";
    case SITS_F4_E2M1: return "f4";
    case SITS_E8M0: return "e8m0";
    case SITS_U8: return "u8";
    default: return "none";
  }
}

}  // namespace sits
#endif  // SITS_DTYPE_H
