// SPDX-License-Identifier: Apache-2.0
//
// An open session: the host's facts, the thread pool, the operations, and the workloads prepared in it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "backends/cpu/device.h"
#include "backends/cpu/options.h"
#include "backends/cpu/run.h"
#include "backends/cpu/workload.h"

namespace sits::cpu {

class Session {
 public:
  Session(const sits_host *host, const sits_options *options);
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  const sits_device &device();
  /// Throws Failure{SITS_UNSUPPORTED} with the reason.
  sits_support query(const sits_case &test_case);
  std::unique_ptr<Workload> prepare(const PrepareRequest &request);
  void run(Workload &workload, const sits_run &request, std::uint32_t &next_copy, sits_samples &samples);

 private:
  const OperationEntry &operation(const sits_case &test_case) const;
  /// The case as the operation sees it: with the session's provider where that applies.
  sits_case completed(const sits_case &test_case) const;

  sits_host host_calls_{};
  HostFacts host_;
  std::optional<Calibration> measured_;
  std::unique_ptr<Pool> pool_;
  Context context_;
  DeviceRecord device_;
  bool device_described_ = false;
  std::vector<OperationEntry> operations_;
  TimerFacts timer_;
  CacheFlusher flusher_;
  Answer answer_;  // owns the text of the last query
};

}  // namespace sits::cpu
