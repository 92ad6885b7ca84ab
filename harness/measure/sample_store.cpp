// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/sample_store.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "harness/measure/statistics.h"

namespace sits {
namespace {

constexpr double kTolerance = 1.02;
constexpr double kTrustedShare = 0.9;

/// Why a time cannot be one; "" when it can.
std::string_view invalid_time(double ns) {
  if (!std::isfinite(ns)) return "non_finite";
  if (ns < 0) return "clock_backwards";
  return ns == 0 ? "zero_time" : "";
}

double tick_of(const SampleBatch &batch) { return batch.resolution_ns / std::max(batch.batch, 1u); }

}  // namespace

bool device_within_submit(double device_ns, double submit_ns, double tick_ns) {
  return device_ns <= submit_ns * kTolerance + tick_ns;
}

void SampleStore::add(const SampleBatch &batch) {
  const std::size_t count = std::min(batch.device_ns.size(), batch.submit_to_complete_ns.size());
  attempted_ += count;
  for (std::size_t i = 0; i < count; ++i) {
    const double device = batch.device_ns[i], submit = batch.submit_to_complete_ns[i];
    if (const std::string_view fault = invalid_time(submit); !fault.empty()) {
      ++rejected_[std::string(fault)];
      refused_.push_back(device);
      continue;
    }
    submit_.push_back(submit);
    if (invalid_time(device).empty() && device_within_submit(device, submit, tick_of(batch))) {
      device_.push_back(device);
    } else {
      ++rejected_["device_clock"];
      refused_.push_back(device);
    }
  }
}

void SampleStore::reject(const SampleBatch &batch, const std::string &reason) {
  rejected_[reason] += batch.submit_to_complete_ns.size();
}

bool SampleStore::device_trusted() const {
  return !device_.empty() && static_cast<double>(device_.size()) >= kTrustedShare * static_cast<double>(submit_.size());
}

double iteration_ns(const SampleBatch &batch) {
  SampleStore store;
  store.add(batch);
  const auto times = store.device_ns();
  if (times.empty()) return std::numeric_limits<double>::quiet_NaN();
  return median_of({times.begin(), times.end()});
}

}  // namespace sits
