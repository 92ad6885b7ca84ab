// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <cstdint>
#include <optional>

namespace sits::worker {

/// While it lives the calling thread, and what it starts, runs on the processors of one NUMA node; on those it already
/// had where the node is absent, unknown or outside its mask.
class AffinityGuard {
 public:
  explicit AffinityGuard(std::optional<std::int32_t> numa_node);
  ~AffinityGuard();
  AffinityGuard(const AffinityGuard &) = delete;
  AffinityGuard &operator=(const AffinityGuard &) = delete;

 private:
  bool changed_ = false;
  cpu_set_t before_{};
};

}  // namespace sits::worker
