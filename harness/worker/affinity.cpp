// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/affinity.h"

#include <fmt/format.h>

#include <fstream>

#include "harness/worker/system_file.h"

namespace sits::worker {

AffinityGuard::AffinityGuard(std::optional<std::int32_t> numa_node) {
  if (!numa_node || *numa_node < 0 || ::sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  const std::string list = first_line(fmt::format("/sys/devices/system/node/node{}/cpulist", *numa_node));
  cpu_set_t wanted;
  CPU_ZERO(&wanted);
  for (const std::uint32_t cpu : parse_cpu_list(list))
    if (cpu < CPU_SETSIZE && CPU_ISSET(cpu, &before_)) CPU_SET(cpu, &wanted);
  if (CPU_COUNT(&wanted) > 0) changed_ = ::sched_setaffinity(0, sizeof wanted, &wanted) == 0;
}

AffinityGuard::~AffinityGuard() {
  if (changed_) ::sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace sits::worker
