// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/gates.h"

#include <algorithm>
#include <cmath>

namespace sits {
namespace {

constexpr double kSwitchPeriodNs = 100e6;
constexpr double kCpuShare = 0.9;
constexpr double kShortestGate = 0.5;
constexpr std::uint64_t kFreeRefusals = 3;
constexpr double kLargestShare = 0.9;

}  // namespace

std::optional<std::string> gate_fault(const SampleBatch &batch, double min_gate_ns) {
  if (!batch.gates_valid) return std::nullopt;
  if (batch.minor_faults > 0) return "page_faults";
  // Over a shorter time one scheduler tick would decide.
  if (!(batch.wall_ns >= kShortestGate * min_gate_ns) || batch.threads == 0) return std::nullopt;
  const double switches_allowed = std::floor(batch.wall_ns / kSwitchPeriodNs) * batch.threads;
  if (static_cast<double>(batch.involuntary_switches) > switches_allowed) return "involuntary_switches";
  if (batch.cpu_ns < kCpuShare * batch.wall_ns * batch.threads) return "contended";
  return std::nullopt;
}

RejectionBudget::RejectionBudget(double share) : share_(share >= 0 ? std::min(share, kLargestShare) : 0) {}

bool RejectionBudget::refuse(std::uint64_t samples) {
  seen_ += samples;
  const bool within = static_cast<double>(refused_ + samples) <= share_ * static_cast<double>(seen_);
  if (!within && (share_ <= 0 || refused_batches_ >= kFreeRefusals)) return false;
  refused_ += samples;
  ++refused_batches_;
  return true;
}

}  // namespace sits
