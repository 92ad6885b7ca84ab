// SPDX-License-Identifier: Apache-2.0
//
// The project's own GEMM: packed panels of B, rows of A copied next to each other, register tiles, cache blocks.
// Every thread owns a rectangle of C (or whole matrices of a batch) and shares nothing with the others.
#include <algorithm>

#include "backends/cpu/gemm_pack.h"
#include "backends/cpu/gemm_widen.h"
#include "backends/cpu/kernels_gemm.h"
#include "backends/cpu/provider.h"
#include "sits/dtype.h"

namespace sits::cpu {
namespace {

// A panel of B (steps x columns) stays in the first cache level, a block of A in the second, the widened block of B and
// unfinished sums in the third.
constexpr std::size_t kStepsPerBlock = 256;
constexpr std::size_t kRowsPerBlock = 192;
constexpr std::size_t kColumnsPerBlock = 1024;
constexpr std::size_t kRowsPerPass = 768;
constexpr std::size_t kLine = 64;
constexpr std::size_t kRowPadding = 16;        // elements between rows of A, so that they do not share cache sets
constexpr std::size_t kDirectRowBytes = 2048;  // rows of A closer than this are read in place

constexpr std::size_t rounded_up(std::size_t value, std::size_t unit) { return (value + unit - 1) / unit * unit; }
constexpr std::size_t divided_up(std::size_t value, std::size_t unit) { return (value + unit - 1) / unit; }

/// Part of a matrix that one thread computes.
struct Rectangle {
  std::size_t row = 0, rows = 0, panel = 0, panels = 0;
};

struct Grid {
  std::size_t rows = 1, panels = 1;  // threads along each side
};

// The grid with the smallest largest share; every further row of threads widens B again, every column copies A again.
Grid choose_grid(std::size_t threads, std::size_t tiles, std::size_t panels) {
  Grid best;
  double best_cost = 0;
  for (std::size_t rows = 1; rows <= threads; ++rows) {
    if (threads % rows != 0) continue;
    const Grid grid{rows, threads / rows};
    const auto height = static_cast<double>(divided_up(tiles, grid.rows));
    const auto width = static_cast<double>(divided_up(panels, grid.panels));
    const double cost = height * width + 0.05 * (height + width);
    if (best_cost == 0 || cost < best_cost) {
      best = grid;
      best_cost = cost;
    }
  }
  return best;
}

class SitsPlan final : public GemmPlan {
 public:
  SitsPlan(const GemmProblem &problem, Context &context);
  std::string description() const override { return std::string("sits ") + kernels_.isa; }
  std::size_t packed_bytes() const override { return problem_.parts.size() * layout_.matrix_bytes(); }
  void bind(std::vector<GemmOperands> copies) override { copies_ = std::move(copies); }
  void pack(std::uint32_t copy) override {
    pack_panels(pool_, problem_, layout_, copies_[copy].b, copies_[copy].packed);
  }
  void run(std::uint32_t copy) override {
    pool_.run([&, copy](unsigned thread) { work(copies_[copy], thread); });
  }

 private:
  struct Scratch {
    char *a, *a_plain, *b, *partial;
  };
  struct Block {  // one pass over some rows, panels and steps
    std::size_t step, steps;
    Rectangle area;
    const char *b;  // first panel at this step
    std::size_t panel_stride;
  };

  void size_scratch();
  Scratch scratch_of(unsigned thread);
  void work(const GemmOperands &operands, unsigned thread);
  void compute(const GemmOperands &operands, std::size_t part, const Rectangle &area, const Scratch &scratch);
  void block(const GemmOperands &operands, const GemmPart &part, const Block &block, const Scratch &scratch);
  void tiles(const GemmOperands &operands, const GemmPart &part, const Block &block, std::size_t row, std::size_t rows,
             const char *a, std::size_t a_stride, const Scratch &scratch);

  GemmProblem problem_;
  Pool &pool_;
  const GemmKernels &kernels_;
  PanelLayout layout_;
  Widener widen_a_, widen_b_;
  GemmEpilogue epilogue_;
  const TileFunction *functions_ = nullptr;
  std::size_t block_steps_ = 0;  // along k
  std::size_t pass_rows_ = 0, pass_panels_ = 0;
  bool direct_a_ = false;     // A is read where it lies
  bool sums_in_c_ = false;    // C itself can hold unfinished sums
  bool whole_parts_ = false;  // threads share out the batch, not the matrix
  std::size_t a_bytes_ = 0, a_plain_bytes_ = 0, b_bytes_ = 0, partial_bytes_ = 0;
  std::vector<Buffer> scratch_;  // per thread
  std::vector<GemmOperands> copies_;
};

std::uint32_t panel_columns(const GemmKernels &kernels, GemmCompute compute) {
  return compute == GemmCompute::f64 ? kernels.columns_f64 : kernels.columns;
}

SitsPlan::SitsPlan(const GemmProblem &problem, Context &context)
    : problem_(problem),
      pool_(*context.pool),
      kernels_(gemm_kernels(context.machine.isa)),
      layout_(panel_layout(problem, panel_columns(kernels_, problem.compute))),
      widen_a_(kernels_, problem.compute, problem.type_a),
      widen_b_(kernels_, problem.compute, problem.type_b),
      epilogue_{problem.epilogue, problem.type_out, problem.scale} {
  functions_ = problem.compute == GemmCompute::f64   ? kernels_.f64
               : problem.compute == GemmCompute::i32 ? kernels_.i8
                                                     : kernels_.f32;
  const std::size_t blocks = divided_up(layout_.steps, kStepsPerBlock);
  block_steps_ = divided_up(layout_.steps, blocks);
  const auto k_bytes = static_cast<std::size_t>(problem.k) * widen_a_.source_bytes();
  direct_a_ = widen_a_.copies_only() && !problem.trans_a && k_bytes <= kDirectRowBytes;
  sums_in_c_ = blocks == 1 || (problem.type_out == accumulator_type(problem.compute) &&
                               static_cast<std::size_t>(problem.n) % layout_.columns == 0);
  const bool bounded = !sums_in_c_ || !widen_b_.copies_only();
  pass_rows_ = bounded ? kRowsPerPass : static_cast<std::size_t>(std::max<std::int64_t>(problem.max_m, 1));
  pass_panels_ = bounded ? std::max<std::size_t>(1, kColumnsPerBlock / layout_.columns) : layout_.panels;
  whole_parts_ = !problem.grouped && problem.parts.size() >= pool_.size() &&
                 (problem.parts.size() % pool_.size() == 0 || problem.parts.size() >= 8 * pool_.size());
  size_scratch();
}

void SitsPlan::size_scratch() {
  const std::size_t elements = block_steps_ * layout_.group;
  const std::size_t rows = std::min(kRowsPerBlock, static_cast<std::size_t>(std::max<std::int64_t>(problem_.max_m, 1)));
  a_bytes_ = rounded_up(rows * (elements + kRowPadding) * widen_a_.target_bytes(), 4096);
  a_plain_bytes_ = problem_.trans_a ? rounded_up(rows * elements * widen_a_.source_bytes(), 4096) : 0;
  const std::size_t panels = std::min<std::size_t>(pass_panels_, layout_.panels);
  if (!widen_b_.copies_only())
    b_bytes_ = rounded_up(panels * layout_.columns * elements * widen_b_.target_bytes(), 4096);
  if (!sums_in_c_) {
    const std::size_t sum_bytes = problem_.compute == GemmCompute::f64 ? 8 : 4;
    const std::size_t pass = std::min(pass_rows_, static_cast<std::size_t>(problem_.max_m));
    partial_bytes_ = rounded_up(pass * panels * layout_.columns * sum_bytes, 4096);
  }
  for (unsigned t = 0; t < pool_.size(); ++t)
    scratch_.emplace_back(a_bytes_ + a_plain_bytes_ + b_bytes_ + partial_bytes_);
}

SitsPlan::Scratch SitsPlan::scratch_of(unsigned thread) {
  char *base = scratch_[thread].as<char>();
  return {base, base + a_bytes_, base + a_bytes_ + a_plain_bytes_, base + a_bytes_ + a_plain_bytes_ + b_bytes_};
}

void SitsPlan::work(const GemmOperands &operands, unsigned thread) {
  const Scratch scratch = scratch_of(thread);
  if (whole_parts_) {
    const Range range = part_of(problem_.parts.size(), thread, pool_.size(), 1);
    for (std::size_t i = range.begin; i < range.end; ++i)
      compute(operands, i, {0, static_cast<std::size_t>(problem_.parts[i].m), 0, layout_.panels}, scratch);
    return;
  }
  for (std::size_t i = 0; i < problem_.parts.size(); ++i) {
    const auto m = static_cast<std::size_t>(problem_.parts[i].m);
    if (m == 0) continue;
    const std::size_t tile_count = divided_up(m, kernels_.rows);
    const Grid grid = choose_grid(pool_.size(), tile_count, layout_.panels);
    const auto row_part = static_cast<unsigned>(thread / grid.panels);
    const auto panel_part = static_cast<unsigned>(thread % grid.panels);
    const Range row_range = part_of(m, row_part, static_cast<unsigned>(grid.rows), kernels_.rows);
    const Range panel_range = part_of(layout_.panels, panel_part, static_cast<unsigned>(grid.panels), 1);
    compute(operands, i,
            {row_range.begin, row_range.end - row_range.begin, panel_range.begin, panel_range.end - panel_range.begin},
            scratch);
  }
}

void SitsPlan::compute(const GemmOperands &operands, std::size_t part, const Rectangle &area, const Scratch &scratch) {
  const char *packed = static_cast<const char *>(operands.packed) + part * layout_.matrix_bytes();
  const std::size_t step_bytes = layout_.group * layout_.columns * layout_.element_bytes;
  for (std::size_t row = 0; row < area.rows; row += pass_rows_) {
    for (std::size_t panel = 0; panel < area.panels; panel += pass_panels_) {
      const Rectangle pass{area.row + row, std::min(pass_rows_, area.rows - row), area.panel + panel,
                           std::min(pass_panels_, area.panels - panel)};
      for (std::size_t step = 0; step < layout_.steps; step += block_steps_) {
        const std::size_t steps = std::min(block_steps_, layout_.steps - step);
        Block next{step, steps, pass, packed + pass.panel * layout_.panel_bytes() + step * step_bytes,
                   layout_.panel_bytes()};
        if (!widen_b_.copies_only()) {
          const std::size_t count = steps * layout_.group * layout_.columns;
          const std::size_t wide = count * widen_b_.target_bytes();
          for (std::size_t p = 0; p < pass.panels; ++p)
            widen_b_.widen(next.b + p * next.panel_stride, scratch.b + p * wide, count);
          next.b = scratch.b;
          next.panel_stride = wide;
        }
        block(operands, problem_.parts[part], next, scratch);
      }
    }
  }
}

void SitsPlan::block(const GemmOperands &operands, const GemmPart &part, const Block &b, const Scratch &scratch) {
  const auto k = static_cast<std::size_t>(problem_.k);
  const std::size_t first = b.step * layout_.group;
  const std::size_t count = std::min(b.steps * layout_.group, k - first);
  for (std::size_t row = 0; row < b.area.rows; row += kRowsPerBlock) {
    const std::size_t rows = std::min(kRowsPerBlock, b.area.rows - row);
    if (direct_a_) {
      const char *a =
          static_cast<const char *>(operands.a) + (part.a + (b.area.row + row) * k + first) * widen_a_.source_bytes();
      tiles(operands, part, b, row, rows, a, k, scratch);
    } else {
      const std::size_t stride = block_steps_ * layout_.group + kRowPadding;
      widen_rows(widen_a_, problem_, part, operands.a, b.area.row + row, rows, first, count, scratch.a, stride,
                 scratch.a_plain);
      tiles(operands, part, b, row, rows, scratch.a, stride, scratch);
    }
  }
}

void SitsPlan::tiles(const GemmOperands &operands, const GemmPart &part, const Block &b, std::size_t row,
                     std::size_t rows, const char *a, std::size_t a_stride, const Scratch &scratch) {
  const auto n = static_cast<std::size_t>(problem_.n);
  const std::size_t out_bytes = bits_of(problem_.type_out) / 8;
  const std::size_t sum_bytes = problem_.compute == GemmCompute::f64 ? 8 : 4;
  const std::size_t panel_bytes = b.steps * layout_.group * layout_.columns * widen_a_.target_bytes();
  GemmTile tile;
  tile.a_stride = a_stride;
  tile.steps = b.steps;
  tile.load_partial = b.step > 0;
  tile.finish = b.step + b.steps == layout_.steps;
  tile.out_stride = n;
  tile.epilogue = &epilogue_;
  tile.partial_stride = sums_in_c_ ? n : b.area.panels * layout_.columns;
  // While one panel is used, the next comes nearer, a slice with every tile.
  const std::size_t slice = rounded_up(divided_up(panel_bytes, divided_up(rows, kernels_.rows)), kLine);
  for (std::size_t p = 0; p < b.area.panels; ++p) {
    const char *ahead = b.b + (p + 1) * b.panel_stride;
    const char *ahead_end = p + 1 < b.area.panels ? ahead + panel_bytes : ahead;
    const std::size_t column = (b.area.panel + p) * layout_.columns;
    tile.b = b.b + p * b.panel_stride;
    tile.columns = static_cast<std::uint32_t>(std::min<std::size_t>(layout_.columns, n - column));
    tile.bias = operands.bias == nullptr ? nullptr : operands.bias + part.bias + column;
    for (std::size_t r = 0; r < rows; r += kernels_.rows) {
      const std::size_t tile_rows = std::min<std::size_t>(kernels_.rows, rows - r);
      tile.a = a + r * a_stride * widen_a_.target_bytes();
      tile.out = static_cast<char *>(operands.c) + (part.c + (b.area.row + row + r) * n + column) * out_bytes;
      tile.partial =
          sums_in_c_ ? tile.out : scratch.partial + ((row + r) * tile.partial_stride + p * layout_.columns) * sum_bytes;
      for (const char *end = std::min(ahead + slice, ahead_end); ahead < end; ahead += kLine) __builtin_prefetch(ahead);
      functions_[tile_rows - 1](tile);
    }
  }
}

class SitsProvider final : public GemmProvider {
 public:
  const char *name() const override { return "sits"; }
  std::string refusal(const GemmProblem & /*problem*/, const Context & /*context*/) const override { return {}; }
  std::unique_ptr<GemmPlan> plan(const GemmProblem &problem, Context &context) const override {
    return std::make_unique<SitsPlan>(problem, context);
  }
};

}  // namespace

const GemmProvider &sits_provider() {
  static const SitsProvider provider;
  return provider;
}

}  // namespace sits::cpu
