// SPDX-License-Identifier: Apache-2.0
//
// Few rows of A against a stream of weights: each thread reads its own contiguous run of packed panels once, forward,
// and widens in registers.
#include <algorithm>

#include "backends/cpu/gemm_pack.h"
#include "backends/cpu/gemm_widen.h"
#include "backends/cpu/kernels_gemm.h"
#include "backends/cpu/provider.h"
#include "sits/dtype.h"

namespace sits::cpu {
namespace {

const TileFunction *stream_functions(const GemmKernels &kernels, const GemmProblem &p) {
  if (p.compute == GemmCompute::i32) return kernels.stream_i8;
  if (p.compute != GemmCompute::f32) return nullptr;
  switch (p.type_b) {
    case SITS_F32: return kernels.stream_f32;
    case SITS_BF16: return kernels.stream_bf16;
    case SITS_F16: return kernels.stream_f16;
    default: return nullptr;
  }
}

class GemvPlan final : public GemmPlan {
 public:
  GemvPlan(const GemmProblem &problem, Context &context)
      : problem_(problem),
        pool_(*context.pool),
        kernels_(gemm_kernels(context.machine.isa)),
        layout_(panel_layout(problem, kernels_.columns)),
        widen_a_(kernels_, problem.compute, problem.type_a),
        epilogue_{problem.epilogue, problem.type_out, problem.scale},
        functions_(stream_functions(kernels_, problem)),
        row_stride_((static_cast<std::size_t>(problem.k) + 1 + 15) / 16 * 16),
        a_bytes_(kGemvRows * row_stride_ * widen_a_.target_bytes()) {
    for (unsigned t = 0; t < pool_.size(); ++t) scratch_.emplace_back(2 * a_bytes_);
  }

  std::string description() const override { return std::string("sits-gemv ") + kernels_.isa; }
  std::size_t packed_bytes() const override { return problem_.parts.size() * layout_.matrix_bytes(); }
  void bind(std::vector<GemmOperands> copies) override { copies_ = std::move(copies); }
  void pack(std::uint32_t copy) override {
    pack_panels(pool_, problem_, layout_, copies_[copy].b, copies_[copy].packed);
  }
  void run(std::uint32_t copy) override {
    pool_.run([&, copy](unsigned thread) { work(copies_[copy], thread); });
  }

 private:
  void work(const GemmOperands &operands, unsigned thread) {
    const Range range = part_of(problem_.parts.size() * layout_.panels, thread, pool_.size(), 1);
    char *rows = scratch_[thread].as<char>();
    for (std::uint64_t i = range.begin; i < range.end;) {
      const std::uint64_t index = i / layout_.panels;
      const std::uint64_t end = std::min(range.end, (index + 1) * layout_.panels);
      const GemmPart &part = problem_.parts[index];
      if (part.m > 0) {
        const auto m = static_cast<std::size_t>(part.m);
        widen_rows(widen_a_, problem_, part, operands.a, 0, m, 0, static_cast<std::size_t>(problem_.k), rows,
                   row_stride_, rows + a_bytes_);
        for (; i < end; i += kStreamPanels)
          panels(operands, part, i, std::min<std::uint64_t>(end - i, kStreamPanels), rows);
      }
      i = end;
    }
  }

  void panels(const GemmOperands &operands, const GemmPart &part, std::uint64_t index, std::uint64_t count,
              const char *rows) const {
    const auto n = static_cast<std::size_t>(problem_.n);
    const std::size_t column = index % layout_.panels * layout_.columns;
    GemmTile tile;
    tile.a = rows;
    tile.a_stride = row_stride_;
    tile.b = static_cast<const char *>(operands.packed) + index * layout_.panel_bytes();
    tile.steps = layout_.steps;
    tile.columns = static_cast<std::uint32_t>(std::min<std::size_t>(count * layout_.columns, n - column));
    tile.out = static_cast<char *>(operands.c) + (part.c + column) * (bits_of(problem_.type_out) / 8);
    tile.out_stride = n;
    tile.bias = operands.bias == nullptr ? nullptr : operands.bias + part.bias + column;
    tile.epilogue = &epilogue_;
    functions_[part.m - 1](tile);
  }

  GemmProblem problem_;
  Pool &pool_;
  const GemmKernels &kernels_;
  PanelLayout layout_;
  Widener widen_a_;
  GemmEpilogue epilogue_;
  const TileFunction *functions_;
  std::size_t row_stride_, a_bytes_;
  std::vector<Buffer> scratch_;  // per thread: rows of A, widened, and room to transpose them
  std::vector<GemmOperands> copies_;
};

class GemvProvider final : public GemmProvider {
 public:
  const char *name() const override { return "sits-gemv"; }
  std::string refusal(const GemmProblem &p, const Context &context) const override {
    if (p.max_m > static_cast<std::int64_t>(kGemvRows))
      return "sits-gemv takes at most " + std::to_string(kGemvRows) + " rows of A, not " + std::to_string(p.max_m);
    if (stream_functions(gemm_kernels(context.machine.isa), p) == nullptr)
      return "sits-gemv streams f32, bf16, f16 and (with an i8 A) i8 weights, not " + std::string(dtype_name(p.type_b));
    return {};
  }
  std::unique_ptr<GemmPlan> plan(const GemmProblem &problem, Context &context) const override {
    return std::make_unique<GemvPlan>(problem, context);
  }
};

}  // namespace

const GemmProvider &gemv_provider() {
  static const GemvProvider provider;
  return provider;
}

}  // namespace sits::cpu
