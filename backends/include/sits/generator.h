// SPDX-License-Identifier: Apache-2.0
//
// The input generator: element `index` of a tensor is a pure function of (seed, tensor, index) in 32-bit integer
// arithmetic, so that a device creates its own inputs and the oracle recomputes any element without copying a tensor.
// Header-only, no library calls: usable inside device kernels (SITS_FN) and bit-exact everywhere.
#ifndef SITS_GENERATOR_H
#define SITS_GENERATOR_H

#include <cstdint>

#include "sits/backend.h"
#include "sits/dtype.h"

namespace sits {

/// 32-bit finalizer with full avalanche (constants: C. Wellons, "Prospecting for Hash Functions", lowbias32).
SITS_FN constexpr std::uint32_t mix32(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  x ^= x >> 16;
  return x;
}

/// Per-tensor key; `tensor` is sits_tensor.stream + copy * SITS_COPY_STRIDE.
SITS_FN constexpr std::uint32_t tensor_key(std::uint64_t seed, std::uint64_t tensor) {
  std::uint32_t h = mix32(static_cast<std::uint32_t>(seed) + 0x9e3779b9u);
  h = mix32(h ^ static_cast<std::uint32_t>(seed >> 32));
  h = mix32(h + static_cast<std::uint32_t>(tensor));
  return mix32(h ^ static_cast<std::uint32_t>(tensor >> 32));
}

/// 32 random bits of element `index`. Indices below 2^32 cost one mix32; `high` of larger ones enters the key.
SITS_FN constexpr std::uint32_t random_bits(std::uint32_t key, std::uint64_t index) {
  const auto high = static_cast<std::uint32_t>(index >> 32);
  const std::uint32_t k = high == 0 ? key : mix32(key ^ high);
  return mix32(static_cast<std::uint32_t>(index) * 0x9e3779b9u + k);
}

/// Uniform in [-1, 1) with 24 bits: exact in f32.
SITS_FN constexpr float uniform_f32(std::uint32_t bits) {
  return static_cast<float>(static_cast<std::int32_t>(bits >> 8) - (1 << 23)) * 0x1p-23f;
}

/// Uniform in [-1, 1) with 53 bits, from two words: the low bits toggle too.
SITS_FN constexpr double uniform_f64(std::uint32_t bits) {
  const std::uint64_t wide = (static_cast<std::uint64_t>(bits) << 21) | (mix32(bits ^ 0x5bd1e995u) >> 11);
  return static_cast<double>(static_cast<std::int64_t>(wide) - (std::int64_t{1} << 52)) * 0x1p-52;
}

/// Small integers -2 … 2, exact in every element type and in every sum below 2^22 of them in f32.
SITS_FN constexpr std::int32_t small_integer(std::uint32_t bits) {
  return static_cast<std::int32_t>((static_cast<std::uint64_t>(bits) * 5u) >> 32) - 2;
}

/// i8: uniform in [-127, 127].
SITS_FN constexpr std::int32_t uniform_i8(std::uint32_t bits) {
  return static_cast<std::int32_t>((static_cast<std::uint64_t>(bits) * 255u) >> 32) - 127;
}

/// i4: uniform in [-8, 7].
SITS_FN constexpr std::int32_t uniform_i4(std::uint32_t bits) { return static_cast<std::int32_t>(bits >> 28) - 8; }

/// Block scale e8m0: exponent code of 2^-2 … 2^1.
SITS_FN constexpr std::uint8_t uniform_e8m0(std::uint32_t bits) {
  return static_cast<std::uint8_t>(125u + (bits >> 30));
}

/// The value of one element, as the device holds it after rounding to `type`.
/// type: SITS_F64 … SITS_E8M0 (no SITS_F8); fill: SITS_FILL_UNIFORM or SITS_FILL_SMALL_INTEGER.
SITS_FN constexpr double generated_value(std::uint32_t type, std::uint32_t fill, std::uint32_t key,
                                         std::uint64_t index) {
  const std::uint32_t bits = random_bits(key, index);
  if (type == SITS_E8M0) return decode(SITS_E8M0, uniform_e8m0(bits));
  if (fill == SITS_FILL_SMALL_INTEGER) return small_integer(bits);
  switch (type) {
    case SITS_I8: return uniform_i8(bits);
    case SITS_I4: return uniform_i4(bits);
    case SITS_I32: return small_integer(bits);
    case SITS_F64: return uniform_f64(bits);
    case SITS_F32: return uniform_f32(bits);
    default: return decode(type, encode(type, uniform_f32(bits)));
  }
}

/// The bit pattern of one element (low bits of the word; sub-byte types unpacked, one element).
SITS_FN constexpr std::uint64_t generated_bits(std::uint32_t type, std::uint32_t fill, std::uint32_t key,
                                               std::uint64_t index) {
  if (type == SITS_E8M0) return uniform_e8m0(random_bits(key, index));
  return encode(type, generated_value(type, fill, key, index));
}

/// Step of Sattolo's algorithm: partner of `i` (1 … lines-1) when the single cycle of `memory_latency` is built by
/// next = identity; for i = lines-1 down to 1: swap(next[i], next[cycle_partner(key, i)]).
SITS_FN constexpr std::uint32_t cycle_partner(std::uint32_t key, std::uint32_t i) {
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(random_bits(key, i)) * i) >> 32);
}

}  // namespace sits
#endif  // SITS_GENERATOR_H
