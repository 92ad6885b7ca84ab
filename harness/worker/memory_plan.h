// SPDX-License-Identifier: Apache-2.0
//
// Does a case fit, and how are its operands kept cold? Decided before anything is allocated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/plugin/backend.h"
#include "microbench/case.h"

namespace sits::worker {

/// Bytes that can still be allocated; absent where nobody can tell.
struct AvailableMemory {
  std::optional<std::uint64_t> device, host;
};

struct MemoryPlan {
  bool fits = true;
  std::uint64_t needed = 0, available = 0;  // of the memory that is too small, when it does not fit
  std::string which;                        // "device" or "host", likewise
  std::uint64_t rotation_bytes = 0;         // for sits_prepare; 0: one copy
  std::uint32_t max_copies = 0;
  bool flush = false;  // cold, but the copies cannot rotate
};

/// Cold operands rotate through copies of 3 × the last-level cache in all; where only one copy fits that is smaller
/// than that, caches are flushed instead; where not even one fits, the case does not fit.
MemoryPlan plan_memory(const plugin::Support &support, microbench::Mode mode, const plugin::Device &device,
                       const AvailableMemory &available);

/// What the machine says now: of the device from its telemetry, of the host from /proc/meminfo and the control group.
/// On a CPU device both are the host's.
AvailableMemory available_memory(const plugin::Session &session, const plugin::Device &device);

}  // namespace sits::worker
