// SPDX-License-Identifier: Apache-2.0
//
// Can this time be true? (docs/method.md §5) Between the backend, whose timer may lie, and normalization.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/measure/result.h"
#include "microbench/case.h"

namespace sits {

/// What is known of the device; what is not known bounds nothing.
struct PhysicalLimits {
  // Compute, for the case's roof type on its fastest unit.
  std::optional<double> ops_per_clock = {};      // of the whole device: compute units × operations per clock and unit
  std::optional<double> clock_highest_mhz = {};  // highest clock observed around the case
  std::optional<double> datasheet_ops_per_s = {};
  // Memory.
  std::optional<double> datasheet_bytes_per_s = {};
  std::optional<double> llc_bytes = {};
  // Collectives.
  std::optional<double> link_bytes_per_s = {};  // of one rank, one direction
  bool in_switch_reduction = false;
  double message_floor_ns = 500;  // no rank can hear from another sooner; 50 between the cores of a CPU
};

struct Plausibility {
  Status status = Status::ok;    // or implausible
  std::optional<Reason> reason;  // of implausible
  std::vector<Flag> flags;       // above_nominal
};

/// Codes of the reasons: "no_valid_sample", "below_timer_resolution", "non_finite", "clock_backwards", "below_floor",
/// "device_exceeds_submit", "exceeds_peak", "exceeds_bandwidth", "exceeds_link", "below_message_floor".
Plausibility check_plausibility(const microbench::Case &test_case, const microbench::WorkModel &work,
                                const Timing &timing, const PhysicalLimits &limits);

/// One good result of a run, for the comparison of sizes.
struct SweepPoint {
  microbench::Case test_case;
  microbench::WorkModel work;
  std::string device;
  double median_ns = 0;
};

struct SweepFault {
  std::size_t point;  // index into the points
  Reason reason;      // "time_does_not_grow"
};

/// Points of one device whose cases differ in sizes only are a sweep. A point with at least 64 × the work of the
/// smallest one and 4 × the bytes, and enough of it that no launch overhead hides it (256 MiB moved or 2^36
/// operations), must take more than 1.1 × as long: a timer that stops before the work is done gives the same time for
/// every size.
std::vector<SweepFault> check_sweeps(std::span<const SweepPoint> points);

}  // namespace sits
