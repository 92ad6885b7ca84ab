// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/fill.h"

#include <algorithm>
#include <cstring>

#include "sits/dtype.h"
#include "sits/generator.h"

namespace sits::cpu {
namespace {

/// Type and distribution are constants inside the loop, so that it compiles to the few operations they need.
template <std::uint32_t type, std::uint32_t fill, typename Word>
void generate_words(void *dst, std::uint32_t key, std::uint64_t first, std::uint64_t count) {
  auto *out = static_cast<Word *>(dst);
  for (std::uint64_t i = 0; i < count; ++i) out[i] = static_cast<Word>(generated_bits(type, fill, key, first + i));
}

template <std::uint32_t type>
void generate_type(void *dst, std::uint32_t fill, std::uint32_t key, std::uint64_t first, std::uint64_t count) {
  constexpr std::uint32_t bits = bits_of(type);
  using Word = std::conditional_t<
      bits == 64, std::uint64_t,
      std::conditional_t<bits == 32, std::uint32_t, std::conditional_t<bits == 16, std::uint16_t, std::uint8_t>>>;
  if (fill == SITS_FILL_SMALL_INTEGER)
    generate_words<type, SITS_FILL_SMALL_INTEGER, Word>(dst, key, first, count);
  else
    generate_words<type, SITS_FILL_UNIFORM, Word>(dst, key, first, count);
}

void generate_any(void *dst, std::uint32_t type, std::uint32_t fill, std::uint32_t key, std::uint64_t first,
                  std::uint64_t count) {
  auto *out = static_cast<std::uint8_t *>(dst);
  const std::uint32_t bits = bits_of(type);
  if (bits == 4) {
    for (std::uint64_t i = 0; i < count; i += 2) {
      const std::uint64_t low = generated_bits(type, fill, key, first + i);
      const std::uint64_t high = i + 1 < count ? generated_bits(type, fill, key, first + i + 1) : 0;
      out[i / 2] = static_cast<std::uint8_t>(low | (high << 4));
    }
    return;
  }
  const std::uint64_t size = bits / 8;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t value =
        generated_bits(type, fill, key, first + i);  // little-endian hosts only, as the contract
    std::memcpy(out + i * size, &value, size);
  }
}

}  // namespace

void generate(void *dst, std::uint32_t type, std::uint32_t fill, std::uint32_t key, std::uint64_t first,
              std::uint64_t count) {
  switch (type) {
    case SITS_F64: return generate_type<SITS_F64>(dst, fill, key, first, count);
    case SITS_F32: return generate_type<SITS_F32>(dst, fill, key, first, count);
    case SITS_F16: return generate_type<SITS_F16>(dst, fill, key, first, count);
    case SITS_BF16: return generate_type<SITS_BF16>(dst, fill, key, first, count);
    case SITS_I8: return generate_type<SITS_I8>(dst, fill, key, first, count);
    default: return generate_any(dst, type, fill, key, first, count);
  }
}

void generate_parallel(Pool &pool, void *dst, std::uint32_t type, std::uint32_t fill, std::uint32_t key,
                       std::uint64_t count, std::uint64_t grain) {
  pool.run([&](unsigned t) {
    const Range part = part_of(count, t, pool.size(), grain);
    generate(static_cast<std::uint8_t *>(dst) + bytes_of(type, part.begin), type, fill, key, part.begin,
             part.end - part.begin);
  });
}

void poison_parallel(Pool &pool, void *dst, std::uint32_t type, std::uint64_t count, std::uint64_t grain) {
  pool.run([&](unsigned t) {
    const Range part = part_of(count, t, pool.size(), grain);
    std::memset(static_cast<std::uint8_t *>(dst) + bytes_of(type, part.begin), poison_byte(type),
                bytes_of(type, part.end) - bytes_of(type, part.begin));
  });
}

}  // namespace sits::cpu
