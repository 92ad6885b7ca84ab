// SPDX-License-Identifier: Apache-2.0
//
// Which provider computes a case: the pinned one, or the fastest by measurement.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/cpu/provider.h"

namespace sits::cpu {

/// A provider's plan with the packed weights of every copy, ready to run.
struct GemmCandidate {
  const GemmProvider *provider = nullptr;
  std::unique_ptr<GemmPlan> plan;
  std::vector<Buffer> packed;  // per copy
  double median_ns = 0;        // 0 when it was not measured
};

struct GemmAlternative {
  std::string provider;  // description
  double median_ns = 0;
};

struct GemmChoice {
  GemmCandidate chosen;
  std::vector<GemmAlternative> alternatives;
};

/// Providers that can compute the problem, in order of preference. With `pinned` only that one; throws
/// sdk::Failure{SITS_UNSUPPORTED} with the reason when it is unknown or cannot.
std::vector<const GemmProvider *> able_providers(const GemmProblem &problem, const Context &context,
                                                 const char *pinned);

/// Packs, warms and times each provider on the given copies and keeps the one with the smallest median; ties keep the
/// order. A single provider is warmed but not timed. `copies` have no packed weights yet.
GemmChoice choose_provider(const GemmProblem &problem, Context &context,
                           const std::vector<const GemmProvider *> &providers, const std::vector<GemmOperands> &copies);

/// One iteration as it is timed: with SITS_GEMM_REPACK the packing is part of it.
void run_iteration(GemmPlan &plan, Pool &pool, bool repack, std::uint32_t copy);

}  // namespace sits::cpu
