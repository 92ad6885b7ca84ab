// SPDX-License-Identifier: Apache-2.0
//
// What a machine does not say, or says wrongly, measured: the clock and the effective size of the last-level cache.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/cpu/host_facts.h"

namespace sits::cpu {

struct Calibration {
  double clock_hz = 0;          // of a dependent-add chain: one addition per clock
  std::uint64_t llc_bytes = 0;  // of one last-level cache as one thread finds it; 0: no knee was seen
  bool quiet = true;            // false: others used this CPU meanwhile, so that no cache size could be measured
};

/// Measures on the calling thread, within 3 s. Stops early, with what is known, when `cancelled` says so.
Calibration calibrate(const HostFacts &host, const std::function<bool()> &cancelled);

/// Mean time of a load at each working-set size.
struct LatencyPoint {
  std::uint64_t bytes = 0;
  double ns = 0;
};

/// The largest size that is still far from memory latency (noise only makes a point slower); nothing when the curve has
/// no such rise (fewer than three points, or memory less than 1.5 times as slow as the cache).
std::optional<std::uint64_t> find_knee(const std::vector<LatencyPoint> &points);

/// The effective last-level cache of all usable CPUs: the smaller of reported and measured of one instance, times the
/// instances; a report that is implausible counts only where nothing was measured, cut to what is plausible.
std::uint64_t effective_llc(const HostFacts &host, std::uint64_t measured_instance_bytes);

/// Name of the cache file: changes with whatever changes the measurement.
std::string host_fingerprint(const HostFacts &host, std::string_view node_name);

std::string calibration_text(const Calibration &calibration);
std::optional<Calibration> parse_calibration(std::string_view text);

/// $XDG_CACHE_HOME/sits/cpu-<fingerprint>.txt, else below $HOME/.cache; "" where neither is set.
std::string calibration_path(const HostFacts &host);
std::optional<Calibration> load_calibration(const std::string &path);
/// By temporary file and rename; a folder that cannot be written means no cache.
void store_calibration(const std::string &path, const Calibration &calibration);

}  // namespace sits::cpu
