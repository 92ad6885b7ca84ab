// SPDX-License-Identifier: Apache-2.0
//
// When the warm-up is over (docs/method.md §3).
#pragma once

#include <cstdint>
#include <deque>

#include "harness/measure/policy.h"

namespace sits {

class Warmup {
 public:
  /// tick_ns: of the clock, per iteration; samples within two ticks of each other agree whatever their ratio.
  Warmup(const Policy &policy, double tick_ns) : policy_(policy), tick_ns_(tick_ns) {}

  /// One warm-up sample: its time and whether a page fault fell into it.
  void add(double sample_ns, bool faulted);

  /// Enough: warmup_min samples taken, and the last three fault-free and in agreement; or warmup_max taken.
  bool done() const;
  /// The last three samples were fault-free and agree.
  bool settled() const;
  /// A page fault fell into one of the last three samples.
  bool faulting() const;
  std::uint32_t samples() const { return samples_; }

 private:
  struct Sample {
    double ns;
    bool faulted;
  };
  Policy policy_;
  double tick_ns_;
  std::uint32_t samples_ = 0;
  std::deque<Sample> recent_;
};

}  // namespace sits
