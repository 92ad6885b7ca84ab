// SPDX-License-Identifier: Apache-2.0
//
// The sampling loop behind sits_backend.run: rotation, batches, flush, gates, cancellation. Raw samples only.
#pragma once

#include <cstdint>

#include "backends/cpu/workload.h"

namespace sits::cpu {

/// What an empty measurement costs and the smallest step of the clock.
struct TimerFacts {
  double floor_ns = 0, resolution_ns = 0;
};
TimerFacts measure_timer();

/// A buffer that, once read, has displaced everything else from the caches.
class CacheFlusher {
 public:
  /// Reads more than the last-level cache and every core's own caches hold. Allocates on first use.
  void flush(const Context &context);

 private:
  Buffer buffer_;
};

/// Takes request.samples samples (at most samples.capacity) and fills `samples`, whose arrays the caller owns. The
/// rotation goes on at `next_copy`, which is updated. Throws Failure{SITS_CANCELLED} or {SITS_TIMEOUT} between samples.
void take_samples(Context &context, Workload &workload, CacheFlusher &flusher, const TimerFacts &timer,
                  const sits_run &request, std::uint32_t &next_copy, sits_samples &samples);

}  // namespace sits::cpu
