// SPDX-License-Identifier: Apache-2.0
#include "microbench/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "microbench/vector_target.h"
#include "sits/generator.h"

namespace sits::microbench {
namespace {

/// uniform_f32 rounded to a narrower format, equal to decode(encode()) for values in [-1, 1]: normal numbers by
/// rounding the low bits of the f32 away, subnormal ones by adding a constant whose last place is their spacing.
struct RoundedFloat {
  std::uint32_t shift, mask, min_normal;
  float spacing_shifter;

  explicit RoundedFloat(const FloatFormat &f)
      : shift(static_cast<std::uint32_t>(23 - f.mantissa_bits)),
        mask(~((1u << shift) - 1u)),
        min_normal(std::bit_cast<std::uint32_t>(static_cast<float>(power_of_two(1 - f.bias)))),
        spacing_shifter(static_cast<float>(1.5 * power_of_two(24 - f.bias - f.mantissa_bits))) {}

  SITS_INLINE double operator()(std::uint32_t bits) const {
    const float x = uniform_f32(bits);
    const auto raw = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t rounded = (raw + ((1u << (shift - 1)) - 1u) + ((raw >> shift) & 1u)) & mask;
    const auto subnormal = std::bit_cast<std::uint32_t>((x + spacing_shifter) - spacing_shifter);
    const std::uint32_t is_subnormal = 0u - static_cast<std::uint32_t>((raw & 0x7fffffffu) < min_normal);
    return static_cast<double>(std::bit_cast<float>((subnormal & is_subnormal) | (rounded & ~is_subnormal)));
  }
};
struct PlainF32 {
  SITS_INLINE double operator()(std::uint32_t bits) const { return static_cast<double>(uniform_f32(bits)); }
};
struct PlainF64 {
  SITS_INLINE double operator()(std::uint32_t bits) const { return uniform_f64(bits); }
};
struct PlainI8 {
  SITS_INLINE double operator()(std::uint32_t bits) const { return uniform_i8(bits); }
};
struct PlainI4 {
  SITS_INLINE double operator()(std::uint32_t bits) const { return uniform_i4(bits); }
};
struct PlainU8 {  // rounded to an integer: 0 or 1
  SITS_INLINE double operator()(std::uint32_t bits) const { return static_cast<double>(uniform_f32(bits) > 0.5f); }
};
struct SmallInteger {
  SITS_INLINE double operator()(std::uint32_t bits) const { return small_integer(bits); }
};

template <class Value>
SITS_INLINE void fill_body(Value value, std::uint32_t key, std::uint32_t first, std::uint32_t step, double *out,
                           std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    out[i] = value(mix32((first + static_cast<std::uint32_t>(i) * step) * 0x9e3779b9u + key));
}
template <class Value>
SITS_TARGET_AVX2 void fill_avx2(const Value &value, std::uint32_t key, std::uint32_t first, std::uint32_t step,
                                double *out, std::size_t count) {
  fill_body(value, key, first, step, out, count);
}
template <class Value>
void fill(const Value &value, std::uint32_t key, std::uint32_t first, std::uint32_t step, std::span<double> out) {
  if (has_avx2())
    fill_avx2(value, key, first, step, out.data(), out.size());
  else
    fill_body(value, key, first, step, out.data(), out.size());
}

SITS_INLINE std::int64_t sum_body(std::uint32_t key, std::uint32_t first, std::uint32_t count) {
  std::int32_t sum = 0;  // |sum| <= 2 count
  for (std::uint32_t i = 0; i < count; ++i) sum += small_integer(mix32((first + i) * 0x9e3779b9u + key));
  return sum;
}
SITS_TARGET_AVX2 std::int64_t sum_avx2(std::uint32_t key, std::uint32_t first, std::uint32_t count) {
  return sum_body(key, first, count);
}

/// The key that random_bits() uses for indices with these upper 32 bits.
std::uint32_t key_of_high(std::uint32_t key, std::uint64_t index) {
  const auto high = static_cast<std::uint32_t>(index >> 32);
  return high == 0 ? key : mix32(key ^ high);
}

/// One run of indices that share their upper 32 bits. False for a type without a fast path.
bool fill_run(const InputStream &input, std::uint32_t key, std::uint32_t first, std::uint32_t step,
              std::span<double> out) {
  if (input.type == SITS_E8M0) return false;
  if (input.fill == SITS_FILL_SMALL_INTEGER || input.type == SITS_I32) {
    fill(SmallInteger{}, key, first, step, out);
    return true;
  }
  switch (input.type) {
    case SITS_F64: fill(PlainF64{}, key, first, step, out); return true;
    case SITS_F32: fill(PlainF32{}, key, first, step, out); return true;
    case SITS_I8: fill(PlainI8{}, key, first, step, out); return true;
    case SITS_U8: fill(PlainU8{}, key, first, step, out); return true;
    case SITS_I4: fill(PlainI4{}, key, first, step, out); return true;
    default: fill(RoundedFloat(format_of(input.type)), key, first, step, out); return true;
  }
}

/// Values of all codes of a type of 16 bits or fewer.
std::vector<double> decode_table(std::uint32_t type) {
  std::vector<double> table(std::size_t{1} << bits_of(type));
  for (std::size_t code = 0; code < table.size(); ++code) table[code] = decode(type, code);
  return table;
}

template <class Stored, class Value>
void decode_each(std::span<const std::byte> bytes, std::span<double> out, Value value) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    out[i] = value(stored);
  }
}

void decode_elements(std::uint32_t type, std::span<const std::byte> bytes, std::span<double> out) {
  static const std::vector<double> f16_values = decode_table(SITS_F16);
  switch (type) {
    case SITS_F64: return decode_each<double>(bytes, out, [](double v) { return v; });
    case SITS_F32:
    case SITS_TF32: return decode_each<float>(bytes, out, [](float v) { return static_cast<double>(v); });
    case SITS_I32: return decode_each<std::int32_t>(bytes, out, [](std::int32_t v) { return static_cast<double>(v); });
    case SITS_F16: return decode_each<std::uint16_t>(bytes, out, [](std::uint16_t v) { return f16_values[v]; });
    case SITS_BF16: return decode_each<std::uint16_t>(bytes, out, [](std::uint16_t v) { return decode(SITS_BF16, v); });
    default: break;
  }
  const std::vector<double> values = decode_table(type);
  decode_each<std::uint8_t>(bytes, out, [&](std::uint8_t v) { return values[v]; });
}

}  // namespace

std::uint32_t copy_of(const TensorInfo &tensor, std::uint32_t copy) { return copy < tensor.copies ? copy : 0; }

InputStream input_stream(const TensorInfo &tensor, std::uint64_t seed, std::uint32_t copy) {
  return {tensor.type, tensor.fill,
          tensor_key(seed, tensor.stream + std::uint64_t{copy_of(tensor, copy)} * SITS_COPY_STRIDE)};
}

void generate(const InputStream &input, std::uint64_t first, std::uint64_t step, std::span<double> out) {
  std::size_t done = 0;
  while (done < out.size()) {
    const std::uint64_t index = first + done * step;
    const std::uint64_t until_wrap = ((~index & 0xffffffffu) / std::max<std::uint64_t>(step, 1)) + 1;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(out.size() - done, until_wrap));
    const auto run = out.subspan(done, count);
    if (!fill_run(input, key_of_high(input.key, index), static_cast<std::uint32_t>(index),
                  static_cast<std::uint32_t>(step), run))
      for (std::size_t i = 0; i < count; ++i)
        run[i] = generated_value(input.type, input.fill, input.key, index + i * step);
    done += count;
  }
}

std::int64_t sum_of_small_integers(std::uint32_t key, std::uint64_t first, std::uint64_t count) {
  std::int64_t sum = 0;
  while (count > 0) {
    const std::uint64_t until_wrap = (~first & 0xffffffffu) + 1;
    const auto run = static_cast<std::uint32_t>(std::min({count, until_wrap, std::uint64_t{1} << 24}));
    const std::uint32_t run_key = key_of_high(key, first);
    const auto low = static_cast<std::uint32_t>(first);
    sum += has_avx2() ? sum_avx2(run_key, low, run) : sum_body(run_key, low, run);
    first += run;
    count -= run;
  }
  return sum;
}

std::vector<std::byte> read_raw(const Reader &read, std::size_t index, std::uint32_t type, std::uint32_t copy,
                                std::uint64_t first, std::uint64_t count) {
  std::vector<std::byte> bytes = read(index, copy, first, count);
  const std::uint64_t expected = bytes_of(type, count);
  if (bytes.size() != expected)
    throw CaseError(fmt::format("tensor {} handed back {} bytes for {} elements, expected {}", index, bytes.size(),
                                count, expected));
  return bytes;
}

void read_elements(const Reader &read, std::size_t index, std::uint32_t type, std::uint32_t copy, std::uint64_t first,
                   std::span<double> out) {
  decode_elements(type, read_raw(read, index, type, copy, first, out.size()), out);
}

std::uint32_t resolved_type(std::string_view name, std::uint32_t asked, std::uint32_t resolved) {
  const bool encoding_of_f8 = asked == SITS_F8 && (resolved == SITS_F8_E4M3 || resolved == SITS_F8_E4M3_FNUZ ||
                                                   resolved == SITS_F8_E4M3_GAUDI2);
  const bool encoding_of_f8e5m2 = asked == SITS_F8_E5M2 && resolved == SITS_F8_E5M2_FNUZ;
  if (resolved == SITS_DTYPE_NONE && asked != SITS_F8) return asked;
  if (resolved != asked && !encoding_of_f8 && !encoding_of_f8e5m2)
    throw CaseError(fmt::format("{} was run as {} (code {}), the case asks for {} (code {})", name,
                                dtype_name(resolved), resolved, dtype_name(asked), asked));
  return resolved;
}

std::size_t find_tensor(std::span<const TensorInfo> tensors, std::string_view name, std::uint32_t role,
                        std::uint32_t type, std::uint64_t count) {
  const auto found = std::find_if(tensors.begin(), tensors.end(), [&](const TensorInfo &t) { return t.name == name; });
  if (found == tensors.end()) throw CaseError(fmt::format("the workload has no tensor {}", name));
  if (found->role != role && found->role != SITS_ROLE_INOUT)
    throw CaseError(fmt::format("tensor {} has role {}, expected {}", name, found->role, role));
  if (found->type != type)
    throw CaseError(fmt::format("tensor {} is {} (code {}), expected {} (code {})", name, dtype_name(found->type),
                                found->type, dtype_name(type), type));
  if (found->count != count)
    throw CaseError(fmt::format("tensor {} has {} elements, expected {}", name, found->count, count));
  return static_cast<std::size_t>(found - tensors.begin());
}

std::size_t find_input(std::span<const TensorInfo> tensors, std::string_view name, std::uint32_t fill,
                       std::uint32_t type, std::uint64_t count) {
  const std::size_t index = find_tensor(tensors, name, SITS_ROLE_INPUT, type, count);
  if (tensors[index].fill != fill)
    throw CaseError(fmt::format("tensor {} has fill {}, expected {}", name, tensors[index].fill, fill));
  return index;
}

}  // namespace sits::microbench
