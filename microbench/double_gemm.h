// SPDX-License-Identifier: Apache-2.0
//
// A blocked matrix product in double precision, for the oracle's references: single-threaded, about half the peak of
// an AVX2 core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sits::microbench {

inline constexpr std::size_t kRowTile = 4;
inline constexpr std::size_t kColumnTile = 12;
/// Depth of one packed block: a column tile of it stays in the first-level cache.
inline constexpr std::size_t kDepthBlock = 128;

/// `lines` vectors of `depth` elements, interleaved in tiles of `tile` lines, as the product reads them; lines beyond
/// the last are zero.
class PackedLines {
 public:
  PackedLines(std::size_t tile, std::size_t lines, std::size_t depth)
      : tile_(tile), tiles_((lines + tile - 1) / tile), depth_(depth), data_(tiles_ * tile * depth) {}
  double &at(std::size_t line, std::size_t k) { return data_[((line / tile_) * depth_ + k) * tile_ + line % tile_]; }
  const double *tile(std::size_t index) const { return data_.data() + index * tile_ * depth_; }
  std::size_t tiles() const { return tiles_; }
  std::size_t padded_lines() const { return tiles_ * tile_; }
  std::size_t depth() const { return depth_; }

 private:
  std::size_t tile_, tiles_, depth_;
  std::vector<double> data_;
};

inline std::size_t padded(std::size_t lines, std::size_t tile) { return (lines + tile - 1) / tile * tile; }

/// c += a · b. a is packed with kRowTile, b with kColumnTile, depths equal; c is row-major, both sides padded to their
/// tile.
void multiply_add(const PackedLines &a, const PackedLines &b, std::span<double> c);

}  // namespace sits::microbench
