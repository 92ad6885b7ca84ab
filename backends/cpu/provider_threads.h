// SPDX-License-Identifier: Apache-2.0
//
// Threads that belong to a library: as many as the pool has, on the same CPUs.
#pragma once

#include <set>

#include "backends/cpu/pool.h"

namespace sits::cpu {

/// The OpenMP run time (libgomp) that a library brought into the process.
class OpenMpThreads {
 public:
  /// Throws sdk::Failure{SITS_UNAVAILABLE} when libgomp cannot be found.
  OpenMpThreads();
  /// Starts the team and pins thread t to the pool's CPU t. The pool must be parked.
  void bind(const Pool &pool) const;
  /// Team size of the next parallel region of this thread.
  void use(unsigned threads) const { set_threads_(static_cast<int>(threads)); }

 private:
  void (*set_threads_)(int) = nullptr;
  int (*thread_number_)() = nullptr;
  void (*parallel_)(void (*)(void *), void *, unsigned, unsigned) = nullptr;
};

/// Kernel ids of the threads of this process.
std::set<int> thread_ids();

/// Pins threads that exist now and are not in `before` to the pool's CPUs from the second on.
void pin_new_threads(const std::set<int> &before, const Pool &pool);

}  // namespace sits::cpu
