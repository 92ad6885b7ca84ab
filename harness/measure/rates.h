// SPDX-License-Identifier: Apache-2.0
//
// From a time to rates and shares of the roofs (docs/method.md §1, "Work model").
#pragma once

#include <optional>

#include "harness/measure/result.h"
#include "microbench/case.h"

namespace sits {

Work work_of(const microbench::WorkModel &model);

/// Rates at a time per iteration. A rate whose numerator is 0, or a time that is not finite and positive, gives absent.
/// bytes_per_s counts as the model's convention says; one-way counts the busier direction alone, for "read+write".
Rates rates_of(const microbench::WorkModel &model, double ns);

/// Dense peak rates, of the case's roof type; what is not known is absent.
struct Roofs {
  std::optional<double> measured_ops_per_s = {}, measured_bytes_per_s = {};  // peak and stream read beside the case
  std::optional<double> datasheet_ops_per_s = {}, datasheet_bytes_per_s = {};
};

/// Shares of one kind of roof: the measured ones when they cover everything that the case needs, else those of the
/// datasheet, else the measured ones there are. `bandwidth` counts all bytes read and written, for cases that move them
/// through memory (bandwidth_applies). `bound` is the roof that takes longer, or "latency" when even that one explains
/// less than a twentieth of the time.
Utilization utilization_of(const microbench::WorkModel &model, double ns, const Roofs &roofs, bool bandwidth_applies);

}  // namespace sits
