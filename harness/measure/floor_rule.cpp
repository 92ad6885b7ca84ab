// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/floor_rule.h"

#include <algorithm>
#include <cmath>

namespace sits {
namespace {

constexpr double kMargin = 1.25;
constexpr std::uint32_t kGrowth = 10;

}  // namespace

double shortest_sample_ns(double floor_ns, double resolution_ns) {
  const double by_floor = floor_ns > 0 ? kFloorMultiple * floor_ns : 0;
  const double by_tick = resolution_ns > 0 ? kTickMultiple * resolution_ns : 0;
  return std::max(by_floor, by_tick);
}

bool keeps_floor_rule(double iteration_ns, double batch, double floor_ns, double resolution_ns) {
  return iteration_ns > 0 && iteration_ns * batch >= shortest_sample_ns(floor_ns, resolution_ns);
}

std::uint32_t batch_for(double iteration_ns, std::uint32_t current, double floor_ns, double resolution_ns,
                        std::uint32_t min_batch) {
  const double smallest = std::max(min_batch, 1u);
  if (!(iteration_ns > 0) || !std::isfinite(iteration_ns))
    return static_cast<std::uint32_t>(
        std::clamp(static_cast<double>(current) * kGrowth, smallest, std::max<double>(smallest, kLargestBatch)));
  if (keeps_floor_rule(iteration_ns, smallest, floor_ns, resolution_ns)) return static_cast<std::uint32_t>(smallest);
  const double needed = std::ceil(kMargin * shortest_sample_ns(floor_ns, resolution_ns) / iteration_ns);
  return static_cast<std::uint32_t>(std::clamp(needed, smallest, std::max<double>(smallest, kLargestBatch)));
}

}  // namespace sits
