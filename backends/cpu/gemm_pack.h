// SPDX-License-Identifier: Apache-2.0
//
// Own weight layout: panels of `columns` columns, each running along k, so that a kernel reads one stream forward.
// Element (k, column) of a panel lies at ((k / group) * columns + column) * group + k % group; ends are zero-padded.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/cpu/gemm_problem.h"
#include "backends/cpu/pool.h"

namespace sits::cpu {

struct PanelLayout {
  std::uint64_t columns = 0;  // of one panel
  std::uint64_t group = 1;    // consecutive k elements kept together: 2 for i8 pairs
  std::uint64_t steps = 0;    // groups along k
  std::uint64_t panels = 0;   // of one B matrix
  std::uint64_t element_bytes = 0;

  std::uint64_t panel_bytes() const { return steps * group * columns * element_bytes; }
  std::uint64_t matrix_bytes() const { return panels * panel_bytes(); }
};

PanelLayout panel_layout(const GemmProblem &problem, std::uint64_t columns);

/// Packs every B matrix of the problem. Panels are touched by the thread that `part_of(all panels)` gives them to.
void pack_panels(Pool &pool, const GemmProblem &problem, const PanelLayout &layout, const void *b, void *packed);

}  // namespace sits::cpu
