// SPDX-License-Identifier: Apache-2.0
//
// Host gates: what the operating system says of a batch of samples, and how many batches may be refused for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/measure/sampler.h"

namespace sits {

/// The first of these that holds, by name; nothing when the gates were not read:
/// "page_faults" any minor fault; and, over at least half of min_gate_ns,
/// "involuntary_switches" more than one per thread and 100 ms (so none in a batch of 10 ms),
/// "contended" CPU time below 0.9 of wall time × threads.
std::optional<std::string> gate_fault(const SampleBatch &batch, double min_gate_ns);

/// Keeps refusals within a share of the samples. The first three batches may be refused in any case.
class RejectionBudget {
 public:
  explicit RejectionBudget(double share);

  /// Counts a batch whose gates are good.
  void pass(std::uint64_t samples) { seen_ += samples; }
  /// Counts a batch whose gates are bad; true: refuse it, false: the bound is reached, keep it.
  bool refuse(std::uint64_t samples);

 private:
  double share_;
  std::uint64_t seen_ = 0, refused_ = 0, refused_batches_ = 0;
};

}  // namespace sits
