// SPDX-License-Identifier: Apache-2.0
//
// How long and how often one case is measured (docs/method.md §3).
#pragma once

#include <cstdint>

namespace sits {

struct Policy {
  std::uint32_t min_samples = 20;
  std::uint32_t max_samples = 2000;
  double ci_relative = 0.01;     // stop when the half-width of the median's 95 % CI is within this, of the median
  double budget_ns = 10e9;       // of a case: preparation, verification, warm-up, samples
  std::uint32_t warmup_min = 3;  // samples (iterations where unbatched), before convergence may end the warm-up
  std::uint32_t warmup_max = 200;
  double warmup_agreement = 0.03;      // three consecutive fault-free samples within this
  double soak_ns = 0;                  // load before the warm-up, power-managed devices
  std::uint32_t exact_iterations = 0;  // > 0: exactly this many unbatched samples (collectives of SITS2026)
  double min_gate_ns = 10e6;           // host gates are read per batch of samples at least this long
  double max_rejected = 0.5;           // share of the samples, at most 0.9; past it they are kept and flagged
};

}  // namespace sits
