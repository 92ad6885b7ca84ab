// SPDX-License-Identifier: Apache-2.0
#include "sits/generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

namespace sits {
namespace {

constexpr std::uint32_t kKey = tensor_key(42, 1);

// usable where a constant is needed
static_assert(generated_bits(SITS_F32, SITS_FILL_UNIFORM, kKey, 0) == 0x3e3b0d08);
static_assert(mix32(1) == 0x688990c0);

struct Golden {
  std::uint32_t type, fill;
  std::uint64_t bits[6];
};
constexpr std::uint64_t kIndices[6] = {0, 1, 2, 1000003, 0xffffffff, 0x100000000};
// clang-format off
constexpr Golden kGolden[] = {
    {SITS_F64, SITS_FILL_UNIFORM, {0x3fc761a1ccf65840, 0x3fdeeaea74aad360, 0xbfdc9fa1e318eb28, 0xbfec7eb11ff9269a, 0xbfd3522c6ccfe7a4, 0xbfe683c34b4cba6e}},
    {SITS_F32, SITS_FILL_UNIFORM, {0x3e3b0d08, 0x3ef75750, 0xbee4fd10, 0xbf63f58a, 0xbe9a9164, 0xbf341e1c}},
    {SITS_TF32, SITS_FILL_UNIFORM, {0x3e3b0000, 0x3ef76000, 0xbee50000, 0xbf640000, 0xbe9aa000, 0xbf342000}},
    {SITS_F16, SITS_FILL_UNIFORM, {0x31d8, 0x37bb, 0xb728, 0xbb20, 0xb4d5, 0xb9a1}},
    {SITS_BF16, SITS_FILL_UNIFORM, {0x3e3b, 0x3ef7, 0xbee5, 0xbf64, 0xbe9b, 0xbf34}},
    {SITS_F8_E4M3, SITS_FILL_UNIFORM, {0x24, 0x2f, 0xae, 0xb6, 0xaa, 0xb3}},
    {SITS_F8_E4M3_FNUZ, SITS_FILL_UNIFORM, {0x2c, 0x37, 0xb6, 0xbe, 0xb2, 0xbb}},
    {SITS_F8_E4M3_GAUDI2, SITS_FILL_UNIFORM, {0x24, 0x2f, 0xae, 0xb6, 0xaa, 0xb3}},
    {SITS_F8_E5M2, SITS_FILL_UNIFORM, {0x32, 0x38, 0xb7, 0xbb, 0xb5, 0xba}},
    {SITS_F8_E5M2_FNUZ, SITS_FILL_UNIFORM, {0x36, 0x3c, 0xbb, 0xbf, 0xb9, 0xbe}},
    {SITS_I8, SITS_FILL_UNIFORM, {0x17, 0x3e, 0xc7, 0x8e, 0xda, 0xa6}},
    {SITS_I4, SITS_FILL_UNIFORM, {0x1, 0x3, 0xc, 0x8, 0xd, 0xa}},
    {SITS_I32, SITS_FILL_UNIFORM, {0x0, 0x1, 0xffffffff, 0xfffffffe, 0xffffffff, 0xfffffffe}},
    {SITS_F4_E2M1, SITS_FILL_UNIFORM, {0x0, 0x1, 0x9, 0xa, 0x9, 0x9}},
    {SITS_E8M0, SITS_FILL_UNIFORM, {0x7f, 0x7f, 0x7e, 0x7d, 0x7e, 0x7d}},
    {SITS_F64, SITS_FILL_SMALL_INTEGER, {0x0, 0x3ff0000000000000, 0xbff0000000000000, 0xc000000000000000, 0xbff0000000000000, 0xc000000000000000}},
    {SITS_F32, SITS_FILL_SMALL_INTEGER, {0x0, 0x3f800000, 0xbf800000, 0xc0000000, 0xbf800000, 0xc0000000}},
    {SITS_TF32, SITS_FILL_SMALL_INTEGER, {0x0, 0x3f800000, 0xbf800000, 0xc0000000, 0xbf800000, 0xc0000000}},
    {SITS_F16, SITS_FILL_SMALL_INTEGER, {0x0, 0x3c00, 0xbc00, 0xc000, 0xbc00, 0xc000}},
    {SITS_BF16, SITS_FILL_SMALL_INTEGER, {0x0, 0x3f80, 0xbf80, 0xc000, 0xbf80, 0xc000}},
    {SITS_F8_E4M3, SITS_FILL_SMALL_INTEGER, {0x0, 0x38, 0xb8, 0xc0, 0xb8, 0xc0}},
    {SITS_F8_E4M3_FNUZ, SITS_FILL_SMALL_INTEGER, {0x0, 0x40, 0xc0, 0xc8, 0xc0, 0xc8}},
    {SITS_F8_E4M3_GAUDI2, SITS_FILL_SMALL_INTEGER, {0x0, 0x38, 0xb8, 0xc0, 0xb8, 0xc0}},
    {SITS_F8_E5M2, SITS_FILL_SMALL_INTEGER, {0x0, 0x3c, 0xbc, 0xc0, 0xbc, 0xc0}},
    {SITS_F8_E5M2_FNUZ, SITS_FILL_SMALL_INTEGER, {0x0, 0x40, 0xc0, 0xc4, 0xc0, 0xc4}},
    {SITS_I8, SITS_FILL_SMALL_INTEGER, {0x0, 0x1, 0xff, 0xfe, 0xff, 0xfe}},
    {SITS_I4, SITS_FILL_SMALL_INTEGER, {0x0, 0x1, 0xf, 0xe, 0xf, 0xe}},
    {SITS_I32, SITS_FILL_SMALL_INTEGER, {0x0, 0x1, 0xffffffff, 0xfffffffe, 0xffffffff, 0xfffffffe}},
    {SITS_F4_E2M1, SITS_FILL_SMALL_INTEGER, {0x0, 0x2, 0xa, 0xc, 0xa, 0xc}},
};
// clang-format on

TEST(Generator, elements_of_method_version_1_never_change) {
  for (const Golden &golden : kGolden) {
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_EQ(generated_bits(golden.type, golden.fill, kKey, kIndices[i]), golden.bits[i])
          << dtype_name(golden.type) << " fill " << golden.fill << " index " << kIndices[i];
    }
  }
}

TEST(Generator, keys_and_cycle_partners_of_method_version_1_never_change) {
  EXPECT_EQ(tensor_key(0, 0), 0x41f39e5eu);
  EXPECT_EQ(tensor_key(42, 1), 0x39ede5a6u);
  EXPECT_EQ(tensor_key(0x123456789abcdef0, 0x100000010), 0xf57e9141u);
  EXPECT_EQ(cycle_partner(kKey, 1000), 516u);
  EXPECT_EQ(cycle_partner(kKey, 0x7fffffff), 2077944619u);
  EXPECT_EQ(mix32(0), 0u);
  EXPECT_EQ(mix32(0xffffffff), 0x6768824au);
}

TEST(Generator, a_value_is_what_its_bits_decode_to) {
  for (const Golden &golden : kGolden) {
    for (std::uint64_t i = 0; i < 2000; ++i) {
      EXPECT_EQ(decode(golden.type, generated_bits(golden.type, golden.fill, kKey, i)),
                generated_value(golden.type, golden.fill, kKey, i));
    }
  }
}

struct Moments {
  double mean = 0, mean_square = 0, low = 0, high = 0;
};

Moments moments(std::uint32_t type, std::uint32_t fill) {
  constexpr int kCount = 100000;
  Moments m;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const double value = generated_value(type, fill, kKey, i);
    m.mean += value / kCount;
    m.mean_square += value * value / kCount;
    m.low = std::min(m.low, value);
    m.high = std::max(m.high, value);
  }
  return m;
}

TEST(Generator, floats_are_uniform_in_minus_one_to_one) {
  for (const std::uint32_t type : {SITS_F64, SITS_F32, SITS_TF32, SITS_F16, SITS_BF16, SITS_F8_E4M3, SITS_F8_E5M2}) {
    SCOPED_TRACE(dtype_name(type));
    const Moments m = moments(type, SITS_FILL_UNIFORM);
    EXPECT_NEAR(m.mean, 0, 0.01);
    EXPECT_NEAR(m.mean_square, 1.0 / 3, 0.015);
    EXPECT_GE(m.low, -1);
    EXPECT_LE(m.high, 1);  // 1 itself only by rounding
    EXPECT_LT(m.low, -0.95);
    EXPECT_GT(m.high, 0.95);
  }
}

TEST(Generator, integers_fill_their_ranges) {
  const Moments i8 = moments(SITS_I8, SITS_FILL_UNIFORM);
  EXPECT_EQ(i8.low, -127);
  EXPECT_EQ(i8.high, 127);
  EXPECT_NEAR(i8.mean_square, (255.0 * 255 - 1) / 12, 60);
  const Moments i4 = moments(SITS_I4, SITS_FILL_UNIFORM);
  EXPECT_EQ(i4.low, -8);
  EXPECT_EQ(i4.high, 7);
  EXPECT_NEAR(i4.mean, -0.5, 0.06);
  const Moments small = moments(SITS_F16, SITS_FILL_SMALL_INTEGER);
  EXPECT_EQ(small.low, -2);
  EXPECT_EQ(small.high, 2);
  EXPECT_NEAR(small.mean, 0, 0.02);
  EXPECT_NEAR(small.mean_square, 2, 0.03);
}

TEST(Generator, the_lowest_bits_of_f64_toggle) {
  std::uint64_t ones = 0;
  for (std::uint64_t i = 0; i < 4096; ++i) {
    const double scaled = generated_value(SITS_F64, SITS_FILL_UNIFORM, kKey, i) * 0x1p52;
    ones += static_cast<std::uint64_t>(static_cast<std::int64_t>(scaled) & 1);
  }
  EXPECT_NEAR(static_cast<double>(ones), 2048, 200);
}

TEST(Generator, block_scales_are_four_powers_of_two) {
  std::set<double> values;
  for (std::uint64_t i = 0; i < 1000; ++i) values.insert(generated_value(SITS_E8M0, SITS_FILL_UNIFORM, kKey, i));
  EXPECT_EQ(values, (std::set<double>{0.25, 0.5, 1, 2}));
}

TEST(Generator, tensors_copies_seeds_and_high_indices_are_streams_of_their_own) {
  struct Stream {
    std::uint32_t key;
    std::uint64_t first;
  };
  const auto common = [](Stream left, Stream right) {
    int equal = 0;
    for (std::uint64_t i = 0; i < 10000; ++i)
      equal += random_bits(left.key, left.first + i) == random_bits(right.key, right.first + i) ? 1 : 0;
    return equal;
  };
  const std::uint64_t high = std::uint64_t{1} << 32;
  EXPECT_LE(common({tensor_key(1, 0), 0}, {tensor_key(2, 0), 0}), 1);
  EXPECT_LE(common({tensor_key(1, 0), 0}, {tensor_key(1, 1), 0}), 1);
  EXPECT_LE(common({tensor_key(1, 0), 0}, {tensor_key(1, SITS_COPY_STRIDE), 0}), 1);
  EXPECT_LE(common({tensor_key(1, 0), 0}, {tensor_key(1 + high, 0), 0}), 1);
  EXPECT_LE(common({tensor_key(1, 0), 0}, {tensor_key(1, high), 0}), 1);
  EXPECT_LE(common({kKey, 0}, {kKey, high}), 1);
  EXPECT_LE(common({kKey, high}, {kKey, 2 * high}), 1);
}

TEST(Generator, neighbouring_elements_are_uncorrelated) {
  constexpr int kCount = 100000;
  double sum = 0, before = generated_value(SITS_F32, SITS_FILL_UNIFORM, kKey, 0);
  for (std::uint64_t i = 1; i <= kCount; ++i) {
    const double value = generated_value(SITS_F32, SITS_FILL_UNIFORM, kKey, i);
    sum += before * value;
    before = value;
  }
  EXPECT_NEAR(sum / kCount * 3, 0, 0.02);
}

TEST(Generator, small_integers_sum_exactly_in_f32) {
  float in_f32 = 0;
  double exact = 0;
  for (std::uint64_t i = 0; i < 65536; ++i) {
    const double value = generated_value(SITS_BF16, SITS_FILL_SMALL_INTEGER, kKey, i);
    in_f32 += static_cast<float>(value);
    exact += value;
  }
  EXPECT_EQ(static_cast<double>(in_f32), exact);
}

TEST(Generator, sattolo_partners_make_a_single_cycle) {
  for (const std::uint32_t lines : {2u, 3u, 64u, 1000u, 65536u}) {
    std::vector<std::uint32_t> next(lines);
    std::iota(next.begin(), next.end(), 0u);
    for (std::uint32_t i = lines - 1; i >= 1; --i) {
      const std::uint32_t partner = cycle_partner(kKey, i);
      ASSERT_LT(partner, i);
      std::swap(next[i], next[partner]);
    }
    std::uint32_t steps = 0, line = 0;
    do {
      line = next[line];
      ++steps;
    } while (line != 0 && steps <= lines);
    EXPECT_EQ(steps, lines);
  }
}

}  // namespace
}  // namespace sits
