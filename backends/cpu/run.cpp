// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/run.h"

#include <sys/resource.h>
#include <time.h>

#include <algorithm>

#include "backends/sdk/failure.h"

namespace sits::cpu {
namespace {

constexpr std::uint64_t kCancelCheckNs = 100'000'000;

Gates process_gates() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return {static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec),
          static_cast<std::uint64_t>(usage.ru_minflt), static_cast<std::uint64_t>(usage.ru_nivcsw)};
}

Gates read_gates(Context &context, const Workload &workload) {
  if (!workload.on_pool()) return process_gates();
  const Gates gates = context.pool->gates();
  if (workload.threads_used() == 1) context.pool->park();
  return gates;
}

/// Between two samples: has the host lost interest, or the caller's time run out?
class Interruption {
 public:
  Interruption(const Context &context, std::uint64_t timeout_ns)
      : context_(context), start_(now_ns()), last_check_(start_), timeout_ns_(timeout_ns) {}

  void check(std::uint64_t now) {
    if (timeout_ns_ != 0 && now - start_ > timeout_ns_)
      throw sdk::Failure(SITS_TIMEOUT,
                         "the samples took longer than " + std::to_string(timeout_ns_ / 1'000'000) + " ms");
    if (now - last_check_ < kCancelCheckNs) return;
    check_now();
    last_check_ = now;
  }

  void check_now() const {
    if (context_.should_cancel()) throw sdk::Failure(SITS_CANCELLED, "cancelled by the host");
  }

 private:
  const Context &context_;
  std::uint64_t start_, last_check_, timeout_ns_;
};

}  // namespace

TimerFacts measure_timer() {
  constexpr int kReads = 4096;
  TimerFacts facts{1e9, 1e9};
  std::uint64_t before = now_ns();
  for (int i = 0; i < kReads; ++i) {
    const std::uint64_t after = now_ns();
    const auto step = static_cast<double>(after - before);
    facts.floor_ns = std::min(facts.floor_ns, step);
    if (step > 0) facts.resolution_ns = std::min(facts.resolution_ns, step);
    before = after;
  }
  timespec tick{};
  clock_getres(CLOCK_MONOTONIC, &tick);
  const double tick_ns = static_cast<double>(tick.tv_sec) * 1e9 + static_cast<double>(tick.tv_nsec);
  // a step between two reads is at least the clock's tick; a floor of zero would make every duration look long enough
  facts.resolution_ns = std::max(1.0, std::min(facts.resolution_ns, tick_ns));
  facts.floor_ns = std::max(facts.floor_ns, facts.resolution_ns);
  return facts;
}

void CacheFlusher::flush(const Context &context) {
  constexpr std::uint64_t kUnknownLlc = std::uint64_t{64} << 20, kLine = 64;
  const Machine &machine = context.machine;
  Pool &pool = *context.pool;
  if (buffer_.bytes() == 0) {
    const std::uint64_t llc = machine.llc_bytes != 0 ? machine.llc_bytes : kUnknownLlc;
    buffer_ = Buffer(3 * std::max(llc, machine.l2_bytes * pool.size()));
    pool.run([&](unsigned t) {
      const Range part = part_of(buffer_.bytes(), t, pool.size(), kLine);
      std::fill_n(buffer_.as<std::uint8_t>() + part.begin, part.end - part.begin, std::uint8_t{1});
    });
  }
  pool.run([&](unsigned t) {
    const Range part = part_of(buffer_.bytes(), t, pool.size(), kLine);
    const volatile std::uint8_t *bytes = buffer_.as<std::uint8_t>();
    for (std::uint64_t i = part.begin; i < part.end; i += kLine) static_cast<void>(bytes[i]);
  });
}

void take_samples(Context &context, Workload &workload, CacheFlusher &flusher, const TimerFacts &timer,
                  const sits_run &request, std::uint32_t &next_copy, sits_samples &samples) {
  Pool &pool = *context.pool;
  const std::uint32_t per_call = std::max(1u, workload.iterations_per_call());
  const std::uint32_t calls = std::max(1u, request.batch / per_call + (request.batch % per_call != 0 ? 1u : 0u));
  const double iterations = static_cast<double>(calls) * per_call;
  const std::uint32_t copies = (request.flags & SITS_RUN_NO_ROTATE) != 0 ? 1 : workload.copies();
  const bool flush = (request.flags & SITS_RUN_FLUSH) != 0;
  const bool device_clock = workload.on_pool() && workload.threads_used() != 1 && pool.size() > 1;

  Interruption interruption(context, request.timeout_ns);
  interruption.check_now();
  if ((request.flags & SITS_RUN_POISON_BEFORE) != 0) workload.poison();
  if (next_copy >= copies) next_copy = 0;

  const Gates before = read_gates(context, workload);
  const std::uint64_t region_start = now_ns();
  const std::uint32_t wanted = std::min(request.samples, samples.capacity);
  for (std::uint32_t s = 0; s < wanted; ++s) {
    if (flush) flusher.flush(context);
    pool.begin_region();
    const std::uint64_t start = now_ns();
    for (std::uint32_t call = 0; call < calls; ++call) {
      workload.iterate(next_copy);
      samples.current_copy = next_copy;
      next_copy = next_copy + 1 == copies ? 0 : next_copy + 1;
    }
    const std::uint64_t end = now_ns();
    const double host = static_cast<double>(end - start);
    samples.submit_to_complete_ns[s] = host / iterations;
    samples.device_ns[s] = (device_clock ? pool.region_ns() : host) / iterations;
    samples.count = s + 1;
    interruption.check(end);
  }
  samples.wall_ns = static_cast<double>(now_ns() - region_start);
  const Gates after = read_gates(context, workload);

  samples.batch = calls * per_call;
  samples.clock = SITS_CLOCK_HOST;
  samples.resolution_ns = timer.resolution_ns;
  samples.floor_ns = timer.floor_ns;
  samples.cpu_ns = after.cpu_ns - before.cpu_ns;
  samples.minor_faults = after.minor_faults - before.minor_faults;
  samples.involuntary_switches = after.involuntary_switches - before.involuntary_switches;
  samples.threads = workload.threads_used() != 0 ? workload.threads_used() : pool.size();
  samples.gates_valid = 1;
  samples.steps_total = workload.steps_total();
}

}  // namespace sits::cpu
