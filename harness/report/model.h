// SPDX-License-Identifier: Apache-2.0
//
// The report: everything that leaves the program. Renderers see this and nothing else, and compute no number.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/measure/result.h"
#include "harness/measure/score.h"

namespace sits::report {

inline constexpr int kSchemaVersion = 1;
inline constexpr int kMethodVersion = 1;

struct ToolInfo {
  std::string version, git;
};

struct SuiteInfo {
  std::string name, version, sha256;
};

struct RunInfo {
  std::string id;                       // uuid
  std::string started_at, finished_at;  // RFC 3339, UTC
  std::vector<std::string> command;     // paths to basenames
  bool interrupted = false;
  int exit_code = 0;
  std::vector<SuiteInfo> suites;
  ToolInfo tool;
  std::uint64_t seed = 0;
  std::string order = "suite";  // or "shuffled"; "mixed" in merged reports that differ
  std::uint32_t runs = 1;
};

struct CacheInfo {
  int level = 0;
  std::string type;  // "data", "unified"
  std::uint64_t bytes = 0;
  std::uint32_t shared_by = 0;
};

struct HostInfo {
  std::string hostname, os, kernel;
  std::string cpu_model;
  std::optional<std::uint32_t> sockets, cores, threads, numa_nodes;
  std::vector<CacheInfo> caches;
  std::optional<std::uint64_t> effective_llc_bytes, memory_bytes;
  std::vector<std::string> isa;
  std::string virtualization, container;   // "" unknown or none
  std::map<std::string, std::string> env;  // allow-list only
};

struct PeakInfo {
  std::string type, unit;  // "f16", "fma" | "matrix"
  double ops_per_s = 0;
  std::string source;  // "datasheet", "derived", "measured"
};

struct LinkInfo {
  std::optional<std::uint32_t> gen, width, max_gen, max_width;
};

struct DeviceInfo {
  std::string id;  // "cpu:0"
  std::string backend, backend_version, name, vendor, arch, uuid, pci, partition, driver;
  std::optional<std::int32_t> numa_node;
  std::optional<std::uint64_t> memory_bytes, llc_bytes;
  std::optional<LinkInfo> link;
  std::map<std::string, std::string> libraries, properties;
  std::optional<std::uint32_t> compute_units, rank_slots;
  std::optional<double> clock_max_mhz, power_cap_w, bandwidth_bytes_per_s;
  std::vector<PeakInfo> peaks;
  std::map<std::string, double> measured_peaks;  // "peak/fma/f32": operations per s, "stream/read": bytes per s
  std::string telemetry_source;
  bool simulated = false;
};

using sits::GeoMean;
using sits::LeftOut;
using sits::Overall;
using sits::Score;

struct Summary {
  std::map<std::string, std::uint32_t> counts;  // by status, only those that occur
  std::vector<Score> scores;
  std::vector<LeftOut> left_out;
};

struct SamplesFile {
  std::string file, sha256;
};

struct BaselineInfo {
  std::string id, version, sha256;
};

struct Report {
  int method_version = kMethodVersion;
  RunInfo run;
  HostInfo host;  // of the first machine; merged reports keep each device's host in `device_hosts`
  std::vector<DeviceInfo> devices;
  std::map<std::string, HostInfo> device_hosts;    // device id -> host, only in merged reports
  std::map<std::string, std::string> device_runs;  // device id -> id of its run, only in merged reports
  std::vector<BaselineInfo> baselines;
  std::vector<CaseResult> results;
  Summary summary;
  std::optional<SamplesFile> samples;
};

}  // namespace sits::report
