// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/pool.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <set>
#include <thread>

namespace sits::cpu {
namespace {

// Longer than the gap between two samples, shorter than a human notices: a pool at rest costs nothing.
constexpr std::uint64_t kSpinNs = 2'000'000;
constexpr unsigned kPausesPerClockRead = 128;

void pause_cpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// The atomic is a plain 32-bit word in memory, which is what the kernel compares.
static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

void futex_wait(const std::atomic<std::uint32_t> &word, std::uint32_t expected) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

void futex_wake_all(const std::atomic<std::uint32_t> &word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

void set_mask(pthread_t thread, const std::vector<unsigned> &cpus) {
  const unsigned highest = *std::max_element(cpus.begin(), cpus.end());
  cpu_set_t *set = CPU_ALLOC(highest + 1);
  if (set == nullptr) return;
  const std::size_t size = CPU_ALLOC_SIZE(highest + 1);
  CPU_ZERO_S(size, set);
  for (const unsigned cpu : cpus) CPU_SET_S(cpu, size, set);
  pthread_setaffinity_np(thread, size, set);  // refused in some sandboxes: the threads then run unpinned
  CPU_FREE(set);
}

std::uint64_t read_clock(clockid_t id) {
  timespec t{};
  clock_gettime(id, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
}

}  // namespace

std::uint64_t now_ns() { return read_clock(CLOCK_MONOTONIC); }

struct Pool::State {
  struct alignas(64) Slot {
    std::uint32_t region = 0;
    std::uint64_t first_start = 0, last_end = 0;
    Gates gates;
  };

  std::vector<unsigned> cpus;
  std::vector<Slot> slots;
  std::vector<std::thread> workers;
  bool shared_cpus = false;  // two threads on one CPU: never spin
  pthread_t owner{};
  std::vector<unsigned> owner_mask;  // restored at the end

  const TaskRef *task = nullptr;
  std::uint32_t region = 0;
  bool stop = false;
  alignas(64) std::atomic<std::uint32_t> epoch{0};
  alignas(64) std::atomic<std::uint32_t> remaining{0};
  alignas(64) std::atomic<std::uint32_t> sleepers{0};
  std::atomic<bool> park{false};

  void work(unsigned thread);
  std::uint32_t await_epoch(std::uint32_t seen);
  void call(unsigned thread);
};

void Pool::State::call(unsigned thread) {
  Slot &slot = slots[thread];
  const std::uint64_t start = now_ns();
  (*task)(thread);
  slot.last_end = now_ns();
  if (slot.region != region) {
    slot.region = region;
    slot.first_start = start;
  }
}

std::uint32_t Pool::State::await_epoch(std::uint32_t seen) {
  const std::uint64_t deadline = shared_cpus ? 0 : now_ns() + kSpinNs;
  for (;;) {
    for (unsigned i = 0; i < kPausesPerClockRead && !shared_cpus; ++i) {
      if (const std::uint32_t current = epoch.load(std::memory_order_acquire); current != seen) return current;
      if (park.load(std::memory_order_relaxed)) break;
      pause_cpu();
    }
    if (!park.load(std::memory_order_relaxed) && now_ns() < deadline) continue;
    sleepers.fetch_add(1);
    // seq_cst pairs with run(): either the new epoch is seen here or the sleeper is seen there
    while (epoch.load() == seen) futex_wait(epoch, seen);
    sleepers.fetch_sub(1);
    return epoch.load(std::memory_order_acquire);
  }
}

void Pool::State::work(unsigned thread) {
  set_mask(pthread_self(), {cpus[thread]});
  std::uint32_t seen = 0;
  for (;;) {
    seen = await_epoch(seen);
    if (stop) return;
    call(thread);
    remaining.fetch_sub(1, std::memory_order_release);
  }
}

Pool::Pool(std::vector<unsigned> cpus) : state_(std::make_unique<State>()) {
  State &s = *state_;
  s.cpus = std::move(cpus);
  if (s.cpus.empty()) s.cpus = {0};
  s.slots.resize(s.cpus.size());
  s.shared_cpus = std::set<unsigned>(s.cpus.begin(), s.cpus.end()).size() < s.cpus.size();
  s.owner = pthread_self();
  cpu_set_t before;
  if (pthread_getaffinity_np(s.owner, sizeof before, &before) == 0)
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &before)) s.owner_mask.push_back(cpu);
  for (unsigned t = 1; t < s.cpus.size(); ++t) s.workers.emplace_back([&s, t] { s.work(t); });
  set_mask(s.owner, {s.cpus[0]});
}

Pool::~Pool() {
  State &s = *state_;
  s.stop = true;
  s.epoch.fetch_add(1);
  futex_wake_all(s.epoch);
  for (std::thread &worker : s.workers) worker.join();
  if (!s.owner_mask.empty() && pthread_equal(s.owner, pthread_self()) != 0) set_mask(s.owner, s.owner_mask);
}

unsigned Pool::size() const { return static_cast<unsigned>(state_->cpus.size()); }
const std::vector<unsigned> &Pool::cpus() const { return state_->cpus; }

void Pool::run(TaskRef task) {
  State &s = *state_;
  if (s.workers.empty()) {
    task(0);
    return;
  }
  s.task = &task;
  s.park.store(false, std::memory_order_relaxed);
  s.remaining.store(static_cast<std::uint32_t>(s.workers.size()), std::memory_order_relaxed);
  s.epoch.fetch_add(1);
  if (s.sleepers.load() > 0) futex_wake_all(s.epoch);
  s.call(0);
  while (s.remaining.load(std::memory_order_acquire) != 0) {
    if (s.shared_cpus)
      sched_yield();
    else
      pause_cpu();
  }
}

void Pool::begin_region() { ++state_->region; }

double Pool::region_ns() const {
  const State &s = *state_;
  std::uint64_t first = UINT64_MAX, last = 0;
  for (const State::Slot &slot : s.slots) {
    if (slot.region != s.region) continue;
    first = std::min(first, slot.first_start);
    last = std::max(last, slot.last_end);
  }
  return last > first ? static_cast<double>(last - first) : 0.0;
}

void Pool::park() {
  State &s = *state_;
  s.park.store(true, std::memory_order_relaxed);
  while (s.sleepers.load(std::memory_order_acquire) < s.workers.size()) sched_yield();
}

Gates Pool::gates() {
  State &s = *state_;
  const auto read_own = [&s](unsigned thread) {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    // rusage's times lag by up to a scheduler tick; the thread's clock does not
    s.slots[thread].gates = {static_cast<double>(read_clock(CLOCK_THREAD_CPUTIME_ID)),
                             static_cast<std::uint64_t>(usage.ru_minflt), static_cast<std::uint64_t>(usage.ru_nivcsw)};
  };
  run(read_own);
  Gates total;
  for (const State::Slot &slot : s.slots) {
    total.cpu_ns += slot.gates.cpu_ns;
    total.minor_faults += slot.gates.minor_faults;
    total.involuntary_switches += slot.gates.involuntary_switches;
  }
  return total;
}

WholeMask::WholeMask(const Pool &pool) : pinned_cpu_(pool.cpus()[0]) { set_mask(pthread_self(), pool.cpus()); }
WholeMask::~WholeMask() { set_mask(pthread_self(), {pinned_cpu_}); }

Range part_of(std::uint64_t count, unsigned t, unsigned threads, std::uint64_t grain) {
  const std::uint64_t grains = count / grain + (count % grain != 0 ? 1 : 0);
  const std::uint64_t each = grains / threads, rest = grains % threads;
  const auto first_grain = [&](std::uint64_t thread) { return each * thread + std::min(thread, rest); };
  return {std::min(count, first_grain(t) * grain), std::min(count, first_grain(t + 1ull) * grain)};
}

}  // namespace sits::cpu
