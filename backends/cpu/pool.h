// SPDX-License-Identifier: Apache-2.0
//
// The CPU backend's own threads: pinned, one per physical core by default, spinning between parallel regions while in
// use and parked otherwise, so that they never spin against a library's own pool.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

namespace sits::cpu {

/// What the kernel counted for all threads of the pool together.
struct Gates {
  double cpu_ns = 0;
  std::uint64_t minor_faults = 0, involuntary_switches = 0;
};

/// Non-owning reference to a callable void(unsigned thread).
class TaskRef {
 public:
  template <typename F, typename = std::enable_if_t<!std::is_same_v<std::decay_t<F>, TaskRef>>>
  TaskRef(F &&f)  // NOLINT: implicit by design
      : object_(const_cast<void *>(static_cast<const void *>(&f))),
        call_([](void *object, unsigned thread) { (*static_cast<std::remove_reference_t<F> *>(object))(thread); }) {}
  void operator()(unsigned thread) const { call_(object_, thread); }

 private:
  void *object_;
  void (*call_)(void *, unsigned);
};

class Pool {
 public:
  /// One thread per entry of `cpus`; the caller's thread is thread 0 and is pinned to cpus[0].
  explicit Pool(std::vector<unsigned> cpus);
  ~Pool();
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;

  unsigned size() const;
  const std::vector<unsigned> &cpus() const;

  /// Calls task(t) for t = 0 … size()-1 in parallel, one call per thread, and returns when all have returned. Wakes the
  /// pool when parked. An exception in a task ends the process (tasks must not throw).
  void run(TaskRef task);

  /// Starts a new measured region: what region_ns() spans begins with the next run().
  void begin_region();

  /// First thread start to last thread end, over all run() calls since begin_region(), on the clock of now_ns(). 0 in a
  /// pool of one thread, which reads no clock: the caller's own reads around run() are the same interval.
  double region_ns() const;

  /// Threads 1 … size()-1 sleep in the kernel until the next run(). Call before a library with its own pool runs.
  void park();

  /// Cumulative counters of every pool thread, read on the threads themselves (RUSAGE_THREAD). Costs microseconds.
  Gates gates();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// While alive, the calling thread may run on all CPUs of the pool instead of its pinned one. Open a library with its
/// own threads inside such a scope: OpenMP run times take the mask they find when they are loaded as theirs.
class WholeMask {
 public:
  explicit WholeMask(const Pool &pool);
  ~WholeMask();
  WholeMask(const WholeMask &) = delete;
  WholeMask &operator=(const WholeMask &) = delete;

 private:
  unsigned pinned_cpu_;
};

/// Half-open part of [0, count) that thread `t` of `threads` owns, in multiples of `grain` but for the last.
struct Range {
  std::uint64_t begin = 0, end = 0;
};
Range part_of(std::uint64_t count, unsigned t, unsigned threads, std::uint64_t grain);

/// CLOCK_MONOTONIC in nanoseconds.
std::uint64_t now_ns();

}  // namespace sits::cpu
