// SPDX-License-Identifier: Apache-2.0
//
// Machine-speed probes: short loads of known size beside a case, on the same device in the same session
// (docs/method.md §3). Prepared once per worker and reused.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/plugin/backend.h"

namespace sits::worker {

struct ProbeReading {
  std::string kind;  // "peak/fma/f32", "stream/read"
  double median_ns = 0;
  double rate = 0;  // operations per s, or bytes per s
};

class Probes {
 public:
  Probes(plugin::Session &session, plugin::Device device) : session_(&session), device_(std::move(device)) {}

  /// Compute roof of an element type: `peak` on the faster of its units; of f32 where a narrower float has no peak of
  /// its own. Absent where the backend has none, or failed.
  std::optional<ProbeReading> compute(std::uint32_t type);
  /// Read bandwidth over an array well beyond the last-level cache. Absent likewise.
  std::optional<ProbeReading> bandwidth();

 private:
  struct Prepared {
    std::string kind;
    plugin::Workload workload;
    double work = 0;  // operations or bytes of one iteration
  };
  std::optional<Prepared> prepare(const microbench::Case &test_case, std::string kind);
  std::optional<Prepared> prepare_compute(std::uint32_t type);
  std::optional<Prepared> prepare_bandwidth();
  /// Takes the reading; a probe that fails is given up for the rest of the session.
  static std::optional<ProbeReading> read(std::optional<Prepared> &probe);

  plugin::Session *session_;
  plugin::Device device_;
  std::map<std::uint32_t, std::optional<Prepared>> compute_;  // by type asked for
  std::optional<std::optional<Prepared>> bandwidth_;          // outer: tried
};

}  // namespace sits::worker
