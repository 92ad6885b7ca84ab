// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/gemm_pack.h"

#include <algorithm>

#include "sits/dtype.h"

namespace sits::cpu {
namespace {

// Steps packed at once: the source of a transposed B stays in the first cache level.
constexpr std::uint64_t kBlockSteps = 64;

template <std::uint64_t kGroup, typename T>
void pack_one(const GemmProblem &p, const PanelLayout &layout, const T *b, std::uint64_t panel, T *target) {
  const auto n = static_cast<std::uint64_t>(p.n), k = static_cast<std::uint64_t>(p.k);
  const std::uint64_t first = panel * layout.columns;
  const std::uint64_t valid = std::min(layout.columns, n - first);
  const std::uint64_t column_step = p.trans_b ? k : 1, k_step = p.trans_b ? 1 : n;
  for (std::uint64_t block = 0; block < layout.steps; block += kBlockSteps) {
    const std::uint64_t end = std::min(block + kBlockSteps, layout.steps);
    for (std::uint64_t column = 0; column < layout.columns; ++column) {
      const T *source = b + (first + column) * column_step;
      for (std::uint64_t step = block; step < end; ++step) {
        T *place = target + (step * layout.columns + column) * kGroup;
        for (std::uint64_t g = 0; g < kGroup; ++g) {
          const std::uint64_t i = step * kGroup + g;
          place[g] = column < valid && i < k ? source[i * k_step] : T{};
        }
      }
    }
  }
}

// Rows of a plain B are already runs of columns.
template <typename T>
void pack_rows(const GemmProblem &p, const PanelLayout &layout, const T *b, std::uint64_t panel, T *target) {
  const auto n = static_cast<std::uint64_t>(p.n), k = static_cast<std::uint64_t>(p.k);
  const std::uint64_t first = panel * layout.columns;
  const std::uint64_t valid = std::min(layout.columns, n - first);
  for (std::uint64_t i = 0; i < k; ++i, target += layout.columns) {
    std::copy_n(b + i * n + first, valid, target);
    std::fill_n(target + valid, layout.columns - valid, T{});
  }
}

template <typename T>
void pack_range(const GemmProblem &p, const PanelLayout &layout, const void *b, void *packed, Range range) {
  const std::uint64_t matrix = p.b_count / p.parts.size();
  for (std::uint64_t i = range.begin; i < range.end; ++i) {
    const T *source = static_cast<const T *>(b) + i / layout.panels * matrix;
    T *target = static_cast<T *>(packed) + i * (layout.panel_bytes() / sizeof(T));
    if (!p.trans_b && layout.group == 1)
      pack_rows(p, layout, source, i % layout.panels, target);
    else if (layout.group == 1)
      pack_one<1>(p, layout, source, i % layout.panels, target);
    else
      pack_one<2>(p, layout, source, i % layout.panels, target);
  }
}

}  // namespace

PanelLayout panel_layout(const GemmProblem &p, std::uint64_t columns) {
  const std::uint64_t group = p.compute == GemmCompute::i32 ? 2 : 1;
  return {columns, group, (static_cast<std::uint64_t>(p.k) + group - 1) / group,
          (static_cast<std::uint64_t>(p.n) + columns - 1) / columns, bits_of(p.type_b) / 8};
}

void pack_panels(Pool &pool, const GemmProblem &p, const PanelLayout &layout, const void *b, void *packed) {
  pool.run([&](unsigned thread) {
    const Range range = part_of(p.parts.size() * layout.panels, thread, pool.size(), 1);
    switch (layout.element_bytes) {
      case 1: return pack_range<std::uint8_t>(p, layout, b, packed, range);
      case 2: return pack_range<std::uint16_t>(p, layout, b, packed, range);
      case 4: return pack_range<std::uint32_t>(p, layout, b, packed, range);
      default: return pack_range<std::uint64_t>(p, layout, b, packed, range);
    }
  });
}

}  // namespace sits::cpu
