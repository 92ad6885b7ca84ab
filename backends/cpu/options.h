// SPDX-License-Identifier: Apache-2.0
//
// The plugin's options: threads=N, cpus=0-3,8, numa=N, calibrate=0|1, provider=NAME.
#pragma once

#include <optional>
#include <string>

#include "backends/cpu/host_facts.h"
#include "sits/backend.h"

namespace sits::cpu {

struct Options {
  unsigned threads = 0;  // 0: one per usable physical core, within the quota
  std::optional<CpuList> cpus;
  std::optional<unsigned> numa;
  bool calibrate = false;
  std::string provider;
};

/// Throws Failure{SITS_INVALID_ARGUMENT} that names the option and its value, with the nearest name for an unknown one.
Options parse_options(const sits_options *options);

/// The CPUs that the options leave of the host, one thread each, in order of thread. Throws as parse_options when they
/// ask for more than there are.
CpuList cpus_for(const Options &options, const HostFacts &host);

}  // namespace sits::cpu
