// SPDX-License-Identifier: Apache-2.0
//
// Our copy and triad against OpenMP STREAM, plain and non-temporal: `stream_reference [pairs [KiB-per-array …]]`.
// Prints, per size and 1 and 2 threads, the median ratio of our bandwidth to the better reference over alternating
// pairs, with the 95 % interval of that median by order statistics.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "backends/cpu/device.h"
#include "backends/cpu/operations.h"
#include "tests/bench/stream_reference_kernels.h"

namespace {

using namespace sits;

struct Reference {
  cpu::Buffer a, b, c;
  std::size_t n;
  int threads;

  Reference(std::size_t bytes, int thread_count)
      : a(bytes), b(bytes), c(bytes), n(bytes / sizeof(double)), threads(thread_count) {
    for (cpu::Buffer *x : {&a, &b, &c}) bench::reference_first_touch(x->as<double>(), n, 1.0, threads);
  }
  void run(bool triad, bool non_temporal) {
    auto *pa = a.as<double>(), *pb = b.as<double>(), *pc = c.as<double>();
    if (triad && non_temporal)
      bench::reference_triad_nt(pa, pb, pc, n, threads);
    else if (triad)
      bench::reference_triad(pa, pb, pc, n, threads);
    else if (non_temporal)
      bench::reference_copy_nt(pc, pa, n, threads);
    else
      bench::reference_copy(pc, pa, n, threads);
  }
};

/// Nanoseconds per call, the fastest of three groups of at least 2 ms: a pair is compared at its best, as STREAM does.
double time_of(const std::function<void()> &call, std::size_t calls) {
  call();  // wakes the threads
  double best = 1e300;
  for (int group = 0; group < 3; ++group) {
    const std::uint64_t start = cpu::now_ns();
    for (std::size_t i = 0; i < calls; ++i) call();
    best = std::min(best, static_cast<double>(cpu::now_ns() - start) / static_cast<double>(calls));
  }
  return best;
}

std::size_t calls_for(const std::function<void()> &call) {
  constexpr double kGroupNs = 2e6;
  call();
  const double once = time_of(call, 1);
  return std::max<std::size_t>(1, static_cast<std::size_t>(kGroupNs / once));
}

/// Ranks of the binomial 95 % interval of the median.
std::pair<double, double> median_interval(const std::vector<double> &sorted) {
  const auto n = static_cast<double>(sorted.size());
  const double half = 0.98 * std::sqrt(n);  // 1.96 sqrt(n) / 2
  const auto low = static_cast<std::size_t>(std::max(0.0, std::floor(n / 2 - half)));
  const auto high = std::min(sorted.size() - 1, static_cast<std::size_t>(std::ceil(n / 2 + half)));
  return {sorted[low], sorted[high]};
}

/// Both sides, prepared in memory of their own. Which is allocated first is the caller's: physical placement alone
/// moves bandwidth by several per cent, so that it must not favour one side.
class Duel {
 public:
  Duel(bool triad, std::size_t bytes, const cpu::HostFacts &host, const cpu::CpuList &cpus, bool ours_first)
      : pool_(cpus), triad_(triad) {
    context_.machine = cpu::machine_of(host, std::nullopt);
    context_.pool = &pool_;
    const auto threads = static_cast<int>(cpus.size());
    bench::reference_pin(cpus.data(), threads);
    if (ours_first) prepare(bytes);
    reference_.emplace(bytes, threads);
    if (!ours_first) prepare(bytes);
    pool_.park();
    calls_ = calls_for([this] { reference_->run(triad_, false); });
  }

  /// The two pools must never spin against each other: ours parks, OpenMP's threads give up after a while.
  double ours() {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const double time = time_of([this] { workload_->iterate(0); }, calls_);
    pool_.park();
    return time;
  }
  double better_reference() {
    return std::min(time_of([this] { reference_->run(triad_, false); }, calls_),
                    time_of([this] { reference_->run(triad_, true); }, calls_));
  }
  std::string provider() const { return workload_->provider(); }

 private:
  void prepare(std::size_t bytes) {
    const sits_stream_spec spec{sizeof spec, static_cast<std::uint32_t>(triad_ ? SITS_STREAM_TRIAD : SITS_STREAM_COPY),
                                SITS_F64, 0, bytes};
    const sits_case test_case{sizeof test_case, SITS_OP_STREAM, SITS_MODE_WARM, 0, &spec, 1, "bench", nullptr};
    workload_ = cpu::stream_operation().prepare(context_, {&test_case, 0, 0});
  }

  cpu::Pool pool_;
  cpu::Context context_;
  bool triad_;
  std::optional<Reference> reference_;
  std::unique_ptr<cpu::Workload> workload_;
  std::size_t calls_ = 1;
};

void compare(bool triad, std::size_t kib, unsigned threads, std::size_t pairs) {
  constexpr std::size_t kPairsPerPlacement = 5;
  const std::size_t bytes = kib * 1024;
  const cpu::HostFacts host = cpu::discover_host(cpu::read_file, cpu::affinity_mask());
  const cpu::CpuList cpus = cpu::choose_cpus(host.cores, std::nullopt, threads);
  if (cpus.size() < threads) return;
  std::vector<double> ratios, times;
  std::string provider;
  for (std::size_t pair = 0; pair < pairs;) {
    Duel duel(triad, bytes, host, cpus, pair / kPairsPerPlacement % 2 == 0);
    provider = duel.provider();
    for (std::size_t i = 0; i < kPairsPerPlacement && pair < pairs; ++i, ++pair) {
      double mine = pair % 2 == 0 ? duel.ours() : 0;
      const double best = duel.better_reference();
      if (pair % 2 != 0) mine = duel.ours();
      ratios.push_back(best / mine);
      times.push_back(mine);
    }
  }
  std::sort(ratios.begin(), ratios.end());
  std::sort(times.begin(), times.end());
  const auto [low, high] = median_interval(ratios);
  const double arrays = triad ? 3 : 2;
  std::printf("%-5s %9zu KiB  threads %u  %7.1f GB/s  ratio %.3f  [%.3f, %.3f]  %s\n", triad ? "triad" : "copy", kib,
              threads, arrays * static_cast<double>(bytes) / times[times.size() / 2], ratios[ratios.size() / 2], low,
              high, provider.c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char **argv) {
  const std::size_t pairs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 25;
  std::vector<std::size_t> sizes;
  for (int i = 2; i < argc; ++i) sizes.push_back(std::strtoull(argv[i], nullptr, 10));
  if (sizes.empty()) sizes = {8, 128, 131072};
  if (pairs == 0 || std::count(sizes.begin(), sizes.end(), 0u) != 0) {
    std::fprintf(stderr, "usage: stream_reference [pairs [KiB-per-array ...]], all above 0\n");
    return 2;
  }
  for (const std::size_t kib : sizes)
    for (const unsigned threads : {1u, 2u})
      for (const bool triad : {true, false}) compare(triad, kib, threads, pairs);
}
