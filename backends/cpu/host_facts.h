// SPDX-License-Identifier: Apache-2.0
//
// Facts of the host as this process may use it: affinity, cgroup limits, cores, caches, NUMA nodes. Every file is
// optional; what is absent stays unknown.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backends/cpu/topology.h"

namespace sits::cpu {

/// The text of a file, nothing when it cannot be read.
using ReadFile = std::function<std::optional<std::string>(const std::string &path)>;
std::optional<std::string> read_file(const std::string &path);

struct NumaNode {
  unsigned id = 0;
  CpuList cpus;  // usable ones
};

struct HostFacts {
  CpuList usable;              // affinity mask and online
  std::vector<CpuList> cores;  // usable hardware threads by physical core
  bool cores_known = false;    // false: the system does not say which CPUs share a core
  std::vector<NumaNode> nodes;
  std::optional<double> cpu_quota;            // cores' worth of CPU time
  std::optional<std::uint64_t> memory_limit;  // cgroup
  std::uint64_t memory_total = 0, memory_available = 0;
  std::uint64_t l1d_bytes = 0, l2_bytes = 0;  // of one core
  std::uint64_t llc_reported = 0;             // one instance, as the system says
  std::uint64_t llc_instances = 0;            // distinct ones that the usable CPUs reach
  std::size_t llc_sharing = 1;                // CPUs that share one
  std::string model_name, governor, huge_pages, smt, core_types;
};

/// `affinity`: the CPUs that the scheduler lets this process use.
HostFacts discover_host(const ReadFile &read, const CpuList &affinity);

/// CPUs that the calling thread may run on; a pool must not have pinned it yet.
CpuList affinity_mask();

/// min(MemAvailable, cgroup limit less usage that cannot be reclaimed).
std::uint64_t read_available_memory();

}  // namespace sits::cpu
