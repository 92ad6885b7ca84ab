// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/calibrate.h"

#include <time.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "backends/cpu/memory.h"
#include "backends/cpu/pool.h"
#include "backends/sdk/failure.h"
#include "sits/generator.h"

namespace sits::cpu {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kLine = 64;
constexpr std::uint64_t kBudgetNs = 2'500'000'000;

/// 16 dependent additions per round, one per clock.
void add_chain(std::uint64_t rounds) {
  std::uint64_t x = 1;
#if defined(__x86_64__)
#define SITS_ADD4 "add $1, %[x]\n add $1, %[x]\n add $1, %[x]\n add $1, %[x]\n"
  // the count goes down by a subtraction that does not depend on the chain
  asm volatile("1:\n" SITS_ADD4 SITS_ADD4 SITS_ADD4 SITS_ADD4 "sub $1, %[n]\n jnz 1b\n"
               : [x] "+r"(x), [n] "+r"(rounds)
               :
               : "cc");
#elif defined(__aarch64__)
#define SITS_ADD4 "add %[x], %[x], #1\n add %[x], %[x], #1\n add %[x], %[x], #1\n add %[x], %[x], #1\n"
  asm volatile("1:\n" SITS_ADD4 SITS_ADD4 SITS_ADD4 SITS_ADD4 "subs %[n], %[n], #1\n b.ne 1b\n"
               : [x] "+r"(x), [n] "+r"(rounds)
               :
               : "cc");
#else
  for (std::uint64_t i = 0; i < rounds * 16; ++i) asm volatile("" : "+r"(x = x + 1));
#endif
#undef SITS_ADD4
}

/// The fastest of several short chains: an interruption only makes one slower.
double measure_clock() {
  constexpr std::uint64_t kRounds = 100'000;
  constexpr int kRepeats = 40;
  double best = 0;
  for (int i = 0; i < kRepeats; ++i) {
    const std::uint64_t start = now_ns();
    add_chain(kRounds);
    const auto elapsed = static_cast<double>(now_ns() - start);
    if (elapsed > 0) best = std::max(best, kRounds * 16 / elapsed * 1e9);
  }
  return best;
}

/// A random single cycle through `lines` lines of `memory`, entered at its start.
void build_cycle(std::uint8_t *memory, std::uint32_t lines, std::vector<std::uint32_t> &next) {
  next.resize(lines);
  std::iota(next.begin(), next.end(), 0u);
  for (std::uint32_t i = lines - 1; i > 0; --i) std::swap(next[i], next[cycle_partner(lines, i)]);
  for (std::uint32_t i = 0; i < lines; ++i) {
    const std::uint8_t *target = memory + next[i] * kLine;
    std::memcpy(memory + i * kLine, &target, sizeof target);
  }
}

double chase_ns(const std::uint8_t *memory, std::uint32_t steps) {
  const void *at = memory;
  const std::uint64_t start = now_ns();
  for (std::uint32_t i = 0; i < steps; ++i) at = *static_cast<const void *const *>(at);
  asm volatile("" : : "r"(at));
  return static_cast<double>(now_ns() - start) / steps;
}

double latency_at(Buffer &buffer, std::uint64_t bytes, std::vector<std::uint32_t> &next) {
  constexpr std::uint32_t kSteps = 60'000;
  constexpr int kRepeats = 3;
  auto *memory = buffer.as<std::uint8_t>();
  const auto lines = static_cast<std::uint32_t>(bytes / kLine);
  build_cycle(memory, lines, next);
  // several passes in order bring the whole set, or as much as fits, into the cache
  for (int pass = 0; pass < 2; ++pass)
    for (std::uint64_t i = 0; i < bytes; i += kLine)
      static_cast<void>(*static_cast<const volatile std::uint8_t *>(memory + i));
  double best = chase_ns(memory, kSteps);
  for (int i = 1; i < kRepeats; ++i) best = std::min(best, chase_ns(memory, kSteps));
  return best;
}

/// Too little of the wall time spent on the CPU: a shared cache was shared, and its measured size would be too small,
/// which would make cold operands warm.
class Contention {
 public:
  bool seen() const {
    constexpr double kQuiet = 0.97;
    return static_cast<double>(thread_cpu_ns() - cpu_) < kQuiet * static_cast<double>(now_ns() - wall_);
  }

 private:
  static std::uint64_t thread_cpu_ns() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
  }
  std::uint64_t cpu_ = thread_cpu_ns(), wall_ = now_ns();
};

}  // namespace

Calibration calibrate(const HostFacts &host, const std::function<bool()> &cancelled) {
  const std::uint64_t deadline = now_ns() + kBudgetNs;
  Calibration result;
  result.clock_hz = measure_clock();
  const std::uint64_t plausible = effective_llc(host, 0) / std::max<std::uint64_t>(1, host.llc_instances);
  const std::uint64_t largest = std::clamp(plausible * 4, 64 * kMiB, 512 * kMiB);
  std::vector<LatencyPoint> points;
  const Contention contention;
  try {
    Buffer buffer(largest);
    std::vector<std::uint32_t> next;
    // memory first: without it no other point means anything
    points.push_back({largest, latency_at(buffer, largest, next)});
    for (std::uint64_t bytes = kMiB; bytes < largest && now_ns() < deadline && !cancelled(); bytes *= 2) {
      points.push_back({bytes, latency_at(buffer, bytes, next)});
      if (const std::uint64_t half = bytes + bytes / 2; half < largest)
        points.push_back({half, latency_at(buffer, half, next)});
    }
  } catch (const sdk::Failure &) {
    return result;  // not enough memory: the clock is known, the cache is not
  }
  std::sort(points.begin(), points.end(), [](const auto &a, const auto &b) { return a.bytes < b.bytes; });
  result.quiet = !contention.seen();
  if (result.quiet) result.llc_bytes = find_knee(points).value_or(0);
  return result;
}

std::optional<std::uint64_t> find_knee(const std::vector<LatencyPoint> &points) {
  constexpr double kRise = 1.5, kShare = 0.3;
  if (points.size() < 3) return std::nullopt;
  double fastest = points.front().ns;
  for (const LatencyPoint &point : points) fastest = std::min(fastest, point.ns);
  const double memory = points.back().ns;
  if (!(memory > kRise * fastest)) return std::nullopt;
  // with random replacement a set of 1.3 caches misses about every third time
  const double threshold = fastest + kShare * (memory - fastest);
  std::optional<std::uint64_t> knee;
  for (const LatencyPoint &point : points)
    if (point.ns <= threshold) knee = point.bytes;
  return knee;
}

std::uint64_t effective_llc(const HostFacts &host, std::uint64_t measured) {
  const std::uint64_t instances = std::max<std::uint64_t>(1, host.llc_instances);
  std::uint64_t one = host.llc_reported;
  constexpr std::uint64_t kLargestUsual = 128 * kMiB;
  if (!plausible_llc(one, host.llc_sharing)) one = measured != 0 ? measured : kLargestUsual;
  if (measured != 0) one = one == 0 ? measured : std::min(one, measured);
  return one * instances;
}

}  // namespace sits::cpu
