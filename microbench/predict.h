// SPDX-License-Identifier: Apache-2.0
//
// Time and memory of a case before anything runs, from its work model and the device's roofs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "microbench/case.h"

namespace sits::microbench {

/// What a device can do at best; 0 and absent mean unknown.
struct Roofs {
  std::map<std::uint32_t, double> flops_per_s;  // by element type (SITS_F32 …), the better of its units
  double bytes_per_s = 0;                       // memory, read and write together
  double launch_ns = 0;                         // least time of any iteration
};

/// Nanoseconds of one iteration: launch + max(flops / compute roof, bytes / bandwidth roof); absent when a roof that
/// the case needs is unknown. A type without a roof of its own takes f32's, on the premise that it is computed there.
/// memory_latency: `launch_ns` plus 100 ns a step, the order of a miss; collective: the copy of its buffers.
std::optional<double> predicted_ns(const Case &c, const Roofs &roofs);

/// Bytes a prepared case holds: rotated copies of its operands (`rotation_bytes` in total at least when cold, one copy
/// otherwise).
double predicted_bytes(const Case &c, double rotation_bytes);

}  // namespace sits::microbench
