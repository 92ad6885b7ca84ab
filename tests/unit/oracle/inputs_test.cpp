// SPDX-License-Identifier: Apache-2.0
#include "microbench/inputs.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "microbench/double_gemm.h"
#include "sits/generator.h"

namespace sits::microbench {
namespace {

constexpr std::uint32_t kTypes[] = {SITS_F64,     SITS_F32,     SITS_TF32,         SITS_F16,
                                    SITS_BF16,    SITS_F8_E4M3, SITS_F8_E4M3_FNUZ, SITS_F8_E4M3_GAUDI2,
                                    SITS_I8,      SITS_F8_E5M2, SITS_I4,           SITS_F8_E5M2_FNUZ,
                                    SITS_F4_E2M1, SITS_I32,     SITS_U8,           SITS_E8M0};

TEST(Inputs, bulk_generation_equals_the_contract_for_every_type_and_across_the_index_word) {
  for (const std::uint32_t type : kTypes)
    for (const std::uint32_t fill : {SITS_FILL_UNIFORM, SITS_FILL_SMALL_INTEGER})
      for (const std::uint64_t first : {std::uint64_t{0}, (std::uint64_t{1} << 32) - 700, std::uint64_t{5} << 33})
        for (const std::uint64_t step : {1u, 7u, 4096u}) {
          const InputStream input{type, static_cast<std::uint32_t>(fill), 0x1234567u};
          std::vector<double> out(3001);
          generate(input, first, step, out);
          for (std::size_t i = 0; i < out.size(); ++i)
            ASSERT_EQ(out[i], generated_value(type, input.fill, input.key, first + i * step))
                << dtype_name(type) << " element " << i << " step " << step;
        }
}

TEST(Inputs, sums_of_small_integers_cross_the_index_word) {
  const std::uint64_t first = (std::uint64_t{1} << 32) - 1000;
  double want = 0;
  for (std::uint64_t i = 0; i < 2500; ++i) want += generated_value(SITS_F32, SITS_FILL_SMALL_INTEGER, 99, first + i);
  EXPECT_EQ(static_cast<double>(sum_of_small_integers(99, first, 2500)), want);
}

TEST(Inputs, elements_read_back_decode_as_the_contract_says) {
  for (const std::uint32_t type : kTypes) {
    if (bits_of(type) < 8) continue;
    std::vector<std::byte> stored(bytes_of(type, 256));
    for (std::size_t i = 0; i < stored.size(); ++i) stored[i] = static_cast<std::byte>(i * 37 + i / 256);
    std::vector<double> out(256);
    read_elements([&](auto...) { return stored; }, 0, type, 0, 0, out);
    for (std::size_t i = 0; i < out.size(); ++i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, stored.data() + bytes_of(type, i), bytes_of(type, 1));
      const double want = decode(type, bits);
      if (want == want)
        EXPECT_EQ(out[i], want) << dtype_name(type) << " element " << i;
      else
        EXPECT_NE(out[i], out[i]) << dtype_name(type) << " element " << i;
    }
  }
}

TEST(DoubleGemm, equals_the_textbook_product_for_ragged_shapes) {
  for (const auto &[m, n, k] : {std::array<std::size_t, 3>{1, 1, 1}, {5, 13, 3}, {131, 25, 40}, {4, 12, 128}}) {
    PackedLines a(kRowTile, m, k), b(kColumnTile, n, k);
    const auto a_at = [](std::size_t i, std::size_t l) { return static_cast<double>((i * 7 + l * 3) % 11) - 5; };
    const auto b_at = [](std::size_t j, std::size_t l) { return static_cast<double>((j * 5 + l * 2) % 13) - 6; };
    for (std::size_t l = 0; l < k; ++l) {
      for (std::size_t i = 0; i < m; ++i) a.at(i, l) = a_at(i, l);
      for (std::size_t j = 0; j < n; ++j) b.at(j, l) = b_at(j, l);
    }
    const std::size_t stride = padded(n, kColumnTile);
    std::vector<double> c(padded(m, kRowTile) * stride, 1.0);
    multiply_add(a, b, c);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        double want = 1;
        for (std::size_t l = 0; l < k; ++l) want += a_at(i, l) * b_at(j, l);
        ASSERT_EQ(c[i * stride + j], want) << i << "," << j;
      }
  }
}

}  // namespace
}  // namespace sits::microbench
