// SPDX-License-Identifier: Apache-2.0
#include "microbench/predict.h"

#include <algorithm>
#include <cmath>

namespace sits::microbench {
namespace {

constexpr double kMissNs = 100;

/// Seconds that `amount` takes at `rate`; absent when there is something to do and no known rate.
std::optional<double> seconds(double amount, double rate) {
  if (amount == 0) return 0;
  if (!(rate > 0)) return std::nullopt;
  return amount / rate;
}

double compute_roof(const Case &c, const Roofs &roofs) {
  for (const std::uint32_t type : {roof_type(c), std::uint32_t{SITS_F32}})
    if (const auto found = roofs.flops_per_s.find(type); found != roofs.flops_per_s.end()) return found->second;
  return 0;
}

}  // namespace

std::optional<double> predicted_ns(const Case &c, const Roofs &roofs) {
  if (op_of(c) == Op::memory_latency) return roofs.launch_ns + kMissNs;
  if (op_of(c) == Op::peak) return std::nullopt;  // only the backend knows how long its loop is
  const WorkModel work = work_model(c);
  const bool computes = roof_type(c) != SITS_DTYPE_NONE;
  const auto compute = computes ? seconds(work.flops, compute_roof(c, roofs)) : std::optional<double>(0);
  const auto memory = seconds(work.bytes_total(), roofs.bytes_per_s);
  if (!compute || !memory) return std::nullopt;
  return roofs.launch_ns + 1e9 * std::max(*compute, *memory);
}

double predicted_bytes(const Case &c, double rotation_bytes) {
  const double one = work_model(c).footprint_bytes;
  if (c.mode != Mode::cold || one <= 0) return one;
  return one * std::max(1.0, std::ceil(rotation_bytes / one));
}

}  // namespace sits::microbench
