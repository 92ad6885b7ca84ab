// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>

#include "harness/normalize/baseline.h"

namespace sits::normalize::test {

inline const std::string kGemmCold = "gemm/none/bf16.bf16.bf16/m256n256k256/cold";
inline const std::string kGemmWarm = "gemm/none/bf16.bf16.bf16/m256n256k256/warm";

/// A small baseline with round numbers: peak 1e12 at efficiency 0.5, memory 1e11 B/s at 0.5, cache 1e12 B/s, overhead
/// 1 us, LLC 1 MiB.
inline nlohmann::json small_baseline() {
  return nlohmann::json::parse(R"({
    "schema": "sits.baseline", "schema_version": 1, "id": "part", "version": "1", "name": "A part",
    "identity": {"form_factor": "PCIe", "power_cap_w": 350, "rates": "dense"},
    "sources": {"paper": {"title": "A paper", "address": "https://example.org/paper"}},
    "model": {"source": "a fit", "convention": "device", "overhead_ns": 1000, "memory_bytes_per_s": 1e11,
              "memory_efficiency": 0.5, "cache_bytes_per_s": 1e12, "cache_source": "paper", "llc_bytes": 1048576,
              "epilogue_uncertainty": 0.04, "state_uncertainty": 0.1, "stream_uncertainty": 0.3, "cached_uncertainty": 0.5,
              "gemm": [{"type": "f32", "unit": "fma", "peak_ops_per_s": 1e12, "efficiency": 0.5, "uncertainty": 0.4}],
              "fit": {"n": 3, "rms_log": 0.1, "worst_id": "x", "worst_log": -0.2}},
    "absent": [{"op": "peak", "reason": "no_latency"}],
    "rates": [{"op": "stream", "variant": "triad", "bytes_per_s": 4e10, "min_bytes": 268435456, "kind": "published",
               "source": "paper", "convention": "device", "cache_state": "any", "uncertainty": 0.05},
              {"op": "transfer", "variant": "h2d", "bytes_per_s": 1e10, "min_bytes": 1048576, "kind": "published",
               "source": "paper", "convention": "device", "cache_state": "any", "uncertainty": 0.1}],
    "values": [{"id": "gemm/none/bf16.bf16.bf16/m256n256k256/cold", "value_ns": 5000, "kind": "published",
                "source": "paper", "convention": "device", "cache_state": "cold", "uncertainty": 0.03}],
    "collectives": [{"op": "all_reduce", "bytes": 1048576, "ranks": 8, "value_ns": 25000, "kind": "published",
                     "source": "paper", "convention": "device", "uncertainty": 0.1}]
  })");
}

inline Baseline parsed(const nlohmann::json &document) { return parse_baseline(document.dump(), "part.json"); }

inline std::string read_file(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// An ok result with these medians and a 95 % interval of the device median.
inline CaseResult ok_result(const std::string &id, double device_ns, double submit_ns, double relative = 0.01) {
  CaseResult result;
  result.id = id;
  result.device = "cpu:0";
  result.status = Status::ok;
  Timing timing;
  for (auto [statistics, median] :
       {std::pair{&timing.device_ns, device_ns}, {&timing.submit_to_complete_ns, submit_ns}}) {
    statistics->n = 20;
    statistics->median = median;
    statistics->median_ci95 = Interval{median / (1 + relative), median * (1 + relative)};
  }
  result.timing = timing;
  return result;
}

}  // namespace sits::normalize::test
