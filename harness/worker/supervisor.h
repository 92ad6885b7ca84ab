// SPDX-License-Identifier: Apache-2.0
//
// The supervisor: runs a plan in worker processes and never loads vendor code itself. Whatever a worker does (segfault,
// hang, exit inside a driver, chatter on stdout) costs at most the case in flight.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/measure/policy.h"
#include "harness/measure/result.h"
#include "harness/plugin/backend.h"
#include "harness/plugin/discovery.h"
#include "microbench/case.h"

namespace sits::worker {

/// How to start a worker: an executable that calls worker_main for the arguments `worker …`.
struct WorkerCommand {
  std::string executable = "/proc/self/exe";
  double start_timeout_ns = 30e9;  // load the plugin, open the driver, list devices
};

// ------------------------------------------------------------------------------------------------------ devices ---

/// One candidate plugin and what came of it.
struct BackendListing {
  plugin::Candidate candidate;
  bool loaded = false;     // it is a plugin: info is valid
  bool available = false;  // its session opens: devices is valid
  std::string reason;      // why not loaded, or why not available: "libcuda.so.1 not found"
  plugin::Info info;
  std::vector<plugin::Device> devices;
};

/// Asks every used candidate, each in a short worker of its own, all at once. `options` go to the backend of that name
/// ("cpu": threads=2). When two plugins give the same name the first one stands. Never throws for what a plugin does.
std::vector<BackendListing> list_devices(const std::vector<plugin::Candidate> &candidates,
                                         const std::map<std::string, plugin::KeyValues> &options,
                                         const WorkerCommand &command = {});

/// "cpu:0".
std::string device_id(const std::string &backend, std::uint32_t index);

// --------------------------------------------------------------------------------------------------------- plan ---

struct PlannedDevice {
  std::string id;           // "cpu:0"
  std::string plugin_path;  // of its backend
  plugin::Info info;        // of its backend, from list_devices
  plugin::Device device;    // from list_devices
  plugin::KeyValues options;
};

struct PlannedCase {
  microbench::Case test_case;
  std::string id;  // canonical
  bool required = false;
  Policy policy;
};

/// One step: indices into RunPlan.devices and RunPlan.cases, and which run (fresh process) it belongs to.
struct PlanItem {
  std::size_t device = 0, test_case = 0;
  std::uint32_t run_index = 0;
  std::uint32_t order_index = 0;  // position in the whole plan, kept by --resume
};

struct RunPlan {
  std::vector<PlannedDevice> devices;
  std::vector<PlannedCase> cases;
  std::vector<PlanItem> items;  // in the order of execution; a worker is kept while device and run stay the same
  std::uint64_t seed = 1;
  std::optional<std::string> provider;
  std::string reproduce_prefix = "sits run";  // completed with --case, --device and --seed
  double hang_floor_ns = 30e9;                // a worker is declared hung after max(this, hang_factor x predicted)
  double hang_factor = 10;
};

/// A row, and the rates its probes reached ("peak/fma/f32": operations per s, "stream/read": bytes per s).
struct FinishedCase {
  CaseResult row;
  std::map<std::string, double> measured_peaks;
};

struct CaseProgress {
  std::string phase;  // "prepare", "verify", "measure", "probe"
  std::uint64_t samples = 0;
  std::optional<double> median_ns;  // running
};

/// Called from run(), on its thread, in order. All optional.
struct RunEvents {
  std::function<void(const PlanItem &)> started;
  std::function<void(const PlanItem &, const CaseProgress &)> progress;
  std::function<void(const PlanItem &, const FinishedCase &)> finished;  // append to the journal here
  std::function<void(const std::string &device, const std::string &line)> log;
};

struct RunOutcome {
  std::vector<FinishedCase> finished;             // one per item, in plan order
  std::map<std::string, plugin::Device> devices;  // by id, as the workers saw them (after calibration)
  bool interrupted = false;
};

/// Runs every item; always returns a row for each. `interrupt_fd` becomes readable on SIGINT or SIGTERM (class
/// Interrupts), -1 for none: the first time the case in flight is cancelled and the rest are `interrupted`, the second
/// time the worker is killed. Throws std::system_error only when no worker can be started at all.
RunOutcome run(const RunPlan &plan, const RunEvents &events, const WorkerCommand &command = {}, int interrupt_fd = -1);

/// sits::normalize_probes over the rows inside.
void normalize_probes(std::vector<FinishedCase> &rows);

}  // namespace sits::worker
