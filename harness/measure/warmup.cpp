// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/warmup.h"

#include <algorithm>
#include <cmath>

namespace sits {
namespace {

constexpr std::size_t kAgreeing = 3;

}  // namespace

void Warmup::add(double sample_ns, bool faulted) {
  ++samples_;
  recent_.push_back({sample_ns, faulted});
  if (recent_.size() > kAgreeing) recent_.pop_front();
}

bool Warmup::faulting() const {
  return std::any_of(recent_.begin(), recent_.end(), [](const Sample &s) { return s.faulted; });
}

bool Warmup::settled() const {
  if (recent_.size() < kAgreeing || faulting()) return false;
  double low = recent_.front().ns, high = low;
  for (const Sample &s : recent_) {
    if (!std::isfinite(s.ns) || s.ns <= 0) return false;  // what could not be timed agrees with nothing
    low = std::min(low, s.ns);
    high = std::max(high, s.ns);
  }
  return high - low <= std::max(policy_.warmup_agreement * low, 2 * tick_ns_);
}

bool Warmup::done() const { return samples_ >= policy_.warmup_max || (samples_ >= policy_.warmup_min && settled()); }

}  // namespace sits
