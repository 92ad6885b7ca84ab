// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/plugin/backend.h"
#include "harness/report/model.h"
#include "harness/worker/host_facts.h"

namespace sits::cli {

/// A device as the report states it: what the backend left unknown is absent.
report::DeviceInfo device_info(const plugin::Info &backend, const plugin::Device &device);

report::HostInfo host_info(const worker::HostFacts &facts);

}  // namespace sits::cli
