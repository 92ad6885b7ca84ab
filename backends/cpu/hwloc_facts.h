// SPDX-License-Identifier: Apache-2.0
//
// Cores and caches from hwloc, where sysfs is silent: it asks cpuid and other sources too. Opened at run time.
#pragma once

#include "backends/cpu/host_facts.h"

namespace sits::cpu {

/// Fills what is unknown in `facts` (cores, cache sizes) from libhwloc.so.15; leaves it unknown without the library.
void complete_from_hwloc(HostFacts &facts);

}  // namespace sits::cpu
