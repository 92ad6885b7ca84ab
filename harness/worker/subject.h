// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "harness/measure/sampler.h"
#include "harness/plugin/backend.h"
#include "harness/worker/protocol.h"
#include "harness/worker/telemetry_watch.h"

namespace sits::worker {

/// A prepared workload as the sampler sees it; between takes it reports progress and reads telemetry.
class WorkloadSubject : public Subject {
 public:
  struct Setup {
    plugin::Workload *workload = nullptr;
    std::uint32_t flags = 0;  // SITS_RUN_* of every take
    double predicted_ns = 0;  // of one iteration, 0 unknown
    TelemetryWatch *telemetry = nullptr;
    std::function<bool()> cancelled;
    std::function<void(const Progress &)> progress;
  };
  explicit WorkloadSubject(Setup setup) : setup_(std::move(setup)) {}

  SampleBatch take(std::uint32_t samples, std::uint32_t batch) override;
  double now_ns() override;
  bool cancelled() override { return setup_.cancelled(); }

  /// One take with additional flags, outside of the measurement.
  plugin::Samples run(std::uint32_t samples, std::uint32_t batch, std::uint32_t more_flags);

  /// What the backend said in the last take.
  const std::string &provider() const { return provider_; }
  const std::string &alternatives() const { return alternatives_; }
  const std::string &weights() const { return weights_; }

 private:
  void report(double expected_ns);

  Setup setup_;
  std::string provider_, alternatives_, weights_;
  std::uint64_t taken_ = 0;
  double recent_median_ns_ = 0, last_report_ns_ = 0;
};

}  // namespace sits::worker
