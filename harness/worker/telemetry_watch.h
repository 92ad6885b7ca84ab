// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "harness/measure/result.h"
#include "harness/plugin/backend.h"

namespace sits::worker {

/// Readings around and inside the timed region of one case: counters at its ends, clocks, power and temperature on the
/// way.
class TelemetryWatch {
 public:
  TelemetryWatch(const plugin::Session &session, std::uint32_t device) : session_(session), device_(device) {}

  void begin();
  /// Reads when the last reading is at least 100 ms old; call it between takes.
  void poll();
  /// `iterations` of the region, for the energy of one. Absent what the device does not tell.
  Telemetry finish(std::uint64_t iterations);
  /// Whether a throttle counter moved inside the region.
  bool throttled() const { return throttled_; }

 private:
  struct Range {
    double low = 0, high = 0, sum = 0;
    std::uint64_t count = 0;
    void add(double value);
  };
  void read();

  const plugin::Session &session_;
  std::uint32_t device_;
  double began_ns_ = 0, last_ns_ = 0;
  std::optional<sits_telemetry> first_, latest_;
  Range clock_mhz_, power_w_, temperature_c_;
  bool throttled_ = false;
};

}  // namespace sits::worker
