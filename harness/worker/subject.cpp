// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/subject.h"

#include <algorithm>
#include <cmath>

#include "harness/worker/process.h"

namespace sits::worker {
namespace {

constexpr double kReportNs = 100e6;  // between two progress messages
constexpr double kLongStepNs = 1e9;  // always announced
constexpr double kShortestTimeoutNs = 20e9, kTimeoutFactor = 10;

double median_of_finite(std::vector<double> values) {
  std::erase_if(values, [](double v) { return !std::isfinite(v); });
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

double WorkloadSubject::now_ns() { return steady_now_ns(); }

void WorkloadSubject::report(double expected_ns) {
  const double now = steady_now_ns();
  if (expected_ns < kLongStepNs && now - last_report_ns_ < kReportNs) return;
  last_report_ns_ = now;
  setup_.progress({"measure", taken_, recent_median_ns_ > 0 ? std::optional<double>(recent_median_ns_) : std::nullopt,
                   expected_ns});
}

plugin::Samples WorkloadSubject::run(std::uint32_t samples, std::uint32_t batch, std::uint32_t more_flags) {
  const double one_ns = recent_median_ns_ > 0 ? recent_median_ns_ : setup_.predicted_ns;
  const double expected_ns = one_ns * samples * batch;
  report(expected_ns);
  const double timeout_ns = std::clamp(kTimeoutFactor * expected_ns, kShortestTimeoutNs, 1e15);
  std::uint32_t flags = setup_.flags | more_flags;
  if (batch > 1) flags |= SITS_RUN_GRAPH;
  plugin::Samples taken = setup_.workload->run(samples, batch, flags, static_cast<std::uint64_t>(timeout_ns));
  provider_ = taken.provider;
  alternatives_ = taken.alternatives;
  weights_ = taken.weights;
  taken_ += taken.device_ns.size();
  recent_median_ns_ = median_of_finite(taken.device_ns);
  return taken;
}

SampleBatch WorkloadSubject::take(std::uint32_t samples, std::uint32_t batch) {
  plugin::Samples taken = run(samples, batch, 0);
  setup_.telemetry->poll();
  SampleBatch out;
  out.device_ns = std::move(taken.device_ns);
  out.submit_to_complete_ns = std::move(taken.submit_to_complete_ns);
  out.batch = taken.batch;
  out.host_clock = taken.clock != SITS_CLOCK_DEVICE;
  out.resolution_ns = taken.resolution_ns;
  out.floor_ns = taken.floor_ns;
  out.gates_valid = taken.gates_valid;
  out.cpu_ns = taken.cpu_ns;
  out.wall_ns = taken.wall_ns;
  out.threads = taken.threads;
  out.minor_faults = taken.minor_faults;
  out.involuntary_switches = taken.involuntary_switches;
  out.current_copy = taken.current_copy;
  out.steps_total = taken.steps_total;
  return out;
}

}  // namespace sits::worker
