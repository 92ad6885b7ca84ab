// SPDX-License-Identifier: Apache-2.0
#include "microbench/gemm_reference.h"

#include <algorithm>
#include <cmath>

#include "sits/dtype.h"
#include "sits/generator.h"

namespace sits::microbench {
namespace {

constexpr std::size_t kMostPanelRows = 16384;
constexpr std::size_t kMostPackedElements = std::size_t{1} << 18;  // of A and B together: 2 MiB

/// Depth of the blocks in which `lines` lines of both operands are packed.
std::size_t depth_block(std::size_t lines) {
  return std::clamp<std::size_t>(kMostPackedElements / std::max<std::size_t>(lines, 1), 1, kDepthBlock);
}

void square_roots(std::span<double> values) {
  for (double &value : values) value = std::sqrt(value);
}

/// Σ_k a·b of the panel's rows and columns, and the norms of both.
struct Sums {
  std::vector<double> values;
  std::size_t row_stride = 0;
  std::vector<double> row_norms, column_norms;
};

Sums panel_sums(const Product &product, const ReferencePlan &plan, const Panel &panel) {
  const LineSet rows{panel.first_row, 1, panel.rows};
  Sums sums;
  sums.row_stride = padded(panel.columns.count, kColumnTile);
  sums.values.resize(padded(panel.rows, kRowTile) * sums.row_stride);
  sums.row_norms.resize(panel.rows);
  sums.column_norms.resize(panel.columns.count);
  const std::size_t block = depth_block(panel.rows + panel.columns.count);
  for (std::uint64_t k = 0; k < plan.depth; k += block) {
    const auto depth = static_cast<std::size_t>(std::min<std::uint64_t>(block, plan.depth - k));
    const PackedLines a = pack(product.a, rows, k, depth, kRowTile, sums.row_norms);
    const PackedLines b = pack(product.b, panel.columns, k, depth, kColumnTile, sums.column_norms);
    multiply_add(a, b, sums.values);
  }
  square_roots(sums.row_norms);
  square_roots(sums.column_norms);
  return sums;
}

void finish_panel(Panel &panel, const ReferencePlan &plan, const Sums &sums, std::span<const double> bias) {
  const GemmTolerance &t = plan.tolerance;
  const double largest_column_norm = std::sqrt(static_cast<double>(plan.depth)) * plan.largest_b;
  panel.expected.reserve(panel.rows * panel.columns.count);
  panel.bound.reserve(panel.rows * panel.columns.count);
  for (std::size_t i = 0; i < panel.rows; ++i) {
    for (std::size_t j = 0; j < panel.columns.count; ++j) {
      const double sum = t.scale * sums.values[i * sums.row_stride + j];
      const double add =
          bias.empty() ? 0 : bias[static_cast<std::size_t>(panel.columns.first + j * panel.columns.step)];
      const double exact = apply_epilogue(plan.epilogue, sum + add);
      panel.bound.push_back(static_cast<float>(t.bound(exact, sum, add, sums.row_norms[i] * sums.column_norms[j])));
      panel.expected.push_back(t.saturated(exact));
    }
    const double most = std::fabs(t.scale) * sums.row_norms[i] * largest_column_norm;
    panel.limit.push_back(most + 1 + t.bound(most + 1, most, 1, most));
  }
}

/// Σ over the columns of each chunk of sign(j)·b_kj, packed as the columns of a narrow B.
PackedLines fold_columns(const PackedLines &b, const Projection &projection) {
  PackedLines folded(kColumnTile, projection.chunks, b.depth());
  for (std::size_t j = 0; j < projection.signs.size(); ++j) {
    const double sign = projection.signs[j];
    const double *column = b.tile(j / kColumnTile) + j % kColumnTile;
    double *out = &folded.at(j / projection.width, 0);
    for (std::size_t k = 0; k < b.depth(); ++k) out[k * kColumnTile] += sign * column[k * kColumnTile];
  }
  return folded;
}

}  // namespace

double largest_input(std::uint32_t type) {
  switch (type) {
    case SITS_I8: return 127;
    case SITS_I4: return 8;
    case SITS_E8M0: return 2;
    default: return 1;
  }
}

std::vector<Panel> make_panels(const Product &product, const ReferencePlan &plan, std::span<const double> bias) {
  const std::size_t count =
      std::max(std::min(plan.step, product.rows), (product.rows + kMostPanelRows - 1) / kMostPanelRows);
  const std::uint32_t start = random_bits(tensor_key(plan.sample_seed, 1), product.index);
  const std::size_t hop = plan.step * 5 / 8 | 1u;  // odd: visits every offset, neighbours far apart
  std::vector<Panel> panels(count);
  for (std::size_t p = 0; p < count; ++p) {
    Panel &panel = panels[p];
    panel.first_row = product.rows * p / count;
    panel.rows = product.rows * (p + 1) / count - panel.first_row;
    panel.columns.first = (start + p * hop) % plan.step;
    panel.columns.step = plan.step;
    panel.columns.count = (plan.columns - static_cast<std::size_t>(panel.columns.first) + plan.step - 1) / plan.step;
    finish_panel(panel, plan, panel_sums(product, plan, panel), bias);
  }
  return panels;
}

Projection make_projection(const Product &product, const ReferencePlan &plan, std::span<const double> bias) {
  Projection projection;
  projection.width = plan.step;
  projection.chunks = (plan.columns + plan.step - 1) / plan.step;
  const std::uint32_t key = tensor_key(plan.sample_seed, 0);
  for (std::size_t j = 0; j < plan.columns; ++j)
    projection.signs.push_back((random_bits(key, j) & 1u) != 0 ? 1.0 : -1.0);
  projection.row_stride = padded(projection.chunks, kColumnTile);
  projection.expected.resize(padded(product.rows, kRowTile) * projection.row_stride);
  projection.row_norms.resize(product.rows);
  projection.column_norms.resize(plan.columns);
  const std::size_t block = depth_block(product.rows + plan.columns);
  for (std::uint64_t k = 0; k < plan.depth; k += block) {
    const auto depth = static_cast<std::size_t>(std::min<std::uint64_t>(block, plan.depth - k));
    const PackedLines a = pack(product.a, {0, 1, product.rows}, k, depth, kRowTile, projection.row_norms);
    const PackedLines b = pack(product.b, {0, 1, plan.columns}, k, depth, kColumnTile, projection.column_norms);
    multiply_add(a, fold_columns(b, projection), projection.expected);
  }
  square_roots(projection.row_norms);
  square_roots(projection.column_norms);
  std::vector<double> folded_bias(projection.chunks);
  for (std::size_t j = 0; j < bias.size(); ++j) folded_bias[j / projection.width] += projection.signs[j] * bias[j];
  for (std::size_t i = 0; i < product.rows; ++i)
    for (std::size_t c = 0; c < projection.chunks; ++c) {
      double &value = projection.expected[i * projection.row_stride + c];
      value = plan.tolerance.scale * value + folded_bias[c];
    }
  return projection;
}

}  // namespace sits::microbench
