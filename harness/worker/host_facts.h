// SPDX-License-Identifier: Apache-2.0
//
// Facts of the machine that a report states. Nothing unknown is 0: it is absent or empty.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sits::worker {

struct CacheFact {
  int level = 0;
  std::string type;  // "data", "unified"; instruction caches are left out
  std::uint64_t bytes = 0;
  std::uint32_t shared_by = 0;  // hardware threads
};

struct HostFacts {
  std::string hostname, os, kernel;
  std::string cpu_model;
  std::optional<std::uint32_t> sockets, cores, threads, numa_nodes;
  std::vector<CacheFact> caches;
  std::optional<std::uint64_t> memory_bytes;
  std::vector<std::string> isa;
  std::string virtualization, container;   // "" unknown or none
  std::map<std::string, std::string> env;  // allow-list only
};

/// Reads /proc, /sys and /etc below `root` ("" for the machine itself; a test gives a folder).
HostFacts host_facts(const std::string &root = "");

/// The variables of the environment that a report may state: those that select devices or steer the libraries this
/// program drives. Values are cut at 1024 bytes.
std::map<std::string, std::string> recorded_environment(const char *const *environment);

/// Whether a variable changes what a library does, so that results with it carry the flag env_override.
bool changes_results(std::string_view variable);

}  // namespace sits::worker
