// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/stop_rule.h"

#include <algorithm>
#include <cmath>

#include "harness/measure/statistics.h"

namespace sits {
namespace {

constexpr std::uint64_t kFirstLook = 20;

// Independent samples shrink the interval by 1/sqrt(1.5) per look, to 0.44 over four. One that has kept 0.9 of its
// width is held open by modes, drift or the clock's tick, and more samples will not close it.
constexpr std::size_t kPlateauLooks = 4;
constexpr double kPlateauKept = 0.9;
constexpr std::size_t kPlateauSamples = 100;

std::optional<double> half_width(const std::optional<Interval> &interval, double median) {
  if (!interval || !(median > 0)) return std::nullopt;
  return (interval->high - interval->low) / 2 / median;
}

}  // namespace

std::optional<double> relative_half_width(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  if (sorted.empty()) return std::nullopt;
  std::sort(sorted.begin(), sorted.end());
  return half_width(median_interval(sorted), median_of_sorted(sorted));
}

std::optional<double> relative_half_width(const Statistics &statistics) {
  return half_width(statistics.median_ci95, statistics.median);
}

StopRule::StopRule(const Policy &policy) : policy_(policy) {
  policy_.max_samples = std::max(policy_.max_samples, 1u);
  next_look_ = std::min(std::max<std::uint64_t>(kFirstLook, policy_.min_samples), most_samples());
}

std::uint64_t StopRule::most_samples() const {
  return policy_.exact_iterations > 0 ? policy_.exact_iterations : policy_.max_samples;
}

std::optional<StopReason> StopRule::decide(std::span<const double> accepted, std::uint64_t attempted, double now_ns,
                                           double deadline_ns) {
  if (policy_.exact_iterations == 0 && accepted.size() >= next_look_) {
    if (const auto reason = look(accepted)) return reason;
    while (next_look_ <= accepted.size() && next_look_ < most_samples())
      next_look_ = std::min<std::uint64_t>((next_look_ * 3 + 1) / 2, most_samples());
  }
  if (attempted >= most_samples()) return StopReason::max_samples;
  if (deadline_ns > 0 && now_ns >= deadline_ns) return StopReason::time_budget;
  return std::nullopt;
}

std::optional<StopReason> StopRule::look(std::span<const double> accepted) {
  const auto width = relative_half_width(accepted);
  if (!width || !std::isfinite(*width)) return std::nullopt;
  half_widths_.push_back(*width);
  if (accepted.size() < policy_.min_samples) return std::nullopt;
  if (*width <= policy_.ci_relative) return StopReason::converged;
  const std::size_t looks = half_widths_.size();
  if (accepted.size() >= kPlateauSamples && looks > kPlateauLooks &&
      *width >= kPlateauKept * half_widths_[looks - 1 - kPlateauLooks])
    return StopReason::plateau;
  return std::nullopt;
}

}  // namespace sits
