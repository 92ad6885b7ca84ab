// SPDX-License-Identifier: Apache-2.0
#include "microbench/double_gemm.h"

#include <algorithm>

#include "microbench/vector_target.h"

namespace sits::microbench {
namespace {

using Vec = double __attribute__((vector_size(32)));
struct __attribute__((packed, may_alias)) UnalignedVec {
  Vec value;
};
constexpr std::size_t kVecsPerTile = kColumnTile / 4;
constexpr std::size_t kTilesPerRowBlock = 32;  // 128 rows × kDepthBlock: stays in the second-level cache

SITS_INLINE void tile_body(const double *a, const double *b, std::size_t depth, double *c, std::size_t row_stride) {
  Vec sum[kRowTile][kVecsPerTile] = {};
  for (std::size_t k = 0; k < depth; ++k, a += kRowTile, b += kColumnTile) {
    const auto *column = reinterpret_cast<const UnalignedVec *>(b);
    for (std::size_t r = 0; r < kRowTile; ++r)
      for (std::size_t v = 0; v < kVecsPerTile; ++v) sum[r][v] += column[v].value * a[r];
  }
  for (std::size_t r = 0; r < kRowTile; ++r) {
    auto *out = reinterpret_cast<UnalignedVec *>(c + r * row_stride);
    for (std::size_t v = 0; v < kVecsPerTile; ++v) out[v].value += sum[r][v];
  }
}

SITS_INLINE void product_body(const PackedLines &a, const PackedLines &b, double *c) {
  const std::size_t row_stride = b.padded_lines();
  for (std::size_t block = 0; block < a.tiles(); block += kTilesPerRowBlock)
    for (std::size_t column = 0; column < b.tiles(); ++column)
      for (std::size_t row = block; row < std::min(a.tiles(), block + kTilesPerRowBlock); ++row)
        tile_body(a.tile(row), b.tile(column), a.depth(), c + row * kRowTile * row_stride + column * kColumnTile,
                  row_stride);
}
SITS_TARGET_AVX2 void product_avx2(const PackedLines &a, const PackedLines &b, double *c) { product_body(a, b, c); }

}  // namespace

void multiply_add(const PackedLines &a, const PackedLines &b, std::span<double> c) {
  if (has_avx2())
    product_avx2(a, b, c.data());
  else
    product_body(a, b, c.data());
}

}  // namespace sits::microbench
