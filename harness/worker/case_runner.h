// SPDX-License-Identifier: Apache-2.0
//
// One case on one device, inside a worker: query ▸ predict ▸ prepare ▸ verify ▸ measure ▸ probe ▸ verify again ▸ judge.
#pragma once

#include <functional>

#include "harness/worker/probes.h"
#include "harness/worker/protocol.h"

namespace sits::worker {

/// What a case runs on; lives as long as the session.
struct CaseContext {
  plugin::Session *session = nullptr;
  plugin::Device device;
  Probes *probes = nullptr;
  std::function<bool()> cancelled;
  std::function<void(const Progress &)> progress;
};

/// Always comes back with a row, whatever the backend throws.
FinishedCase run_case(const RunCase &request, const CaseContext &context);

}  // namespace sits::worker
