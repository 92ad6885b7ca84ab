// SPDX-License-Identifier: Apache-2.0
#include "sits/dtype.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sits {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint32_t kFloats[] = {SITS_F64,     SITS_F32,          SITS_TF32,         SITS_F16,
                                     SITS_BF16,    SITS_F8_E4M3,      SITS_F8_E4M3_FNUZ, SITS_F8_E4M3_GAUDI2,
                                     SITS_F8_E5M2, SITS_F8_E5M2_FNUZ, SITS_F4_E2M1};

// usable where a constant is needed
static_assert(encode(SITS_F16, 1.0) == 0x3c00 && decode(SITS_F16, 0x3c00) == 1.0);
static_assert(rounded(SITS_I8, 200.0) == 127.0 && bytes_of(SITS_I4, 3) == 2);

void expect_every_code_round_trips(std::uint32_t type, std::uint64_t codes) {
  for (std::uint64_t code = 0; code < codes; ++code) {
    const double value = decode(type, code);
    const std::uint64_t again = encode(type, value);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(decode(type, again))) << dtype_name(type) << " code " << code;
    } else {
      EXPECT_EQ(again, code) << dtype_name(type) << " value " << value;
    }
  }
}

TEST(Dtype, every_code_of_4_and_8_bits_round_trips) {
  expect_every_code_round_trips(SITS_F4_E2M1, 16);
  expect_every_code_round_trips(SITS_I4, 16);
  for (const std::uint32_t type : {SITS_F8_E4M3, SITS_F8_E4M3_FNUZ, SITS_F8_E5M2_FNUZ, SITS_I8, SITS_U8, SITS_E8M0})
    expect_every_code_round_trips(type, 256);
}

TEST(Dtype, every_finite_code_of_f8_with_infinities_round_trips_and_its_infinities_saturate) {
  for (const std::uint32_t type : {SITS_F8_E4M3_GAUDI2, SITS_F8_E5M2}) {
    const double most = format_of(type).max_finite;
    int infinities = 0;
    for (std::uint64_t code = 0; code < 256; ++code) {
      const double value = decode(type, code);
      if (std::isinf(value)) {
        ++infinities;
        EXPECT_EQ(rounded(type, value), value > 0 ? most : -most);
      } else if (!std::isnan(value)) {
        EXPECT_EQ(encode(type, value), code);
      }
    }
    EXPECT_EQ(infinities, 2);
  }
}

TEST(Dtype, every_code_of_16_bits_round_trips) {
  expect_every_code_round_trips(SITS_F16, 65536);
  expect_every_code_round_trips(SITS_BF16, 65536);
}

TEST(Dtype, known_codes_have_their_published_values) {
  EXPECT_EQ(decode(SITS_F8_E4M3, 0x7e), 448);
  EXPECT_EQ(decode(SITS_F8_E4M3, 0x01), 0x1p-9);
  EXPECT_EQ(decode(SITS_F8_E4M3, 0x08), 0x1p-6);
  EXPECT_EQ(decode(SITS_F8_E4M3_FNUZ, 0x7f), 240);
  EXPECT_EQ(decode(SITS_F8_E4M3_FNUZ, 0x01), 0x1p-10);
  EXPECT_EQ(decode(SITS_F8_E4M3_GAUDI2, 0x77), 240);
  EXPECT_EQ(decode(SITS_F8_E5M2, 0x7b), 57344);
  EXPECT_EQ(decode(SITS_F8_E5M2, 0x01), 0x1p-16);
  EXPECT_EQ(decode(SITS_F8_E5M2_FNUZ, 0x7f), 57344);
  EXPECT_EQ(decode(SITS_F4_E2M1, 0x7), 6);
  EXPECT_EQ(decode(SITS_F4_E2M1, 0x1), 0.5);
  EXPECT_EQ(decode(SITS_F16, 0x7bff), 65504);
  EXPECT_EQ(decode(SITS_F16, 0x0001), 0x1p-24);
  EXPECT_EQ(decode(SITS_BF16, 0x7f7f), 0x1.fep127);
  EXPECT_EQ(decode(SITS_E8M0, 127), 1);
  EXPECT_EQ(decode(SITS_E8M0, 0), 0x1p-127);
  EXPECT_EQ(decode(SITS_I4, 0x8), -8);
  EXPECT_EQ(decode(SITS_I32, 0xffffffff), -1);
}

TEST(Dtype, nan_codes) {
  EXPECT_EQ(encode(SITS_F8_E4M3, kNan), 0x7fu);
  EXPECT_EQ(encode(SITS_F8_E4M3_FNUZ, kNan), 0x80u);
  EXPECT_EQ(encode(SITS_F8_E5M2_FNUZ, kNan), 0x80u);
  EXPECT_TRUE(std::isnan(decode(SITS_F8_E4M3, 0xff)));
  EXPECT_TRUE(std::isnan(decode(SITS_F8_E5M2, encode(SITS_F8_E5M2, kNan))));
  EXPECT_TRUE(std::isnan(decode(SITS_F16, encode(SITS_F16, kNan))));
  EXPECT_TRUE(std::isnan(decode(SITS_BF16, encode(SITS_BF16, kNan))));
  EXPECT_TRUE(std::isnan(decode(SITS_TF32, encode(SITS_TF32, kNan))));
  EXPECT_TRUE(std::isnan(decode(SITS_F32, encode(SITS_F32, kNan))));
  EXPECT_EQ(encode(SITS_E8M0, kNan), 0xffu);
  EXPECT_TRUE(std::isnan(decode(SITS_E8M0, 0xff)));
  EXPECT_FALSE(std::isnan(decode(SITS_F4_E2M1, encode(SITS_F4_E2M1, kNan))));  // f4 has none: the largest value
}

TEST(Dtype, fnuz_has_no_negative_zero) {
  EXPECT_EQ(encode(SITS_F8_E4M3_FNUZ, -0.0), 0u);
  EXPECT_EQ(encode(SITS_F8_E5M2_FNUZ, -0x1p-40), 0u);
  EXPECT_EQ(encode(SITS_F8_E4M3, -0.0), 0x80u);
  EXPECT_EQ(encode(SITS_F16, -0.0), 0x8000u);
}

TEST(Dtype, wide_floats_overflow_to_infinity_and_small_ones_saturate) {
  for (const std::uint32_t type : {SITS_F32, SITS_TF32, SITS_F16, SITS_BF16}) {
    const double most = format_of(type).max_finite;
    SCOPED_TRACE(dtype_name(type));
    EXPECT_EQ(rounded(type, most), most);
    EXPECT_EQ(rounded(type, most * (1 + 0.49 * unit_roundoff(type))), most);
    EXPECT_EQ(rounded(type, most * (1 + 1.01 * unit_roundoff(type))), kInfinity);
    EXPECT_EQ(rounded(type, -kInfinity), -kInfinity);
    EXPECT_EQ(rounded(type, 1e300), kInfinity);
  }
  for (const std::uint32_t type :
       {SITS_F8_E4M3, SITS_F8_E4M3_FNUZ, SITS_F8_E4M3_GAUDI2, SITS_F8_E5M2, SITS_F8_E5M2_FNUZ, SITS_F4_E2M1}) {
    const double most = format_of(type).max_finite;
    SCOPED_TRACE(most);
    for (const double value : {most, most * 1.2, most * 3, 1e300, kInfinity}) {
      EXPECT_EQ(rounded(type, value), most) << value;
      EXPECT_EQ(rounded(type, -value), -most) << value;
    }
  }
}

TEST(Dtype, integers_saturate_and_round_ties_to_even) {
  EXPECT_EQ(rounded(SITS_I8, 127.5), 127);
  EXPECT_EQ(rounded(SITS_I8, -1e30), -128);
  EXPECT_EQ(rounded(SITS_I8, kInfinity), 127);
  EXPECT_EQ(rounded(SITS_I4, 9), 7);
  EXPECT_EQ(rounded(SITS_I4, -9), -8);
  EXPECT_EQ(rounded(SITS_U8, -3), 0);
  EXPECT_EQ(rounded(SITS_I32, 1e12), INT32_MAX);
  EXPECT_EQ(rounded(SITS_I32, -1e12), INT32_MIN);
  EXPECT_EQ(rounded(SITS_I8, 0.5), 0);
  EXPECT_EQ(rounded(SITS_I8, 1.5), 2);
  EXPECT_EQ(rounded(SITS_I8, -0.5), 0);
  EXPECT_EQ(rounded(SITS_I8, -2.5), -2);
}

TEST(Dtype, midpoints_between_neighbours_go_to_the_even_code) {
  const auto check = [](std::uint32_t type, std::uint64_t codes) {
    for (std::uint64_t code = 0; code + 1 < codes; ++code) {
      const double low = decode(type, code), high = decode(type, code + 1);
      if (!std::isfinite(low) || !std::isfinite(high)) break;
      const double middle = (low + high) / 2;
      EXPECT_EQ(encode(type, middle), code + (code & 1)) << dtype_name(type) << " " << middle;
      EXPECT_EQ(encode(type, std::nextafter(middle, low)), code) << dtype_name(type) << " " << middle;
      EXPECT_EQ(encode(type, std::nextafter(middle, high)), code + 1) << dtype_name(type) << " " << middle;
    }
  };
  check(SITS_F4_E2M1, 8);
  for (const std::uint32_t type :
       {SITS_F8_E4M3, SITS_F8_E4M3_FNUZ, SITS_F8_E4M3_GAUDI2, SITS_F8_E5M2, SITS_F8_E5M2_FNUZ})
    check(type, 128);
  check(SITS_F16, 0x7c00);
  check(SITS_BF16, 0x7f80);
}

TEST(Dtype, tiny_values_become_subnormals_or_zero) {
  EXPECT_EQ(rounded(SITS_F16, 0x1p-24), 0x1p-24);
  EXPECT_EQ(rounded(SITS_F16, 0x1p-25), 0);  // a tie, to even
  EXPECT_EQ(rounded(SITS_F16, 0x1.8p-25), 0x1p-24);
  EXPECT_EQ(rounded(SITS_F8_E4M3, 5e-324), 0);
  EXPECT_EQ(rounded(SITS_BF16, 0x1p-133), 0x1p-133);
  EXPECT_EQ(rounded(SITS_TF32, 0x1p-136), 0x1p-136);
}

TEST(Dtype, tf32_keeps_10_bits_in_the_top_of_an_f32) {
  EXPECT_EQ(encode(SITS_TF32, 1.0), 0x3f800000u);
  EXPECT_EQ(encode(SITS_TF32, 1 + 0x1p-10), 0x3f802000u);
  EXPECT_EQ(encode(SITS_TF32, 1 + 0x1p-11), 0x3f800000u);
  EXPECT_EQ(encode(SITS_TF32, 1 + 0x1.8p-10), 0x3f804000u);
  for (std::uint64_t code = 0; code < 0x7f800000; code += 0x2000 * 97)
    EXPECT_EQ(encode(SITS_TF32, decode(SITS_TF32, code)), code);
  EXPECT_EQ(bits_of(SITS_TF32), 32u);
}

TEST(Dtype, unit_roundoff_is_the_largest_relative_error_of_a_conversion) {
  EXPECT_EQ(unit_roundoff(SITS_F64), 0x1p-53);
  EXPECT_EQ(unit_roundoff(SITS_F32), 0x1p-24);
  EXPECT_EQ(unit_roundoff(SITS_TF32), 0x1p-11);
  EXPECT_EQ(unit_roundoff(SITS_F16), 0x1p-11);
  EXPECT_EQ(unit_roundoff(SITS_BF16), 0x1p-8);
  EXPECT_EQ(unit_roundoff(SITS_F8_E4M3), 0x1p-4);
  EXPECT_EQ(unit_roundoff(SITS_F8_E5M2), 0x1p-3);
  EXPECT_EQ(unit_roundoff(SITS_F4_E2M1), 0x1p-2);
  EXPECT_EQ(unit_roundoff(SITS_I8), 0);
  for (const std::uint32_t type : kFloats)
    for (double value = 1.0; value < 2.0; value += 0x1.3p-12)
      EXPECT_LE(std::fabs(rounded(type, value) - value), unit_roundoff(type) * value) << dtype_name(type);
}

TEST(Dtype, block_scales_are_the_power_of_two_below) {
  EXPECT_EQ(rounded(SITS_E8M0, 1.0), 1.0);
  EXPECT_EQ(rounded(SITS_E8M0, 3.9), 2.0);
  EXPECT_EQ(rounded(SITS_E8M0, 0x1p200), 0x1p127);
  EXPECT_EQ(rounded(SITS_E8M0, 0.0), 0x1p-127);
}

TEST(Dtype, poison_is_no_value_a_right_output_could_hold) {
  for (const std::uint32_t type : kFloats) {
    if (type == SITS_F4_E2M1) continue;
    std::uint64_t pattern = 0;
    for (std::uint32_t byte = 0; byte < bits_of(type) / 8; ++byte) pattern = pattern << 8 | poison_byte(type);
    EXPECT_TRUE(std::isnan(decode(type, pattern))) << dtype_name(type);
  }
  EXPECT_EQ(decode(SITS_I8, poison_byte(SITS_I8)), -127);
}

TEST(Dtype, bytes_round_packed_types_up_and_do_not_overflow) {
  EXPECT_EQ(bytes_of(SITS_F64, 3), 24u);
  EXPECT_EQ(bytes_of(SITS_F4_E2M1, 1), 1u);
  EXPECT_EQ(bytes_of(SITS_I4, 4), 2u);
  EXPECT_EQ(bytes_of(SITS_F32, std::uint64_t{1} << 32), std::uint64_t{1} << 34);
  EXPECT_EQ(bytes_of(SITS_I4, std::uint64_t{1} << 63), std::uint64_t{1} << 62);
  EXPECT_EQ(bytes_of(999, 7), 0u);
}

TEST(Dtype, an_unknown_type_has_no_name_no_bits_and_no_value) {
  EXPECT_STREQ(dtype_name(999), "none");
  EXPECT_EQ(bits_of(999), 0u);
  EXPECT_TRUE(std::isnan(decode(999, 0)));
}

}  // namespace
}  // namespace sits
