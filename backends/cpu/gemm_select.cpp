// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/gemm_select.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "backends/sdk/failure.h"

namespace sits::cpu {
namespace {

constexpr double kWarmUpNs = 20e6;  // at least this long and often
constexpr std::size_t kWarmUpRuns = 3;
constexpr double kTimedNs = 150e6;
constexpr std::size_t kTimedRuns = 5, kMaxTimedRuns = 200;
// A first iteration this many times slower than the best median is not going to win.
constexpr double kHopeless = 3.0;
// OpenBLAS and libgomp threads go on spinning after their last call for up to this long.
constexpr auto kLibraryRest = std::chrono::milliseconds(60);

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double timed(GemmCandidate &candidate, Pool &pool, bool repack, std::uint32_t copy) {
  const std::uint64_t start = now_ns();
  run_iteration(*candidate.plan, pool, repack, copy);
  return static_cast<double>(now_ns() - start);
}

/// Median over the copies in turn; the first iterations fault pages in and build caches.
double measure(GemmCandidate &candidate, Pool &pool, bool repack, std::uint32_t copies, double best) {
  std::uint32_t copy = 0;
  const auto next = [&] { return timed(candidate, pool, repack, copy++ % copies); };
  double spent = 0, last = 0;
  for (std::size_t i = 0; i < kWarmUpRuns || spent < kWarmUpNs; ++i) {
    last = next();
    spent += last;
    if (spent > kTimedNs && (i > 0 || (best > 0 && last > kHopeless * best))) break;
  }
  if (best > 0 && last > kHopeless * best) return last;
  std::vector<double> samples;
  for (spent = 0; samples.size() < kTimedRuns || (spent < kTimedNs && samples.size() < kMaxTimedRuns);) {
    samples.push_back(next());
    spent += samples.back();
    if (spent > 4 * kTimedNs && samples.size() >= 3) break;
  }
  return median(std::move(samples));
}

GemmCandidate make_candidate(const GemmProvider &provider, const GemmProblem &problem, Context &context,
                             std::vector<GemmOperands> copies) {
  GemmCandidate candidate;
  candidate.provider = &provider;
  candidate.plan = provider.plan(problem, context);
  if (const std::size_t bytes = candidate.plan->packed_bytes(); bytes > 0) {
    for (GemmOperands &copy : copies) {
      candidate.packed.emplace_back(bytes);
      copy.packed = candidate.packed.back().data();
    }
  }
  const auto count = static_cast<std::uint32_t>(copies.size());
  candidate.plan->bind(std::move(copies));
  if (candidate.plan->uses_library_threads()) context.pool->park();
  for (std::uint32_t copy = 0; copy < count; ++copy) candidate.plan->pack(copy);
  return candidate;
}

}  // namespace

void run_iteration(GemmPlan &plan, Pool &pool, bool repack, std::uint32_t copy) {
  if (plan.uses_library_threads()) pool.park();
  if (repack) plan.pack(copy);
  plan.run(copy);
}

std::vector<const GemmProvider *> able_providers(const GemmProblem &problem, const Context &context,
                                                 const char *pinned) {
  std::vector<const GemmProvider *> able;
  std::string names;
  for (const GemmProvider *provider : gemm_providers()) {
    if (pinned != nullptr && std::strcmp(pinned, provider->name()) == 0) {
      if (std::string reason = provider->refusal(problem, context); !reason.empty())
        throw sdk::Failure(SITS_UNSUPPORTED, std::string("provider ") + pinned + ": " + reason);
      return {provider};
    }
    names += (names.empty() ? "" : ", ") + std::string(provider->name());
    if (pinned == nullptr && provider->refusal(problem, context).empty()) able.push_back(provider);
  }
  if (pinned != nullptr)
    throw sdk::Failure(SITS_UNSUPPORTED, std::string("unknown provider ") + pinned + "; gemm has " + names);
  return able;
}

GemmChoice choose_provider(const GemmProblem &problem, Context &context,
                           const std::vector<const GemmProvider *> &providers,
                           const std::vector<GemmOperands> &copies) {
  const auto count = static_cast<std::uint32_t>(copies.size());
  GemmChoice choice;
  for (const GemmProvider *provider : providers) {
    if (context.should_cancel()) throw sdk::Failure(SITS_CANCELLED, "cancelled while providers were measured");
    GemmCandidate candidate;
    try {
      candidate = make_candidate(*provider, problem, context, copies);
    } catch (const sdk::Failure &failure) {  // what only the library itself could tell
      if (failure.status != SITS_UNSUPPORTED || providers.size() == 1) throw;
      continue;
    }
    if (providers.size() == 1) {
      for (std::uint32_t copy = 0; copy < count; ++copy)
        run_iteration(*candidate.plan, *context.pool, problem.repack, copy);
      choice.chosen = std::move(candidate);
      return choice;
    }
    GemmCandidate *best = choice.chosen.plan ? &choice.chosen : nullptr;
    candidate.median_ns =
        measure(candidate, *context.pool, problem.repack, count, best == nullptr ? 0.0 : best->median_ns);
    if (candidate.plan->uses_library_threads() && context.pool->size() > 1) std::this_thread::sleep_for(kLibraryRest);
    if (best == nullptr || candidate.median_ns < best->median_ns) std::swap(choice.chosen, candidate);
    if (candidate.plan) choice.alternatives.push_back({candidate.plan->description(), candidate.median_ns});
  }
  if (!choice.chosen.plan) throw sdk::Failure(SITS_UNSUPPORTED, "no provider could prepare this case");
  return choice;
}

}  // namespace sits::cpu
