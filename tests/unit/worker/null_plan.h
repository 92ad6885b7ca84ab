// SPDX-License-Identifier: Apache-2.0
//
// Plans over the null backend.
#pragma once

#include <string>
#include <vector>

#include "harness/worker/supervisor.h"

namespace sits::testing {

inline const std::vector<std::string> kThreeCases = {"stream/copy/f32/64kib/warm", "stream/triad/f32/64kib/cold",
                                                     "gemm/none/f32.f32.f32/m16n16k16/warm"};

inline worker::WorkerCommand test_worker() { return {SITS_TEST_WORKER, 10e9}; }

/// `cases` on null:0, one run, quick; `fault` in the case whose id contains `fault_case`.
inline worker::RunPlan null_plan(const std::string &fault = "", const std::string &fault_case = "",
                                 const std::vector<std::string> &cases = kThreeCases) {
  worker::RunPlan plan;
  worker::PlannedDevice device;
  device.id = "null:0";
  device.plugin_path = SITS_NULL_PLUGIN;
  device.info.name = "null";
  device.info.environment = {{"SITS_NULL_MARK", "set by the host"}};
  device.device.flags = SITS_DEVICE_SIMULATED;
  if (!fault.empty()) device.options = {{"fault", fault}, {"fault_case", fault_case}};
  plan.devices.push_back(device);
  for (const std::string &id : cases) {
    worker::PlannedCase test;
    test.id = id;
    test.test_case = microbench::parse_id(id);
    test.policy.min_samples = 20;
    test.policy.max_samples = 60;
    test.policy.budget_ns = 2e9;
    plan.items.push_back({0, plan.cases.size(), 0, static_cast<std::uint32_t>(plan.items.size())});
    plan.cases.push_back(test);
  }
  plan.hang_floor_ns = 20e9;
  return plan;
}

}  // namespace sits::testing
