// SPDX-License-Identifier: Apache-2.0
//
// The sampling engine: warm-up, batch sizing, gates, stopping. Pure: it drives a Subject and never sees a device or a
// process, so that a test can put a fake clock and a programmed stream behind it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/measure/policy.h"
#include "harness/measure/result.h"

namespace sits {

/// What one call of Subject::take returned; times per iteration.
struct SampleBatch {
  std::vector<double> device_ns, submit_to_complete_ns;  // same length, >= 1
  std::uint32_t batch = 1;
  bool host_clock = true;  // device_ns was read from the host's clock
  double resolution_ns = 0, floor_ns = 0;
  bool gates_valid = false;
  double cpu_ns = 0, wall_ns = 0;  // of the timed region, all threads
  std::uint32_t threads = 0;
  std::uint64_t minor_faults = 0, involuntary_switches = 0;
  std::uint32_t current_copy = 0;
  std::uint64_t steps_total = 0;
};

/// What is measured.
class Subject {
 public:
  virtual ~Subject() = default;
  /// Takes `samples` samples of `batch` iterations each. Throws what the backend throws.
  virtual SampleBatch take(std::uint32_t samples, std::uint32_t batch) = 0;
  /// Monotonic nanoseconds.
  virtual double now_ns() = 0;
  virtual bool cancelled() { return false; }
};

struct MeasureOptions {
  bool allow_batching = true;   // false: one iteration per sample whatever the floor (P95 of collectives)
  std::uint32_t min_batch = 1;  // steady mode: back to back, at least this many per sample
  double deadline_ns = 0;       // absolute, on the subject's clock: end of the case's budget; 0 none
};

struct Measurement {
  Timing timing;                                             // statistics of the accepted samples
  std::vector<double> device_samples_ns, submit_samples_ns;  // accepted, in order of time
  std::vector<Flag> flags;                                   // noisy, multimodal, drift, contended, clock_host …
  SampleBatch last;                                          // the last batch taken (current_copy, steps_total)
  std::uint64_t iterations = 0;                              // timed iterations, all batches
  double minor_faults = 0, involuntary_switches = 0;
  std::optional<double> cpu_utilization;
  bool cancelled = false;
};

/// Warm-up, then samples until the policy says stop. Never loops for ever: NaN, zero and negative samples count towards
/// max_samples and end as a Measurement without valid statistics (n = 0) that plausibility refuses.
Measurement measure(Subject &subject, const Policy &policy, const MeasureOptions &options);

}  // namespace sits
