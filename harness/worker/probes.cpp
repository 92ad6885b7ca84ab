// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/probes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "sits/dtype.h"

namespace sits::worker {
namespace {

constexpr double kReadingNs = 8e6;   // length of one reading
constexpr double kSampleNs = 0.5e6;  // length of one sample in it
constexpr std::uint32_t kMaxSamples = 15;
constexpr std::uint64_t kRunTimeoutNs = 10'000'000'000;
constexpr std::uint64_t kSmallestRead = 16u << 20, kLargestRead = 512u << 20;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[(values.size() - 1) / 2];
}

bool is_time(double ns) { return std::isfinite(ns) && ns > 0; }

/// Median time of one iteration over a reading of about kReadingNs; 0 when the times are none.
double quick_median_ns(plugin::Workload &workload) {
  const plugin::Samples first = workload.run(1, 1, SITS_RUN_NO_ROTATE, kRunTimeoutNs);
  const double one_ns = first.device_ns.front();
  if (!is_time(one_ns)) return 0;
  const auto batch = static_cast<std::uint32_t>(std::clamp(std::ceil(kSampleNs / one_ns), 1.0, 1e6));
  const double sample_ns = one_ns * batch;
  const auto samples = static_cast<std::uint32_t>(std::clamp(kReadingNs / sample_ns, 1.0, double{kMaxSamples}));
  const plugin::Samples taken = workload.run(samples, batch, SITS_RUN_NO_ROTATE, kRunTimeoutNs);
  std::vector<double> times;
  for (const double ns : taken.device_ns)
    if (is_time(ns)) times.push_back(ns);
  return times.empty() ? 0 : median(std::move(times));
}

bool falls_back_to_f32(std::uint32_t type) {
  return type != SITS_F32 && type != SITS_F64 && format_of(type).exponent_bits > 0;
}

}  // namespace

std::optional<Probes::Prepared> Probes::prepare(const microbench::Case &test_case, std::string kind) {
  try {
    const microbench::AbiCase view(test_case, 1);
    const plugin::Support support = session_->query(device_.index, view);
    if (!support.supported) return std::nullopt;
    const microbench::WorkModel work = microbench::work_model(test_case, support.peak_flops);
    const bool computes = microbench::op_of(test_case) == microbench::Op::peak;
    const double amount = computes ? work.flops : work.bytes_counted;
    if (amount <= 0) return std::nullopt;
    return Prepared{std::move(kind), session_->prepare(std::array{device_.index}, view, 0, 1), amount};
  } catch (const plugin::BackendError &error) {
    if (error.status == SITS_DEVICE_LOST) throw;
    return std::nullopt;  // a probe is a help, not a result
  }
}

std::optional<ProbeReading> Probes::read(std::optional<Prepared> &probe) {
  if (!probe) return std::nullopt;
  try {
    const double ns = quick_median_ns(probe->workload);
    if (ns > 0) return ProbeReading{probe->kind, ns, probe->work / ns * 1e9};
  } catch (const plugin::BackendError &error) {
    if (error.status == SITS_DEVICE_LOST) throw;
  }
  probe.reset();
  return std::nullopt;
}

std::optional<Probes::Prepared> Probes::prepare_compute(std::uint32_t type) {
  std::optional<Prepared> best;
  double best_rate = 0;
  for (const std::uint32_t unit : {std::uint32_t{SITS_PEAK_FMA}, std::uint32_t{SITS_PEAK_MATRIX}}) {
    const microbench::Case test_case{microbench::PeakSpec{unit, type}, microbench::Mode::none};
    std::optional<Prepared> probe =
        prepare(test_case, fmt::format("peak/{}/{}", unit == SITS_PEAK_FMA ? "fma" : "matrix", dtype_name(type)));
    const std::optional<ProbeReading> reading = read(probe);
    if (!reading || reading->rate <= best_rate) continue;
    best_rate = reading->rate;
    best = std::move(probe);
  }
  return best;
}

std::optional<ProbeReading> Probes::compute(std::uint32_t type) {
  auto found = compute_.find(type);
  if (found == compute_.end()) {
    std::optional<Prepared> probe = prepare_compute(type);
    if (!probe && falls_back_to_f32(type)) probe = prepare_compute(SITS_F32);
    found = compute_.emplace(type, std::move(probe)).first;
  }
  return read(found->second);
}

std::optional<Probes::Prepared> Probes::prepare_bandwidth() {
  const std::uint64_t bytes = std::clamp(std::bit_ceil(4 * device_.llc_bytes), kSmallestRead, kLargestRead);
  if (device_.memory_bytes != 0 && bytes > device_.memory_bytes / 8) return std::nullopt;
  return prepare({microbench::StreamSpec{SITS_STREAM_READ, SITS_F32, bytes}, microbench::Mode::cold}, "stream/read");
}

std::optional<ProbeReading> Probes::bandwidth() {
  if (!bandwidth_) bandwidth_ = prepare_bandwidth();
  return read(*bandwidth_);
}

}  // namespace sits::worker
