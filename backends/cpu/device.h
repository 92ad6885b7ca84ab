// SPDX-License-Identifier: Apache-2.0
//
// The one device of this backend, described: the record owns every string that a sits_device points to.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/calibrate.h"
#include "backends/cpu/host_facts.h"
#include "backends/cpu/workload.h"
#include "sits/backend.h"

namespace sits::cpu {

using KeyValues = std::vector<std::pair<std::string, std::string>>;

struct DeviceRecord {
  std::string name, vendor, arch;
  KeyValues libraries, properties;
  std::vector<sits_peak_rate> peaks;
  std::vector<sits_key_value> library_items, property_items;
  sits_device device{};
};

/// `measured` is absent where nothing was calibrated. The record must not move afterwards.
void describe_device(DeviceRecord &record, const HostFacts &host, const Machine &machine, const CpuList &threads,
                     const std::optional<Calibration> &measured);

/// What describes this machine to the operations.
Machine machine_of(const HostFacts &host, const std::optional<Calibration> &measured);

}  // namespace sits::cpu
