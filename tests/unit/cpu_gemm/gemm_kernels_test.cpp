// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "backends/cpu/gemm_convert.h"
#include "backends/cpu/isa.h"
#include "backends/cpu/kernels_gemm.h"
#include "sits/dtype.h"

namespace sits::cpu {
namespace {

std::vector<const GemmKernels *> tables() {
  std::vector<const GemmKernels *> all = {&gemm_kernels(Isa{})};
  const Isa best = detect_isa();
  Isa no_avx512 = best;
  no_avx512.avx512 = false;
  for (const Isa &isa : {no_avx512, best})
    if (&gemm_kernels(isa) != all.back()) all.push_back(&gemm_kernels(isa));
  return all;
}

TEST(GemmConvert, every_f16_value_and_the_rounding_between_neighbours_match_the_contract) {
  for (std::uint32_t code = 0; code < 0x10000; ++code) {
    const auto half = static_cast<std::uint16_t>(code);
    const double expected = decode(SITS_F16, half);
    const float value = float_of_f16(half);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value)) << code;
      continue;
    }
    ASSERT_EQ(static_cast<double>(value), expected) << code;
    ASSERT_EQ(f16_of(value), half) << code;
    for (const float around : {std::nextafter(value, 1e9f), value * 1.0004f, value * 1.00048828125f})
      ASSERT_EQ(f16_of(around), encode(SITS_F16, static_cast<double>(around))) << around;
  }
  EXPECT_EQ(f16_of(65519.9f), 0x7bff);
  EXPECT_EQ(f16_of(65520.0f), 0x7c00);
}

TEST(GemmConvert, bf16_rounds_to_nearest_even_and_keeps_nan) {
  for (std::uint32_t i = 0; i < 100000; ++i) {
    const float value = std::bit_cast<float>(i * 42949u);
    if (std::isnan(value)) continue;
    ASSERT_EQ(bf16_of(value), encode(SITS_BF16, static_cast<double>(value))) << value;
  }
  EXPECT_EQ(bf16_of(std::numeric_limits<float>::quiet_NaN()), 0x7fc0);
}

/// Runs one f32 tile of a single row and step, so that C is epilogue(x * 1 + bias).
std::vector<std::uint8_t> finished(const GemmKernels &kernels, const GemmEpilogue &epilogue, float x,
                                   std::uint32_t columns, float bias) {
  alignas(64) std::array<float, 64> b{};
  b.fill(1.0f);
  std::array<float, 64> bias_row{};
  bias_row.fill(bias);
  std::vector<std::uint8_t> out(64 * 4 + 64, 0xee);
  GemmTile tile;
  tile.a = &x;
  tile.a_stride = 1;
  tile.b = b.data();
  tile.steps = 1;
  tile.columns = columns;
  tile.out = out.data();
  tile.out_stride = columns;
  tile.bias = bias_row.data();
  tile.epilogue = &epilogue;
  kernels.f32[0](tile);
  return out;
}

float value_of(const GemmKernels &kernels, std::uint32_t kind, float x) {
  float value = 0;
  std::memcpy(&value, finished(kernels, {kind, SITS_F32, 1.0}, x, 1, 0.0f).data(), sizeof value);
  return value;
}

TEST(GemmKernels, activations_stay_within_a_few_units_in_the_last_place_over_the_whole_range) {
  for (const GemmKernels *kernels : tables()) {
    for (float x = -120.0f; x <= 120.0f; x += 0.0371f) {
      const double wide = static_cast<double>(x);
      const double silu = wide / (1 + std::exp(-wide)), gelu = wide / 2 * (1 + std::erf(wide / std::sqrt(2.0)));
      ASSERT_NEAR(static_cast<double>(value_of(*kernels, SITS_EPILOGUE_BIAS_SILU, x)), silu,
                  4e-7 * std::fabs(silu) + 1e-30)
          << x << " " << kernels->isa;
      ASSERT_NEAR(static_cast<double>(value_of(*kernels, SITS_EPILOGUE_BIAS_GELU, x)), gelu, 4e-7 * std::fabs(wide))
          << x << " " << kernels->isa;
    }
  }
}

TEST(GemmKernels, f16_and_bf16_outputs_are_rounded_once_to_nearest_even) {
  for (const GemmKernels *kernels : tables()) {
    for (const float x : {1.0f, -1.00048828125f, 1.0014648f, 6.1e-5f, 5.9e-8f, 65519.0f, 70000.0f, 1.00390625f,
                          1.01171875f, -3.4e38f, 0.333333f}) {
      for (const std::uint32_t type : {SITS_F16, SITS_BF16}) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, finished(*kernels, {SITS_EPILOGUE_NONE, type, 1.0}, x, 1, 0.0f).data(), sizeof bits);
        EXPECT_EQ(bits, encode(type, static_cast<double>(x))) << x << " " << kernels->isa << " " << dtype_name(type);
      }
    }
  }
}

TEST(GemmKernels, a_narrow_tile_writes_its_valid_columns_only) {
  for (const GemmKernels *kernels : tables()) {
    for (std::uint32_t columns = 1; columns <= kernels->columns; ++columns) {
      for (const std::uint32_t type : {SITS_F32, SITS_F16}) {
        const auto out = finished(*kernels, {SITS_EPILOGUE_BIAS, type, 2.0}, 1.0f, columns, 0.5f);
        const std::size_t bytes = columns * bits_of(type) / 8;
        EXPECT_NE(out[bytes - 1], 0xee);
        EXPECT_EQ(out[bytes], 0xee) << columns << " " << kernels->isa;
      }
    }
  }
}

TEST(GemmKernels, i8_products_are_exact_at_the_extremes) {
  constexpr std::size_t kSteps = 1000;  // 2000 products of 127 * 127
  for (const GemmKernels *kernels : tables()) {
    for (const int sign : {1, -1}) {
      std::vector<std::int16_t> a(kernels->rows * kSteps * 2, static_cast<std::int16_t>(sign * 127));
      std::vector<std::int16_t> storage(kSteps * kernels->columns * 2 + 32, 127);
      std::vector<std::int8_t> narrow(kSteps * kernels->columns * 2 + 64, 127);
      const auto align = [](auto *p) {
        return reinterpret_cast<decltype(p)>((reinterpret_cast<std::uintptr_t>(p) + 63) / 64 * 64);
      };
      std::vector<std::int32_t> out(kernels->rows * kernels->columns);
      const GemmEpilogue epilogue{SITS_EPILOGUE_NONE, SITS_I32, 1.0};
      GemmTile tile;
      tile.a = a.data();
      tile.a_stride = kSteps * 2;
      tile.steps = kSteps;
      tile.columns = kernels->columns;
      tile.out = out.data();
      tile.out_stride = kernels->columns;
      tile.epilogue = &epilogue;
      const std::int32_t expected = sign * 127 * 127 * 2 * static_cast<std::int32_t>(kSteps);
      tile.b = align(storage.data());
      kernels->i8[kernels->rows - 1](tile);
      EXPECT_EQ(out, std::vector<std::int32_t>(out.size(), expected)) << kernels->isa;
      tile.b = align(narrow.data());
      kernels->stream_i8[kGemvRows - 1](tile);
      for (std::size_t i = 0; i < kGemvRows * kernels->columns; ++i) ASSERT_EQ(out[i], expected) << kernels->isa;
    }
  }
}

}  // namespace
}  // namespace sits::cpu
