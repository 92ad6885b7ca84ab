// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/telemetry_watch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "harness/worker/process.h"

namespace sits::worker {
namespace {

constexpr double kPollNs = 100e6;
constexpr double kEnergyRegionNs = 2e9;  // below that a power meter's own averaging window decides

bool has(const std::optional<sits_telemetry> &reading, std::uint32_t bit) {
  return reading && (reading->valid & bit) != 0;
}

}  // namespace

void TelemetryWatch::Range::add(double value) {
  if (!std::isfinite(value)) return;
  low = count == 0 ? value : std::min(low, value);
  high = count == 0 ? value : std::max(high, value);
  sum += value;
  ++count;
}

void TelemetryWatch::read() {
  latest_ = session_.telemetry(device_);
  last_ns_ = steady_now_ns();
  if (has(latest_, SITS_TELEMETRY_CLOCK)) clock_mhz_.add(latest_->clock_mhz);
  if (has(latest_, SITS_TELEMETRY_POWER)) power_w_.add(latest_->power_w);
  if (has(latest_, SITS_TELEMETRY_TEMPERATURE)) temperature_c_.add(latest_->temperature_c);
}

void TelemetryWatch::begin() {
  first_ = session_.telemetry(device_);
  began_ns_ = last_ns_ = steady_now_ns();
}

void TelemetryWatch::poll() {
  if (first_ && steady_now_ns() - last_ns_ >= kPollNs) read();
}

Telemetry TelemetryWatch::finish(std::uint64_t iterations) {
  Telemetry out;
  std::array<double, 1> load{};
  if (::getloadavg(load.data(), 1) == 1) out.load_average = load[0];
  if (!first_) return out;
  read();
  const double region_ns = last_ns_ - began_ns_;
  const auto mean = [](const Range &range) { return range.sum / static_cast<double>(range.count); };
  if (clock_mhz_.count > 0) {
    out.clock_mhz = mean(clock_mhz_);
    out.clock_min_mhz = clock_mhz_.low;
    out.clock_max_mhz = clock_mhz_.high;
  }
  if (power_w_.count > 0) out.power_w = mean(power_w_);
  if (temperature_c_.count > 0) out.temperature_c = temperature_c_.high;
  if (has(first_, SITS_TELEMETRY_ENERGY) && has(latest_, SITS_TELEMETRY_ENERGY) &&
      latest_->energy_j >= first_->energy_j) {
    out.energy_j = latest_->energy_j - first_->energy_j;
    if (region_ns >= kEnergyRegionNs && iterations > 0)
      out.energy_per_iteration_j = *out.energy_j / static_cast<double>(iterations);
  }
  if (has(first_, SITS_TELEMETRY_THROTTLE) && has(latest_, SITS_TELEMETRY_THROTTLE)) {
    out.throttle_ns = latest_->throttle_ns - std::min(first_->throttle_ns, latest_->throttle_ns);
    out.throttle_reasons = latest_->throttle_reasons;
    throttled_ = *out.throttle_ns > 0;
  }
  if (has(first_, SITS_TELEMETRY_ECC) && has(latest_, SITS_TELEMETRY_ECC))
    out.ecc_errors = latest_->ecc_errors - std::min(first_->ecc_errors, latest_->ecc_errors);
  return out;
}

}  // namespace sits::worker
