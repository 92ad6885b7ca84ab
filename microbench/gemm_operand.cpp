// SPDX-License-Identifier: Apache-2.0
#include "microbench/gemm_operand.h"

#include <fmt/format.h>

#include <algorithm>

#include "microbench/vector_target.h"

namespace sits::microbench {
namespace {

std::uint64_t count_of(std::int64_t value) { return static_cast<std::uint64_t>(value); }

std::uint64_t weight_matrices(const GemmSpec &spec) {
  return spec.group_m.empty() ? count_of(spec.batch) : spec.group_m.size();
}

/// Multiplies the elements of one line by their block scales.
void apply_block_scales(const Operand &operand, std::uint64_t line, std::uint64_t k0, std::size_t depth,
                        PackedLines &packed, std::size_t at_line) {
  const std::uint64_t first_block = k0 / operand.block;
  std::vector<double> scales((k0 + depth - 1) / operand.block - first_block + 1);
  generate(*operand.scales,
           operand.scale_first + line * operand.scale_line_stride + first_block * operand.scale_depth_stride,
           operand.scale_depth_stride, scales);
  for (std::size_t k = 0; k < depth; ++k)
    packed.at(at_line, k) *= scales[static_cast<std::size_t>((k0 + k) / operand.block - first_block)];
}

template <std::size_t kTile>
SITS_INLINE void square_sums_body(const double *values, std::size_t depth, double *sums) {
  for (std::size_t k = 0; k < depth; ++k)
    for (std::size_t line = 0; line < kTile; ++line) sums[line] += values[k * kTile + line] * values[k * kTile + line];
}
template <std::size_t kTile>
SITS_TARGET_AVX2 void square_sums_avx2(const double *values, std::size_t depth, double *sums) {
  square_sums_body<kTile>(values, depth, sums);
}

template <std::size_t kTile>
void add_squares(const PackedLines &packed, std::span<double> squares) {
  for (std::size_t first = 0; first < squares.size(); first += kTile) {
    double sums[kTile] = {};
    if (has_avx2())
      square_sums_avx2<kTile>(packed.tile(first / kTile), packed.depth(), sums);
    else
      square_sums_body<kTile>(packed.tile(first / kTile), packed.depth(), sums);
    for (std::size_t line = 0; line < std::min(kTile, squares.size() - first); ++line)
      squares[first + line] += sums[line];
  }
}

}  // namespace

PackedLines pack(const Operand &operand, const LineSet &lines, std::uint64_t k0, std::size_t depth, std::size_t tile,
                 std::span<double> squares) {
  PackedLines packed(tile, lines.count, depth);
  const std::uint64_t first = operand.first + lines.first * operand.line_stride + k0 * operand.depth_stride;
  const std::uint64_t line_step = lines.step * operand.line_stride;
  if (operand.depth_stride == 1) {
    std::vector<double> along_k(depth);
    for (std::size_t line = 0; line < lines.count; ++line) {
      generate(operand.values, first + line * line_step, 1, along_k);
      double *out = &packed.at(line, 0);
      for (std::size_t k = 0; k < depth; ++k) out[k * tile] = along_k[k];
    }
  } else {
    std::vector<double> across(lines.count);
    for (std::size_t k = 0; k < depth; ++k) {
      generate(operand.values, first + k * operand.depth_stride, line_step, across);
      for (std::size_t line = 0; line < lines.count; line += tile)
        std::copy_n(across.data() + line, std::min(tile, lines.count - line), &packed.at(line, k));
    }
  }
  if (operand.scales)
    for (std::size_t line = 0; line < lines.count; ++line)
      apply_block_scales(operand, lines.first + line * lines.step, k0, depth, packed, line);
  if (tile == kRowTile)
    add_squares<kRowTile>(packed, squares);
  else
    add_squares<kColumnTile>(packed, squares);
  return packed;
}

GemmTensors find_gemm_tensors(const GemmSpec &spec, std::uint32_t type_a, std::uint32_t type_b,
                              std::span<const TensorInfo> tensors) {
  const std::uint64_t m = count_of(spec.m), n = count_of(spec.n), k = count_of(spec.k), batch = count_of(spec.batch);
  const std::uint64_t matrices = weight_matrices(spec);
  const std::uint32_t run_a = resolved_type("A", spec.type_a, type_a);
  const std::uint32_t run_b = resolved_type("B", spec.type_b, type_b);
  GemmTensors found;
  found.a = find_input(tensors, "A", SITS_FILL_UNIFORM, run_a, batch * m * k);
  found.b = find_input(tensors, "B", SITS_FILL_UNIFORM, run_b, matrices * k * n);
  if (spec.epilogue != SITS_EPILOGUE_NONE)
    found.bias = find_input(tensors, "bias", SITS_FILL_UNIFORM, SITS_F32, (spec.group_m.empty() ? 1 : matrices) * n);
  if (spec.block_size != 0) {
    const std::uint64_t blocks = k / spec.block_size;
    found.scale_a = find_input(tensors, "scale_a", SITS_FILL_UNIFORM, spec.type_block_scale, batch * m * blocks);
    found.scale_b = find_input(tensors, "scale_b", SITS_FILL_UNIFORM, spec.type_block_scale, matrices * blocks * n);
  }
  const auto c = std::find_if(tensors.begin(), tensors.end(), [](const TensorInfo &t) { return t.name == "C"; });
  const std::uint32_t run_out = c == tensors.end() ? spec.type_out : resolved_type("C", spec.type_out, c->type);
  found.c = find_tensor(tensors, "C", SITS_ROLE_OUTPUT, run_out, batch * m * n);
  if (tensors[found.a].stream == tensors[found.b].stream)
    throw CaseError(fmt::format("A and B share the generator stream {}", tensors[found.a].stream));
  return found;
}

std::vector<Product> gemm_products(const GemmSpec &spec, const GemmTensors &found, std::span<const TensorInfo> tensors,
                                   std::uint64_t seed, std::uint32_t copy) {
  const std::uint64_t n = count_of(spec.n), k = count_of(spec.k);
  const std::uint64_t blocks = spec.block_size == 0 ? 0 : k / spec.block_size;
  const auto stream = [&](std::size_t index) { return input_stream(tensors[index], seed, copy); };
  std::vector<Product> products;
  std::uint64_t row = 0;  // of A and C, over all products
  for (std::uint64_t g = 0; g < weight_matrices(spec); ++g) {
    const std::uint64_t rows = count_of(spec.group_m.empty() ? spec.m : spec.group_m[static_cast<std::size_t>(g)]);
    Product p;
    p.index = g;
    p.rows = static_cast<std::size_t>(rows);
    p.a = {.values = stream(found.a),
           .first = row * k,
           .line_stride = spec.trans_a ? 1 : k,
           .depth_stride = spec.trans_a ? rows : 1,
           .scales = std::nullopt};
    p.b = {.values = stream(found.b),
           .first = g * k * n,
           .line_stride = spec.trans_b ? k : 1,
           .depth_stride = spec.trans_b ? 1 : n,
           .scales = std::nullopt};
    if (found.scale_a) {
      p.a.scales = stream(*found.scale_a);
      p.a.scale_first = row * blocks;
      p.a.scale_line_stride = spec.trans_a ? 1 : blocks;
      p.a.scale_depth_stride = spec.trans_a ? rows : 1;
      p.b.scales = stream(*found.scale_b);
      p.b.scale_first = g * blocks * n;
      p.b.scale_line_stride = spec.trans_b ? blocks : 1;
      p.b.scale_depth_stride = spec.trans_b ? 1 : n;
      p.a.block = p.b.block = spec.block_size;
    }
    p.bias_first = spec.group_m.empty() ? 0 : g * n;
    p.c_first = row * n;
    row += rows;
    if (rows > 0) products.push_back(p);
  }
  return products;
}

}  // namespace sits::microbench
